import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  attributesOf,
  extentOf,
  geometriesOf,
  gmlIdOf,
  standingGeometry,
  surfacesOf,
} from '@citymodel/citygml';
import { DATA, unzip } from '@citymodel/citygml/testing';
import { lookInto } from '../look-into.ts';
import { type GmlSource, outputSuffix } from '../part-maker.ts';
import { GmlCodeLabels } from '../read/code-labels.ts';
import { readGml } from '../read/features.ts';
import { gmlSources, partContext } from '../read/testing/gml-source.ts';
import { tiles3dMaker } from './maker.ts';
import { checkPackage, farthestFrom, finestFeatures } from './testing/check-package.ts';
import { convertGml, geoidOffset } from './testing/convert-gml.ts';
import { box, building, FIXTURE_PATH, fixture, solid } from './testing/fixture-gml.ts';
import { type ReadFeature, readTiles } from './testing/read-tiles.ts';

const town = (count: number, inside = '') =>
  Array.from({ length: count }, (_, i) =>
    building(
      `b${String(i).padStart(4, '0')}`,
      solid(
        1,
        box([(i % 30) * 30, Math.floor(i / 30) * 30, 3], [8 + (i % 7), 9 + (i % 5), 5 + ((i * 7) % 23)]),
      ),
      inside,
    ),
  );

/** The building has the area that it was made with, but for the sphere that degrees are taken from. */
function assertArea(area: number, row: Record<string, unknown>): void {
  const i = Number(String(row.gml_id).slice(1));
  const [w, d, h] = [8 + (i % 7), 9 + (i % 5), 5 + ((i * 7) % 23)];
  const expected = 2 * (w * d + w * h + d * h);
  assert.ok(Math.abs(area / expected - 1) < 0.01, `${row.gml_id} has ${area} m², ${expected} expected`);
}

describe('a small town', () => {
  const filler = `<gml:name>${'あ'.repeat(1_000)}</gml:name>`;

  test('has each building once, in tiles that hold their vertices', async () => {
    const { packages, issues } = await convertGml([fixture(town(900, filler))]);
    assert.deepEqual([...packages.keys()], ['bldg_3dtiles_lod1']);
    assert.deepEqual(issues, []);
    const tiles = await checkPackage(packages.get('bldg_3dtiles_lod1')!);
    assert.ok(tiles.length > 5, `${tiles.length} tiles`);
    const ids = finestFeatures(tiles).map(({ row }) => row.gml_id);
    assert.equal(ids.length, 900);
    assert.equal(new Set(ids).size, 900);
    for (const { area, row } of finestFeatures(tiles)) assertArea(area, row);
    for (const { bytes, isLeaf, features } of tiles) {
      assert.ok(bytes.length <= 512_000, `${bytes.length} bytes`);
      assert.ok(isLeaf || features.length === 0 || bytes.length >= 256_000, `${bytes.length} bytes`);
    }
    // The largest come first.
    const shown = tiles.filter(({ features }) => features.length > 0);
    assert.ok(shown[0]!.geometricError > 0);
  });

  for (const compression of ['draco', 'meshopt', 'none'] as const) {
    for (const version of ['1.0', '1.1'] as const) {
      test(`is the same in two runs: ${version}, ${compression}`, async () => {
        const options = { compression, tiles: version };
        const sources = [fixture(town(40))];
        const [a, b] = [await convertGml(sources, options), await convertGml(sources, options)];
        assert.deepEqual(a, b);
        const files = a.packages.get('bldg_3dtiles_lod1')!;
        assert.equal(JSON.parse(Buffer.from(files.get('tileset.json')!).toString()).asset.version, version);
        const features = finestFeatures(await checkPackage(files));
        assert.equal(features.length, 40);
        assert.equal(features[0]!.row['bldg:measuredHeight'], 10);
        for (const { area, row } of features) assertArea(area, row);
      });
    }
  }
});

