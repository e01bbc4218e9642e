import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Ingesting, openIngesting, writeFiles } from '../ingest/testing/ingesting.ts';
import { PackageRefused } from '../ingest/upload.ts';
import { gmlFilesOf, gmlSourceOf, openSource, type SourceAddress } from './package-source.ts';
import { gml, PACKAGE } from './testing/small-package.ts';

const PATHS = ['udx/tran/52385500_tran_6697_op.gml', 'udx/luse/52385501_luse_6697_op.gml'] as const;
const FILES = {
  [PATHS[0]]: gml('tran', '52385500', 1, 'a'),
  [PATHS[1]]: gml('luse', '52385501', 1, 'a'),
  'codelists/Some_list.xml': '<list/>',
};

const upload = (
  path: string,
  more: Partial<Extract<SourceAddress, { kind: 'upload' }>> = {},
): SourceAddress => ({
  ...{ kind: 'upload', path, overrides: {} },
  ...more,
});

const refused = (code: string) => (error: unknown) => error instanceof PackageRefused && error.code === code;

async function hostedRow(at: Ingesting, path: string) {
  const [report] = await at.ingest(path);
  return (await at.stores.catalogue.findPackages({ id: report!.package!.id! }))[0]!;
}

test('a package is read the same from its upload and from its archive', async () => {
  await using at = await openIngesting();
  const path = await writeFiles(join(at.directory, PACKAGE), FILES);
  const row = await hostedRow(at, path);
  await using uploaded = await openSource(upload(path), null);
  await using hosted = await openSource({ kind: 'hosted', row }, at.stores.objects);
  for (const source of [uploaded, hosted]) {
    assert.deepEqual(source.package, {
      ...{ name: PACKAGE, cityCode: '22203', cityName: '静岡県沼津市', wards: [], year: 2023 },
    });
    assert.deepEqual([source.provider, source.said], ['city', {}]);
    assert.deepEqual(
      [...source.members()].map(({ path: member }) => member).sort(),
      Object.keys(FILES).sort(),
    );
    assert.deepEqual(
      gmlFilesOf(source).map(({ path: member, type, mesh, size }) => [member, type, mesh, size]),
      [
        [PATHS[1], 'luse', '52385501', FILES[PATHS[1]].length],
        [PATHS[0], 'tran', '52385500', FILES[PATHS[0]].length],
      ],
    );
    const found = ['codelists/Some_list.xml', 'Codelists/some_LIST.xml', 'codelists/other.xml'].map(
      (member) => source.has(member),
    );
    assert.deepEqual(found, [true, true, false]);
    assert.equal(String(await source.member('codelists/some_list.xml', 7)), '<list/>');
    assert.equal(await source.member('codelists/Some_list.xml', 6), null);
    assert.equal(await source.member('none.xml', 100), null);
    assert.equal(String(await buffer(source.read(PATHS[0]))), FILES[PATHS[0]]);
    await assert.rejects(async () => buffer(source.read('none.gml')), RangeError);
    assert.equal(await source.stampOf('none.gml'), null);
  }
  for (const member of Object.keys(FILES))
    assert.equal(await uploaded.stampOf(member), await hosted.stampOf(member), member);
  assert.notEqual(await hosted.stampOf(PATHS[0]), await hosted.stampOf(PATHS[1]));
});

test('makers are told of every other member that they ask for', async () => {
  await using at = await openIngesting();
  await using source = await openSource(upload(await writeFiles(join(at.directory, PACKAGE), FILES)), null);
  const asked: string[] = [];
  const file = gmlSourceOf(source, gmlFilesOf(source)[0]!, (path) => asked.push(path));
  assert.equal(String(await buffer(file.text())), FILES[PATHS[1]]);
  assert.deepEqual(asked, []);
  assert.equal(String(await buffer(file.textOf!(PATHS[0])!)), FILES[PATHS[0]]);
  assert.equal(file.textOf!('none.gml'), null);
  assert.equal(await file.member('none.jpg', 1), null);
  assert.deepEqual(asked, [PATHS[0], 'none.gml', 'none.jpg']);
});

test('a package of no municipality is read where none is needed, under a name that files can have', async () => {
  await using at = await openIngesting();
  const path = await writeFiles(join(at.directory, 'Haus (1)'), FILES);
  await assert.rejects(openSource(upload(path), null), refused('UNKNOWN_NAME'));
  const of = async (overrides: object) => {
    await using source = await openSource(upload(path, { isNameless: true, overrides }), null);
    return source.package;
  };
  assert.deepEqual(await of({}), { name: 'Haus_1_', cityCode: '', cityName: '', wards: [], year: 1980 });
  assert.deepEqual(await of({ name: '家 1', code: '999', city: 'Köln' }), {
    ...{ name: '家_1', cityCode: '999', cityName: 'Köln', wards: [], year: 1980 },
  });
  await assert.rejects(of({ code: 'xx', year: 2020 }), refused('BAD_CODE'));
});

test('what is there not, or holds tiles, is no CityGML package', async () => {
  await using at = await openIngesting();
  await assert.rejects(openSource(upload(join(at.directory, 'none')), null), refused('NO_SUCH_FILE'));
  const tiles = await writeFiles(join(at.directory, `${PACKAGE}_bldg_3dtiles_lod1`), {
    'tileset.json': '{}',
  });
  await assert.rejects(openSource(upload(tiles), null), refused('NOT_CITYGML'));
  const row = {} as never;
  await assert.rejects(openSource({ kind: 'hosted', row }, null), /needs the store/);
});

test('a city has its wards, and those of its own code list that are called so', async () => {
  await using at = await openIngesting();
  const name = PACKAGE.replace('22203_numazu-shi', '22130_hamamatsu-shi');
  const row = await hostedRow(at, await writeFiles(join(at.directory, name), FILES));
  const areaNames = { 22130: '浜松市', 22190: '新北区', 22191: '新北町', 22290: '他区' };
  await using source = await openSource({ kind: 'hosted', row: { ...row, areaNames } }, at.stores.objects);
  const { wards } = source.package;
  assert.ok(wards.includes('22190'));
  assert.equal(wards.includes('22191') || wards.includes('22290') || wards.includes('22130'), false);
  assert.deepEqual(wards, wards.toSorted());
});
