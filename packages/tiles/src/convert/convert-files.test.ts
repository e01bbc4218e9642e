import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { convertFiles } from './convert-files.ts';
import type { GmlSource, PartMaker } from './part-maker.ts';
import { tiles3dMaker } from './tiles3d/maker.ts';
import { box, building, FIXTURE_PATH, fixture, solid } from './tiles3d/testing/fixture-gml.ts';
import { vectorMaker } from './vector/maker.ts';

const OTHER_PATH = 'udx/bldg/53394526_bldg_6697_op.gml';
const SOURCE = { name: '13101_a', cityCode: '13101', cityName: '千代田区', wards: [], year: 2023 };
let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'citymodel-files-'));
  const members = [building('bldg_1', solid(1, box([10, 10, 3], [8, 9, 12])))];
  for (const path of [FIXTURE_PATH, OTHER_PATH]) {
    await mkdir(dirname(join(root, 'city', path)), { recursive: true });
    await writeFile(join(root, 'city', path), await buffer(fixture(members).text()));
  }
  await writeFile(join(root, 'beside.txt'), 'beside the package');
  await writeFile(join(root, 'city', 'inside.txt'), 'inside');
});

after(() => rm(root, { recursive: true, force: true }));

const convert = (maker: PartMaker, target: string, files = [FIXTURE_PATH, OTHER_PATH], options = {}) =>
  convertFiles(maker, {
    directory: join(root, 'city'),
    files,
    target: join(root, target),
    package: SOURCE,
    options,
  });

test('the same files in another order make the same bytes, and every feature is accounted for', async () => {
  const first = await convert(tiles3dMaker, 'first');
  const second = await convert(tiles3dMaker, 'second', [OTHER_PATH, FIXTURE_PATH]);
  assert.deepEqual(await readdir(join(root, 'first')), ['13101_a_bldg_3dtiles_lod1.zip']);
  assert.deepEqual(await readFile(first.packages[0]!.path), await readFile(second.packages[0]!.path));
  assert.deepEqual(
    first.accounts.map(({ features }) => features),
    [1, 1],
  );
  assert.deepEqual(first.issues, []);
});

test('vector tiles become one PMTiles file where that is wanted', async () => {
  const { packages } = await convert(vectorMaker, 'vector', [FIXTURE_PATH], { pmtiles: true });
  assert.equal(packages.length, 1);
  const bytes = await readFile(packages[0]!.path);
  assert.equal(bytes.toString('latin1', 0, 7), 'PMTiles');
  assert.equal(bytes.length, packages[0]!.bytes);
});

test('a reference finds files of the package that are small enough, and none outside of it', async () => {
  let seen: unknown[] = [];
  const maker: PartMaker = {
    ...tiles3dMaker,
    async makePart(gml: GmlSource) {
      const texts = ['inside.txt', '../beside.txt', join(root, 'beside.txt'), 'none', 'udx'].map(
        async (path) => (await gml.member(path, 10))?.toString() ?? null,
      );
      seen = await Promise.all(texts);
      seen.push(await gml.member('inside.txt', 5), gml.textOf('../beside.txt'));
      seen.push((await buffer(gml.textOf('inside.txt')!)).toString());
      return [];
    },
  };
  const { packages } = await convert(maker, 'nothing', [FIXTURE_PATH]);
  assert.deepEqual(packages, []);
  assert.deepEqual(seen, ['inside', null, null, null, null, null, null, 'inside']);
});

test('a package that cannot be joined leaves no file, and the reason is thrown', async () => {
  const refuse = async () => {
    throw new Error('no room');
  };
  await assert.rejects(convert({ ...tiles3dMaker, join: refuse }, 'failed'), /no room/);
  assert.deepEqual(await readdir(join(root, 'failed')), []);
});
