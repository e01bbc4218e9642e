/** The service and a slow, independent reading of the whole file say the same of every published GML. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import {
  DATA,
  publishedPackages,
  random,
  type SchemaFacts,
  type SlowElement,
  type SlowPiece,
  slowAttributes,
  slowExtent,
  slowFeatures,
  slowlyMeets,
  slowPieces,
  unzip,
} from '@citymodel/citygml/testing';
import {
  boundsIntersect,
  type Extent,
  formatSpatialId,
  type SpatialId,
  spatialIdBounds,
  spatialIdOf,
} from '@citymodel/geo';
import { ask, type Hosted, host } from './testing/hosted.ts';

/** Of a package with more files than this, only some are compared: `real-features.test.ts` compares others. */
const FILES = 8;
/** Voxels for each file, half of them with a floor. */
const VOXELS = 60;
/** The one published file in a plane system, which the slow way cannot place. */
const IN_METRES = /EPSG[:/0-9]*10169/;

interface SlowFeature {
  id: string | null;
  element: SlowElement;
  pieces: SlowPiece[];
  extent: Extent | null;
}

type Attributes = Record<string, unknown> & { 'gml:id'?: string; _bbox?: Record<string, unknown> };

const packages = await publishedPackages();

describe('service and slow path agree', {
  skip: existsSync(DATA) ? false : 'needs ../shared/data',
}, () => {
  let voxels = 0;
  let hits = 0;

  for (const path of packages) {
    test(basename(path), async () => {
      const facts = JSON.parse(
        readFileSync(`${DATA}schema/citygml2-iur3-properties.json`, 'utf8'),
      ) as SchemaFacts;
      await using hosted = await host([path]);
      const next = random(13);
      const files = [...(await unzip(path))].filter(([name]) => name.endsWith('.gml'));
      const step = Math.ceil(files.length / FILES);
      for (const [number, [name, gml]] of files.entries()) {
        if (number % step !== step - 1) continue;
        const text = gml.toString('utf8');
        const slow = slowFeatures(text).map((element): SlowFeature => {
          const pieces = slowPieces(element, facts);
          return {
            id: element.attributes.get('gml:id') ?? null,
            element,
            pieces,
            extent: slowExtent(pieces),
          };
        });
        const url = hosted.urls.member(hosted.rows[0]!, name);
        const inMetres = IN_METRES.test(text);
        await compareIds(hosted, url, slow);
        await compareAttributes(hosted, url, slow, facts, inMetres);
        if (!inMetres) await compareVoxels(hosted, url, slow, next);
      }
    });
  }

  test('and that was thorough', () => {
    assert.ok(voxels > 2_000, `${voxels} voxels`);
    assert.ok(hits > 5_000, `${hits} features in them`);
  });

  async function compareIds(hosted: Hosted, url: string, slow: SlowFeature[]): Promise<void> {
    const { featureIds } = await ask<{ featureIds: string[] }>(hosted.service, 'features', {
      url,
      sid: '0/0/0/0',
    });
    assert.deepEqual(featureIds, [...new Set(slow.flatMap(({ id }) => id ?? []))], url);
  }

  async function compareAttributes(
    hosted: Hosted,
    url: string,
    slow: SlowFeature[],
    facts: SchemaFacts,
    inMetres: boolean,
  ): Promise<void> {
    const withId = slow.filter(({ id }) => id !== null);
    if (withId.length === 0) return;
    const id = [...new Set(withId.map((one) => one.id))].join(',');
    const answer = await ask<Attributes[]>(hosted.service, 'attributes', {
      url,
      id,
      skip_code_list_fetch: 'true',
    });
    const byId = Map.groupBy(withId, (one) => one.id!);
    const expected = [...byId.values()].flat();
    assert.equal(answer.length, expected.length, url);
    for (const [i, found] of answer.entries()) {
      const { _bbox, ...attributes } = found;
      const { element, extent } = expected[i]!;
      assert.deepEqual(attributes, JSON.parse(JSON.stringify(slowAttributes(element, facts))), url);
      if (inMetres) continue;
      assert.deepEqual(_bbox, extent === null ? undefined : boxOf(extent), `${url} ${found['gml:id']}`);
    }
    // GeoJSON is made from the whole feature, attributes from it without its geometry.
    const some = withId.filter((_, i) => i % Math.ceil(withId.length / 20) === 0).map((one) => one.id);
    const query = { url, id: some.join(','), skip_code_list_fetch: '' };
    const plain = await ask<Attributes[]>(hosted.service, 'attributes', query);
    const geo = await ask<{ features: Array<{ properties: Attributes }> }>(hosted.service, 'attributes', {
      ...query,
      format: 'geojson',
    });
    assert.deepEqual(
      geo.features.map(({ properties: { height: _, minAlt: __, maxAlt: ___, ...rest } }) => rest),
      plain,
      url,
    );
  }

  async function compareVoxels(
    hosted: Hosted,
    url: string,
    slow: SlowFeature[],
    next: () => number,
  ): Promise<void> {
    const placed = slow.filter((one) => one.extent !== null);
    for (let n = 0; n < VOXELS && placed.length > 0; n++) {
      const cell = cellNear(placed[Math.floor(next() * placed.length)]!.extent!, n % 2 === 0, next);
      const bounds = spatialIdBounds(cell);
      const expected = placed.filter(
        ({ extent, pieces }) =>
          boundsIntersect(extent!, bounds) && atFloor(extent!, cell) && slowlyMeets(pieces, bounds),
      );
      const { featureIds } = await ask<{ featureIds: string[] }>(hosted.service, 'features', {
        url,
        sid: formatSpatialId(cell),
      });
      assert.deepEqual(
        featureIds,
        [...new Set(expected.flatMap(({ id }) => id ?? []))],
        `${url} ${formatSpatialId(cell)}`,
      );
      voxels++;
      hits += featureIds.length;
    }
  }
});

/** A cell at a place near the extent, of about its size or much smaller or larger. */
function cellNear(extent: Extent, withFloor: boolean, next: () => number): SpatialId {
  const width = Math.max(extent.east - extent.west, 1e-7);
  const z = Math.min(28, Math.max(1, Math.round(Math.log2(360 / width) + next() * 4 - 2)));
  const lng = extent.west + (next() * 1.4 - 0.2) * width;
  const lat = extent.south + (next() * 1.4 - 0.2) * (extent.north - extent.south);
  const { minAlt, maxAlt } = extent;
  const alt = minAlt + (next() * 1.4 - 0.2) * (maxAlt - minAlt + 1);
  return spatialIdOf(lng, lat, withFloor ? alt : null, z);
}

/** By the definition: floors are 2^25 / 2^z metres high; data without heights is at every floor. */
function atFloor({ minAlt, maxAlt }: Extent, { z, f }: SpatialId): boolean {
  if (f === null || (minAlt === 0 && maxAlt === 0)) return true;
  const height = 2 ** 25 / 2 ** z;
  return maxAlt >= f * height && minAlt < (f + 1) * height;
}

function boxOf({ west, south, east, north, minAlt, maxAlt }: Extent): unknown {
  return {
    min: { lng: west, lat: south, alt: minAlt },
    max: { lng: east, lat: north, alt: maxAlt },
    center: { lng: (west + east) / 2, lat: (south + north) / 2, alt: (minAlt + maxAlt) / 2 },
  };
}
