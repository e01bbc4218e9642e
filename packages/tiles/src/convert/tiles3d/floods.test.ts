import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { geometriesOf, surfacesOf } from '@citymodel/citygml';
import { DATA, unzip } from '@citymodel/citygml/testing';
import { readGml } from '../read/features.ts';
import { gmlSources, partContext } from '../read/testing/gml-source.ts';
import { depthColour } from './depth-colours.ts';
import type { PartData } from './join-tilesets.ts';
import { tiles3dMaker } from './maker.ts';
import { checkPackage, farthestFrom, finestFeatures } from './testing/check-package.ts';
import { convertGml, geoidOffset, type PackageFilesInMemory } from './testing/convert-gml.ts';
import { fixture, polygon } from './testing/fixture-gml.ts';
import { type ReadFeature, readTiles } from './testing/read-tiles.ts';

const path = 'udx/fld/natl/ogawa/53394525_fld_6697_l1_op.gml';
const SUFFIX = 'fld_natl_ogawa_3dtiles_l1_no_texture';
const FILES = {
  'codelists/rank.xml': Buffer.from(
    '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition>' +
      '<gml:description>0.5m以上3m未満</gml:description><gml:name>2</gml:name></gml:Definition></gml:dictionaryEntry>' +
      '<gml:dictionaryEntry><gml:Definition><gml:description>20m以上</gml:description><gml:name>6</gml:name>' +
      '</gml:Definition></gml:dictionaryEntry></gml:Dictionary>',
  ),
};

/** Squares of a metre from (x, y) on. */
const squares = (x: number, y: number, count: number, comment = '') =>
  Array.from({ length: count }, (_, i) => {
    const [west, south] = [x + (i % 100), y + Math.floor(i / 100)];
    return polygon([
      [
        [west, south, 5],
        [west + 1, south, 5],
        [west + 1, south + 1, 5],
        [west, south + 1, 5],
      ],
    ]).replace('<gml:Polygon>', `<gml:Polygon>${comment}`);
  }).join('');

const water = (id: string, rank: number, geometry: string) =>
  `<core:cityObjectMember><wtr:WaterBody gml:id="${id}"><wtr:lod1MultiSurface><gml:MultiSurface>${geometry}` +
  `</gml:MultiSurface></wtr:lod1MultiSurface><uro:floodingRiskAttribute><uro:RiverFloodingRiskAttribute>` +
  `<uro:rank codeSpace="../../../../codelists/rank.xml">${rank}</uro:rank></uro:RiverFloodingRiskAttribute>` +
  `</uro:floodingRiskAttribute></wtr:WaterBody></core:cityObjectMember>`;

test('colours follow the least depth of a rank', () => {
  const shallow = depthColour('0.5m未満');
  assert.equal(depthColour('０．３ｍ以上０．５ｍ未満'), shallow);
  assert.notEqual(depthColour('0.5m以上3m未満'), shallow);
  assert.equal(depthColour('5m以上10m未満'), depthColour('5.0m以上'));
  assert.equal(shallow & 0xff, 179);
});

test('features of one rank are one row, in the colour of the depth', async () => {
  const { packages, issues } = await convertGml([
    fixture(
      [
        water('a', 2, squares(0, 0, 10)),
        water('b', 6, squares(200, 0, 5)),
        water('c', 2, squares(400, 0, 10)),
      ],
      {
        path,
        files: FILES,
      },
    ),
  ]);
  assert.deepEqual(issues, []);
  assert.deepEqual([...packages.keys()], [SUFFIX]);
  const tiles = await checkPackage(packages.get(SUFFIX)!);
  const rows = finestFeatures(tiles).map(({ row, area }) => [
    row['uro:rank'],
    row['uro:rank_code'],
    row.gml_id,
    Math.round(area),
  ]);
  assert.deepEqual(rows, [
    ['0.5m以上3m未満', 2, undefined, 20],
    ['20m以上', 6, undefined, 5],
  ]);
  const { json } = tiles.find((tile) => tile.json !== null)!;
  assert.equal(json.materials[0].alphaMode, 'BLEND');
});

test('a large surface is cut into tiles, each polygon in one of them', async () => {
  const { packages } = await convertGml([
    fixture([water('a', 2, squares(0, 0, 25_000))], { path, files: FILES }),
  ]);
  const tiles = await checkPackage(packages.get(SUFFIX)!);
  const features = finestFeatures(tiles);
  assert.ok(features.length >= 4, `${features.length} rows`);
  const area = features.reduce((sum, feature) => sum + feature.area, 0);
  assert.ok(Math.abs(area / 25_000 - 1) < 0.02, `${area} m²`);
  // Above them is all of it, of fewer triangles.
  const above = tiles.filter(({ isLeaf, features: rows }) => !isLeaf && rows.length > 0);
  assert.equal(above.length, 1);
  assert.ok(above[0]!.geometricError >= 4);
  assert.ok(Math.abs(above[0]!.features[0]!.area / 25_000 - 1) < 0.02);
  assert.ok(above[0]!.features[0]!.vertices.length < 25_000);
});