for (const version of ['1.0', '1.1'] as const) {
  test(
    `towers of all files of a second mesh are in one tile above the files, and nowhere else: ` + `${version}`,
    async () => {
      const other = FIXTURE_PATH.replace('53394525', '53394526');
      const tower = (id: string, x: number) => building(id, solid(1, box([x, 950, 3], [20, 20, 80])));
      const { packages } = await convertGml(
        [
          fixture([...town(20), tower('t1', 0)]),
          fixture([tower('t2', 100)], { path: other }),
          fixture([building('h1', solid(1, box([200, 950, 3], [8, 8, 8])))], {
            path: FIXTURE_PATH.replace('53394525', '53394536'),
          }),
        ],
        { tiles: version },
      );
      const files = packages.get('bldg_3dtiles_lod1')!;
      const tiles = await checkPackage(files);
      const shown = tiles.flatMap(({ path, features }) =>
        features.map(({ row }) => `${path.replace(/[^/]*$/, '')} ${row.gml_id}`),
      );
      assert.equal(shown.length, 23);
      assert.deepEqual(
        shown.filter((name) => name.startsWith('overview/')),
        ['overview/533945_add/ t1', 'overview/533945_add/ t2'],
      );
      assert.ok(shown.includes('data/53394536_bldg_6697_op/ h1'));
      // The second file has nothing left.
      assert.ok(!files.has('data/53394526_bldg_6697_op/tileset.json'));
      const ranges = JSON.parse(Buffer.from(files.get('tileset.json')!).toString()).properties;
      assert.deepEqual(ranges['bldg:measuredHeight'] ?? ranges.bldg_measuredHeight, {
        minimum: 10,
        maximum: 10,
      });
    },
  );
}

for (const compression of ['draco', 'meshopt'] as const) {
  test(`houses that touch have the same corners, in one tile and in two: ${compression}`, async () => {
    const [x, depth, height] = [20.493, 9.1, 7.7];
    const house = (id: string, from: number, width: number) =>
      building(id, solid(1, box([from, 0, 3], [width, depth, height])));
    const other = FIXTURE_PATH.replace('53394525', '53394526');
    // Tiles of other sizes have other origins.
    const far = building('far', solid(1, box([700, 640, 3], [8, 8, 30])));
    const { packages } = await convertGml(
      [fixture([house('a', 0, x), house('b', 2 * x, 5)]), fixture([house('c', x, x), far], { path: other })],
      { compression },
    );
    const tiles = await checkPackage(packages.get('bldg_3dtiles_lod1')!);
    const found = new Map(
      finestFeatures(tiles).map(({ row, vertices }) => [row.gml_id, new Set(vertices.map(String))]),
    );
    const shared = (one: string, two: string) => found.get(one)!.intersection(found.get(two)!).size;
    assert.deepEqual([shared('a', 'c'), shared('c', 'b'), shared('a', 'b')], [4, 4, 0]);
  });
}

/**
 * What of the published tiles of a case is compared: LOD and number of features, by what follows the package's name.
 */
const CASES: Record<string, Record<string, number>> = {
  '01-bldg-tako-machi': { bldg_3dtiles_lod1: 98 },
  '01-bldg-ward': { bldg_3dtiles_lod1: 1, bldg_3dtiles_lod2: 1 },
  '03-frn': { frn_3dtiles_lod1: 5, frn_3dtiles_lod2: 5, frn_3dtiles_lod3: 5 },
  '07-brid': { brid_3dtiles_lod3: 3 },
  // Published at LOD 4 with a row for each surface; here a row is a feature of the file at every level.
  '07-tun': { tun_3dtiles_lod1: 1, tun_3dtiles_lod2: 1, tun_3dtiles_lod3: 1, tun_3dtiles_lod4: 1 },
  '10-wtr-wtr': { wtr_3dtiles_lod1: 5 },
  '09-unf-frn-lod3': { unf_Manhole_3dtiles_lod3: 1, unf_SewerPipe_3dtiles_lod3: 1 },
};

