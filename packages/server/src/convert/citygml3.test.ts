/** Real data in CityGML 3.0: wards by the city that buildings state in hooks, and textures of associations. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { compareTexts } from '@citymodel/base';
import { version2Names } from '@citymodel/citygml';
import { DATA, unzip } from '@citymodel/citygml/testing';
import { checkPackage, contentOf, readForeignTile, readTiles } from '@citymodel/tiles/testing';
import { attributesIn } from './testing/attributes-in.ts';
import { convertZip } from './testing/convert-zip.ts';

const skip = existsSync(DATA) ? false : 'needs ../shared/data';
const root = mkdtempSync(join(tmpdir(), 'citymodel-citygml3-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('buildings in hooks of CityGML 3.0 come into the package of their ward, with the published ids', {
  skip,
}, async () => {
  const directory = `${DATA}conversion/v3-01-bldg-osaka-ward/`;
  const { packages, issues } = await convertZip(globSync(`${directory}*.zip`)[0]!, join(root, 'ward'));
  assert.deepEqual(issues, []);
  const name = '27100_osaka-shi_city_2024_citygml_1_op_bldg_3dtiles_27120_sumiyoshi-ku_lod1';
  const ours = packages.find((pkg) => pkg.name === name);
  assert.ok(ours !== undefined, packages.map((pkg) => pkg.name).join());
  const idsOf = async (path: string) => {
    const contents = await unzip(path, /\.glb$/);
    const tiles = await Promise.all([...contents].map(([content, bytes]) => readForeignTile(content, bytes)));
    const ids = tiles.flatMap(({ features }) => features.map(({ row }) => String(row.gml_id)));
    return [...new Set(ids)].sort();
  };
  const ids = await idsOf(ours.path!);
  assert.deepEqual(ids, await idsOf(globSync(`${directory}published/*_lod1.zip`)[0]!));
  assert.equal(ids.length, 63);
});

test('textures of associations are drawn, with a twin without them', { skip }, async () => {
  const source = `${DATA}conversion/v3-reader/53394517_bldg_6697_2_op/`;
  const target = join(root, '13101_chiyoda-ku_city_2023_citygml_1_op');
  cpSync(join(source, 'codelists'), join(target, 'codelists'), { recursive: true });
  const [gml] = globSync(`${source}udx/bldg/*.gml`);
  cpSync(gml!, join(target, 'udx/bldg', basename(gml!)));
  // The file names its images by the directory of an older delivery.
  const images = join(source, 'udx/bldg/53394517_bldg_6697_2_op_appearance');
  for (const image of readdirSync(images)) {
    cpSync(join(images, image), join(target, 'udx/bldg/53394517_bldg_6697_appearance', image));
  }
  const { packages, issues } = await convertZip(target, join(root, 'textures'));
  assert.deepEqual(issues, []);
  assert.deepEqual(
    packages.map(({ name, features }) => [name.replace(/^.*_op_/, ''), features]),
    [
      ['bldg_3dtiles_lod1', 1],
      ['bldg_3dtiles_lod2', 1],
      ['bldg_3dtiles_lod2_no_texture', 1],
      ['bldg_mvt_lod0', 1],
    ],
  );
  const textured = packages.find(({ name }) => name.endsWith('_lod2'))!;
  const tiles = await readTiles(await unzip(textured.path!, /./));
  assert.ok(tiles.some(({ json }) => (json?.images?.length ?? 0) > 0));
});

test('roads in CityGML 3.0 are the features that were published of the same roads in 2.0', {
  skip,
}, async () => {
  const source = globSync(`${DATA}conversion/v3-02-tran-multipolygon/*.zip`)[0]!;
  const { packages, issues, account } = await convertZip(source, join(root, 'roads'));
  assert.deepEqual(issues, []);
  assert.equal(account!.complete, true);
  for (const path of globSync(`${DATA}conversion/02-tran-multipolygon/published/*.zip`)) {
    const suffix = basename(path, '.zip').replace(/^.*_op_/, '');
    const ours = packages.find(({ name }) => name.endsWith(`_op_${suffix}`));
    assert.ok(ours !== undefined, `${suffix} is among ${packages.map(({ name }) => name)}`);
    const layersOf = async (zip: string) =>
      [...contentOf(await unzip(zip, /\.mvt$/), 16)].map(([layer, { features, areas }]) => {
        const area = [...areas.values()].reduce((sum, one) => sum + one, 0);
        return { layer, ids: [...features.keys()].sort(), area: Math.round(area / 10) };
      });
    const byName = (a: { layer: string }, b: { layer: string }) => compareTexts(a.layer, b.layer);
    assert.deepEqual((await layersOf(ours.path!)).sort(byName), (await layersOf(path)).sort(byName), suffix);
  }
});

test('tiles of real roads are the same to the byte in both versions, but for the names of the data', {
  skip,
}, async () => {
  const [two, three] = await Promise.all(
    ['02', 'v3-02'].map(async (form) => {
      const source = globSync(`${DATA}conversion/${form}-tran-multipolygon/*.zip`)[0]!;
      const work = { options: { slim: true } };
      const { packages } = await convertZip(source, join(root, `roads-${form}`), work);
      const files = packages.map(async ({ name, path }) => [name, await unzip(path!, /./)] as const);
      return new Map(await Promise.all(files));
    }),
  );
  assert.equal(two!.size, 2);
  assert.deepEqual(three, two);
});

test('attributes of real roads under the names of 2.0 are those of the same roads in 2.0', {
  skip,
}, async () => {
  const [two, three] = await Promise.all(
    ['02', 'v3-02'].map(async (form) => {
      const source = globSync(`${DATA}conversion/${form}-tran-multipolygon/*.zip`)[0]!;
      return attributesIn((await unzip(source, /udx\/.*\.gml$/)).values());
    }),
  );
  assert.equal(two!.size, 1);
  for (const [id, attributes] of two!) assert.deepEqual(version2Names(three!.get(id)!), attributes);
});

test('references between real files of CityGML 3.0 lead to what they name', { skip }, async () => {
  const target = join(root, '13101_chiyoda-ku_city_2025_citygml_1_op');
  cpSync(`${DATA}conversion/v3-reader/xlink/`, target, { recursive: true });
  const { packages, issues, account } = await convertZip(target, join(root, 'references'));
  assert.equal(account!.complete, true);
  // The template has degrees in place of metres. So it is too small to be drawn, in both files that use it.
  const tiny = issues.filter(({ code }) => code === 'POLYGON_TINY');
  assert.deepEqual(tiny.map(({ id }) => id).sort(), ['furniture1', 'furniture2']);
  assert.deepEqual([...new Set(issues.map(({ code }) => code))].sort(), ['AXES_TURNED', 'POLYGON_TINY']);
  assert.ok(packages.some(({ name }) => name.endsWith('_tran_mvt_lod2')));
});

test('the validator of glTF and the schemas of 3D Tiles find nothing in any of these tilesets', {
  skip,
}, async () => {
  const zips = globSync(join(root, '*/out/*_3dtiles_*.zip'));
  assert.ok(zips.length >= 6, `${zips.length} tilesets`);
  for (const zip of zips) assert.ok((await checkPackage(await unzip(zip, /./))).length > 0, zip);
});

/** A program that takes paths of tilesets; it ends with 0 when the official validator of 3D Tiles says nothing of them. */
const VALIDATOR = process.env.TILES_VALIDATOR ?? '';

test('the official validator says nothing of any of these tilesets', {
  skip: skip || (VALIDATOR === '' && 'TILES_VALIDATOR names no program'),
}, async () => {
  const tilesets: string[] = [];
  for (const zip of globSync(join(root, '*/out/*_3dtiles_*.zip'))) {
    const directory = zip.replace(/\.zip$/, '');
    for (const [path, bytes] of await unzip(zip, /./)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), bytes);
    }
    tilesets.push(join(directory, 'tileset.json'));
  }
  assert.ok(tilesets.length >= 4, `${tilesets.length} tilesets`);
  assert.ok(tilesets.every(existsSync), tilesets.join());
  const { status, stdout, stderr } = spawnSync(VALIDATOR, tilesets, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