test('a part counts the finest tiles of its depths, and lacks nothing where one tile has all', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'floods-'));
  try {
    const source = fixture([water('a', 2, squares(0, 0, 10))], { path, files: FILES });
    const outputs = await tiles3dMaker.makePart(source, directory, partContext(directory));
    assert.deepEqual(
      outputs.map(({ features, data }) => [features, (data as PartData).geometricError]),
      [[1, 0]],
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the floods of all files of a second mesh are seen in one tile from afar', async () => {
  const second = path.replace('53394525', '53394526');
  const { packages } = await convertGml([
    fixture([water('a', 2, squares(0, 0, 5_000)), water('b', 6, squares(0, 100, 500))], {
      path,
      files: FILES,
    }),
    fixture([water('c', 2, squares(100, 0, 5_000))], { path: second, files: FILES }),
  ]);
  const tiles = await checkPackage(packages.get(SUFFIX)!);
  const overview = tiles.find((tile) => tile.path === 'overview/533945_replace/0.glb')!;
  assert.deepEqual(
    overview.features.map(({ row, area }) => [row['uro:rank_code'], Math.round(area / 100)]),
    [
      [2, 50],
      [2, 50],
      [6, 5],
    ],
  );
  const area = finestFeatures(tiles).reduce((sum, feature) => sum + feature.area, 0);
  assert.ok(Math.abs(area / 10_500 - 1) < 0.02, `${area} m²`);
});

test('a feature that is too large for a tree is read polygon by polygon', async () => {
  const comment = `<gml:description>${'x'.repeat(1_700)}</gml:description>`;
  const { packages, issues } = await convertGml([
    fixture([water('a', 2, squares(0, 0, 10_000, comment)), water('b', 6, squares(200, 200, 5))], {
      path,
      files: FILES,
    }),
  ]);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['FEATURE_LARGE'],
  );
  const rows = finestFeatures(await checkPackage(packages.get(SUFFIX)!));
  assert.deepEqual(
    rows.map(({ row, area }) => [row['uro:rank_code'], Math.round(area / 200)]),
    [
      [2, 50],
      [6, 0],
    ],
  );
});

test('depths of a real river are those of the file, and have the areas that were published', {
  skip: !existsSync(`${DATA}conversion`),
}, async () => {
  const [zip] = globSync(`${DATA}conversion/05-fld-fld/*.zip`);
  const sources = await gmlSources(zip!);
  const { packages, issues } = await convertGml(sources);
  assert.deepEqual(issues, []);
  const [[suffix, files]] = [...packages] as [[string, PackageFilesInMemory]];
  const features = finestFeatures(await checkPackage(files));
  const positions: Array<[number, number, number]> = [];
  for await (const item of readGml(sources[0]!, partContext(''))) {
    if (item.kind !== 'feature') continue;
    for (const { rings } of geometriesOf(item.element, item.defaults).flatMap(surfacesOf)) {
      for (const ring of rings) {
        for (let i = 0; i < ring.length; i += 3) {
          const [lng, lat, height] = ring.subarray(i, i + 3) as unknown as [number, number, number];
          positions.push([lng, lat, height + geoidOffset(lng, lat)]);
        }
      }
    }
  }
  for (const { vertices } of features) assert.ok(farthestFrom(positions, vertices) <= 0.015);
  const [published] = globSync(`${DATA}conversion/05-fld-fld/published/*_${suffix}.zip`);
  const leaves = (await readTiles(await unzip(published!, /./))).filter(({ isLeaf }) => isLeaf);
  const [ours, theirs] = [features, leaves.flatMap((leaf) => leaf.features)].map(areasByRank);
  assert.deepEqual([...ours!.keys()].sort(), [...theirs!.keys()].sort());
  for (const [rank, area] of theirs!) assert.ok(Math.abs(ours!.get(rank)! / area - 1) < 0.001, String(rank));
});

function areasByRank(features: readonly ReadFeature[]): Map<unknown, number> {
  const areas = new Map<unknown, number>();
  for (const { row, area } of features) {
    const rank = row['uro:rank'];
    areas.set(rank, (areas.get(rank) ?? 0) + area);
  }
  return areas;
}