test('generic objects are in packages of the code of their name, else of that in the name of their file', async () => {
  const generic = (id: string, lod: number, name = '') =>
    `<core:cityObjectMember><gen:GenericCityObject gml:id="${id}">${name}<gen:lod${lod}Geometry><gml:MultiSurface>` +
    `${box([0, 0, 0], [5, 5, 5]).join('')}</gml:MultiSurface></gen:lod${lod}Geometry></gen:GenericCityObject>` +
    `</core:cityObjectMember>`;
  const code = '<gml:name codeSpace="../../codelists/GenericCityObject_name.xml">20</gml:name>';
  const sources = [
    fixture([generic('a', 1), generic('b', 2), generic('e', 1, code)], {
      path: 'udx/gen/53394525_gen_6697_13_op.gml',
    }),
    fixture([generic('c', 1)], { path: 'udx/gen/53394525_gen_6697_42_op.gml' }),
    fixture([generic('d', 1, '<gml:name>20</gml:name>')], { path: 'udx/gen/53394525_gen_6697_op.gml' }),
  ];
  const { packages, issues } = await convertGml(sources);
  assert.deepEqual(issues, []);
  const found: Record<string, unknown[]> = {};
  for (const [name, files] of packages) {
    found[name] = finestFeatures(await checkPackage(files)).map(({ row }) => row.gml_id);
  }
  assert.deepEqual(found, {
    gen_13_3dtiles_lod1: ['a'],
    gen_13_3dtiles_lod2: ['a', 'b'],
    gen_20_3dtiles_lod1: ['e'],
    gen_42_3dtiles_lod1: ['c'],
    gen_3dtiles_lod1: ['d'],
  });
  const foreseen = new Set<string>();
  for (const gml of sources) {
    const content = await lookInto(gml.text(), () => {});
    const keys = tiles3dMaker.foresee(gml, partContext('').options, content, gml.package);
    for (const key of keys) foreseen.add(outputSuffix(key));
  }
  assert.deepEqual([...foreseen].sort(), [...packages.keys()].sort());
});

describe('published data', { skip: !existsSync(`${DATA}conversion`) }, () => {
  for (const [name, expected] of Object.entries(CASES)) {
    test(name, async () => {
      const [zip] = globSync(`${DATA}conversion/${name}/*.zip`);
      const sources = await gmlSources(zip!);
      const { packages, keys } = await convertGml(sources);
      const counts: Record<string, number> = {};
      // Packages of one level share the features by class.
      const idsOf = new Map<number, Set<unknown>>();
      for (const [suffix, files] of packages) {
        const tiles = await checkPackage(files);
        const features = finestFeatures(tiles);
        counts[suffix] = features.length;
        const { lod } = keys.get(suffix)!;
        const ids = features.map(({ row }) => row.gml_id);
        idsOf.set(lod!, new Set([...(idsOf.get(lod!) ?? []), ...ids]));
        await comparePublished(name, suffix, features);
        await compare(sources, lod!, features);
      }
      for (const [lod, ids] of idsOf) assert.deepEqual([...ids].sort(), await idsWithBody(sources, lod));
      for (const [suffix, count] of Object.entries(expected)) assert.equal(counts[suffix], count, suffix);
      const foreseen = new Set<string>();
      for (const gml of sources) {
        const content = await lookInto(gml.text(), () => {});
        const { options } = partContext('');
        for (const key of tiles3dMaker.foresee(gml, options, content, gml.package))
          foreseen.add(outputSuffix(key));
      }
      // Whether a level has textures is not looked at.
      const levels = (suffixes: Iterable<string>) =>
        new Set(Array.from(suffixes, (suffix) => suffix.replace('_no_texture', '')));
      assert.deepEqual(levels(foreseen), levels(packages.keys()));
    });
  }
});

/**
 * Compares features with those of the published tiles of the same name, where there are any: the same ids with the same
 * surfaces. Published heights and positions are compared with the files by `compare`, whose geoid they share.
 */
