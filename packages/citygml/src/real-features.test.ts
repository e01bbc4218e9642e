import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { before, describe, test } from 'node:test';
import { finish } from '@citymodel/base';
import type { Feature } from 'geojson';
import { attributesOf, codeSpacesOf, skipAllButAttributes } from './attributes/attributes.ts';
import { type CodeList, parseCodeList } from './attributes/code-list.ts';
import { CodeLists } from './attributes/code-lists.ts';
import { cityJsonTransform, toCityJsonFeature } from './formats/to-cityjson.ts';
import { geoJsonInSteps } from './formats/to-geojson.ts';
import { extentOf, geometriesOf, standingGeometry } from './geometry/feature-geometry.ts';
import { footprintOf, shapeOf } from './geometry/feature-shape.ts';
import { meetsBox } from './geometry/voxel-intersection.ts';
import { DATA, random, unzip } from './testing/published.ts';
import {
  type SchemaFacts,
  slowAttributes,
  slowExtent,
  slowFeatures,
  slowlyMeets,
  slowPieces,
} from './testing/slow-features.ts';
import { namespaceContext, parseFeature } from './xml/feature-xml.ts';

const present = existsSync(DATA);
const packages = present ? globSync(`${DATA}packages/*.zip`).sort() : [];

/**
 * Coded properties whose list neither the package nor the standard table has; every other code of these packages has
 * its description.
 */
const WITHOUT_DESCRIPTION: Record<string, number> = {
  '13100_tokyo23-ku_202': 0,
  '14130_kawasaki-shi_2': 0,
  '22203_numazu-shi_202': 18,
  '22203_numazu-shi_cit': 264,
};

/** Root start tag and the bytes of every feature, by looking for member tags. */
function cut(gml: Buffer): { root: Buffer; features: Buffer[] } {
  const text = gml.toString('latin1');
  const rootStart = /<(?:\w+:)?CityModel[\s>]/.exec(text)!.index;
  const rootEnd = text.indexOf('>', rootStart) + 1;
  const features: Buffer[] = [];
  const member = /<((?:\w+:)?cityObjectMember)\s*>\s*(<[\s\S]*?)<\/\1\s*>/g;
  for (let match = member.exec(text); match !== null; match = member.exec(text)) {
    const start = match.index + match[0].indexOf(match[2]!, match[1]!.length + 1);
    features.push(gml.subarray(start, start + match[2]!.length));
  }
  return { root: gml.subarray(rootStart, rootEnd), features };
}