async function comparePublished(
  name: string,
  suffix: string,
  features: readonly ReadFeature[],
): Promise<void> {
  const [zip] = globSync(`${DATA}conversion/${name}/published/*_op_${suffix}.zip`);
  // A row of the tunnel's LOD 4 is a surface there.
  if (zip === undefined || suffix === 'tun_3dtiles_lod4') return;
  const leaves = (await readTiles(await unzip(zip, /./))).filter((tile) => tile.isLeaf);
  const published = new Map(
    leaves.flatMap((leaf) => leaf.features).map(({ row, area }) => [row.gml_id, area]),
  );
  assert.deepEqual(features.map(({ row }) => row.gml_id).sort(), [...published.keys()].sort());
  for (const { row, area } of features) {
    const expected = published.get(row.gml_id)!;
    // Published vertices are off their places by the size of their tiles: 20 cm for buildings, metres for a river.
    const allowed = 0.03 * expected + 0.2 * Math.sqrt(expected);
    assert.ok(
      Math.abs(area - expected) < allowed,
      `${suffix} ${row.gml_id}: ${area} m², published ${expected}`,
    );
  }
}

/** Ids of the features of files that have surfaces up to a level of detail, sorted. */
async function idsWithBody(sources: readonly GmlSource[], lod: number): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (const gml of sources) {
    for await (const item of readGml(gml, partContext(''))) {
      if (item.kind !== 'feature') continue;
      const bodies = geometriesOf(item.element, item.defaults).filter(
        (one) => one.role === 'body' && (one.lod ?? 0) >= 1 && one.lod! <= lod && surfacesOf(one).length > 0,
      );
      if (bodies.length > 0) ids.push(gmlIdOf(item.element));
    }
  }
  return ids.sort();
}

/**
 * Compares features of tiles with those of the files: each once, every vertex where the file has one, attributes as
 * operation 11 gives them.
 */
async function compare(
  sources: readonly GmlSource[],
  lod: number,
  features: ReadonlyArray<{ row: Record<string, unknown>; vertices: Array<[number, number, number]> }>,
): Promise<void> {
  const byId = new Map(features.map((feature) => [feature.row.gml_id, feature]));
  assert.equal(byId.size, features.length, 'an id is there twice');
  let compared = 0;
  for (const gml of sources) {
    const labels = new GmlCodeLabels(gml);
    for await (const item of readGml(gml, {
      signal: new AbortController().signal,
      onText() {},
      issue() {},
    })) {
      if (item.kind !== 'feature') continue;
      const geometries = geometriesOf(item.element, item.defaults);
      const feature = byId.get(gmlIdOf(item.element));
      if (feature === undefined) continue;
      compared++;
      const bodies = geometries.filter(
        (one) => one.role === 'body' && (one.lod ?? -1) >= 1 && one.lod! <= lod,
      );
      const best = Math.max(...bodies.map((one) => one.lod!));
      const positions: Array<[number, number, number]> = [];
      for (const geometry of bodies.filter((one) => one.lod === best)) {
        for (const { rings } of surfacesOf(geometry)) {
          for (const ring of rings) {
            for (let i = 0; i < ring.length; i += 3) {
              const [lng, lat, height] = ring.subarray(i, i + 3) as unknown as [number, number, number];
              const lift = item.element.name === 'frn:CityFurniture' ? 0.003 : 0;
              positions.push([lng, lat, height + lift + geoidOffset(lng, lat)]);
            }
          }
        }
      }
      const farthest = farthestFrom(positions, feature.vertices);
      assert.ok(farthest <= (best <= 2 ? 0.015 : 0.005), `${feature.row.gml_id}: ${farthest} m`);
      const extent = extentOf(standingGeometry(geometries));
      const attributes = attributesOf(item.element, { labels: await labels.of(item.element), extent });
      assert.equal(feature.row.attributes, JSON.stringify(attributes));
    }
  }
  assert.equal(compared, features.length);
}