function envelope(gml: Buffer): { srsName: string | null; srsDimension: number | null } {
  const tag = /<gml:Envelope([^>]*)>/.exec(gml.toString('latin1', 0, 100_000))?.[1] ?? '';
  return {
    srsName: /srsName=["']([^"']*)/.exec(tag)?.[1] ?? null,
    srsDimension: Number(/srsDimension=["'](\d)/.exec(tag)?.[1] ?? 3),
  };
}

describe('every feature of the published packages', {
  skip: present ? false : 'needs ../shared/data',
}, () => {
  let facts: SchemaFacts;
  const counts = new Map<string, number>();
  const withoutGeometry: string[] = [];
  /** Of a package with more files than this, only some are compared with the slow way; all are read. */
  const FILES = 15;
  /** Of a file with more features than this, only some are compared by geometry. */
  const FEATURES = 50;
  let features = 0;

  before(() => {
    facts = JSON.parse(readFileSync(`${DATA}schema/citygml2-iur3-properties.json`, 'utf8')) as SchemaFacts;
  });

  for (const path of packages) {
    test(basename(path), async () => {
      const next = random(7);
      const members = await unzip(path);
      const lower = new Map([...members].map(([name, bytes]) => [name.toLowerCase(), bytes]));
      const parsed = new Map<string, CodeList | null>();
      const lists = new CodeLists(async (name) => {
        const key = name.toLowerCase();
        const bytes = lower.get(key);
        if (!parsed.has(key)) parsed.set(key, bytes === undefined ? null : parseCodeList(bytes));
        return parsed.get(key)!;
      });
      const lacking = WITHOUT_DESCRIPTION[basename(path).slice(0, 20)];
      let codes = 0;
      let unknown = 0;
      const files = [...members].filter(([name]) => name.endsWith('.gml'));
      for (const [number, [name, gml]] of files.entries()) {
        const { root, features: slices } = cut(gml);
        const context = namespaceContext(root);
        const defaults = envelope(gml);
        const slow =
          number % Math.ceil(files.length / FILES) === 0 ? slowFeatures(gml.toString('utf8')) : null;
        if (slow !== null) assert.equal(slices.length, slow.length, name);
        for (const [i, bytes] of slices.entries()) {
          features++;
          const lean = parseFeature(bytes, context, skipAllButAttributes);
          const raw = attributesOf(lean, { labels: null, extent: null });
          const where = `${name} ${raw['gml:id']}`;
          const expected = slow?.[i];
          if (expected !== undefined) assert.deepEqual(raw, slowAttributes(expected, facts), where);
          counts.set(lean.name, (counts.get(lean.name) ?? 0) + 1);

          const labels = await lists.labels(name, codeSpacesOf(lean));
          const labelled = attributesOf(lean, { labels, extent: null });
          if (lacking !== undefined) {
            const described = JSON.stringify(labelled);
            codes += described.split('_code"').length - 1;
            unknown += JSON.stringify(raw).split('":').length - described.split('":').length;
          }

          const tree = parseFeature(bytes, context);
          const geometries = geometriesOf(tree, defaults);
          const extent = extentOf(standingGeometry(geometries));
          if (extent === null) withoutGeometry.push(lean.name);
          if (expected === undefined || i % Math.ceil(slices.length / FEATURES) !== 0) continue;
          const pieces = slowPieces(expected, facts);
          assert.deepEqual(extent, slowExtent(pieces), where);
          if (extent === null) continue;
          const shape = shapeOf(geometries)!;
          for (let n = 0; n < 4; n++) {
            // Cells of a third to three times the feature's size about it, and some far smaller inside.
            const width: number = (extent.east - extent.west + 1e-7) * (n === 3 ? 0.02 : 0.3 + next() * 3);
            const height: number = (extent.north - extent.south + 1e-7) * (n === 3 ? 0.02 : 0.3 + next() * 3);
            const west: number = extent.west - width + next() * (extent.east - extent.west + width);
            const south: number = extent.south - height + next() * (extent.north - extent.south + height);
            const box = { west, south, east: west + width, north: south + height };
            assert.equal(
              meetsBox(shape, box, null),
              slowlyMeets(pieces, box),
              `${where} ${JSON.stringify(box)}`,
            );
          }
          checkGeoJson(finish(geoJsonInSteps(raw, footprintOf(geometries), shape.altitudes)).geometry, where);
          checkCityJson(toCityJsonFeature(tree, geometries, null, cityJsonTransform(extent)), where);
        }
      }
      if (lacking !== undefined) {
        assert.ok(codes > 100);
        assert.equal(unknown, lacking, `${unknown} of ${codes} coded properties have no description`);
      }
    });
  }

  test('numbers of features by type', () => {
    assert.equal(features, 25_293);
    assert.deepEqual(withoutGeometry, ['grp:CityObjectGroup', 'grp:CityObjectGroup']);
    for (const [name, count] of [
      ['tran:Road', 17_102],
      ['bldg:Building', 7_365],
      ['luse:LandUse', 225],
      ['urf:SedimentDisasterProneArea', 162],
      ['tran:Track', 126],
      ['urf:UseDistrict', 106],
      ['frn:CityFurniture', 32],
      ['wtr:WaterBody', 9],
      ['uro:UndergroundBuilding', 1],
      ['brid:Bridge', 1],
    ] as const) {
      assert.equal(counts.get(name), count, name);
    }
  });
});

function checkGeoJson(geometry: Feature['geometry'] | null, where: string): void {
  assert.ok(geometry !== null, where);
  if (geometry.type !== 'MultiPolygon') return;
  for (const polygon of geometry.coordinates) {
    for (const ring of polygon) {
      assert.ok(ring.length >= 4, where);
      assert.deepEqual(ring[0], ring.at(-1), where);
    }
  }
}

function checkCityJson(feature: ReturnType<typeof toCityJsonFeature>, where: string): void {
  assert.ok(Object.hasOwn(feature.CityObjects, feature.id), where);
  const used = new Set<number>();
  for (const object of Object.values(feature.CityObjects)) {
    for (const geometry of object.geometry) {
      for (const number of (geometry.boundaries as unknown[]).flat(5) as number[]) used.add(number);
    }
  }
  for (const number of used) assert.ok(number >= 0 && number < feature.vertices.length, where);
  for (const vertex of feature.vertices) assert.ok(vertex.every(Number.isSafeInteger), where);
}
