import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '@citymodel/base';
import { type GmlSummary, parseGmlName } from '@citymodel/citygml';
import { builtInAreaNames } from '../catalogue/names/area-reading.ts';
import { GmlScanResult } from './gml-scan-result.ts';

const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';
const EXTENT = { west: 139.7, south: 35.6, east: 139.701, north: 35.601, minAlt: 1, maxAlt: 9 };

function summaryOf(changes: Partial<GmlSummary> = {}): GmlSummary {
  return {
    ...{ size: 100, features: 2, featuresWithoutId: 0, lods: [0, 2, 1, 0, 0], extent: EXTENT },
    ...{ crs: ['EPSG:6697', 'EPSG:6668'], elements: [], citygmlVersion: '2.0', iurVersions: ['3.1'] },
    references: { codeSpaces: [], images: [], hrefs: [], schemas: [] },
    ...{ areaCodes: ['13101'], places: [], wellFormed: true },
    ...changes,
  } as GmlSummary;
}

/** Adds files, and gives what is known afterwards. */
function scanned(...files: Array<[path: string, changes: Partial<GmlSummary>]>): {
  result: GmlScanResult;
  issues: Issue[];
  rows: Array<Record<string, unknown>>;
  codes: string[];
} {
  const issues: Issue[] = [];
  const members = new Map(
    ['codelists/a.xml', 'udx/bldg/b.jpg', 'udx/bldg/53394525_bldg_6697_op.gml'].map((path) => [
      path.toLowerCase(),
      path,
    ]),
  );
  const result = new GmlScanResult(
    {
      has: (path) => members.get(path.toLowerCase()) === path,
      findLoosely: (path) => members.get(path.toLowerCase()),
    },
    (issue) => issues.push(issue),
  );
  for (const [path, changes] of files)
    result.add(path, parseGmlName(path), summaryOf(changes), 'ab'.repeat(32));
  return {
    result,
    issues,
    rows: [...result.files] as unknown as Array<Record<string, unknown>>,
    codes: issues.map(({ code, severity, member }) => `${severity} ${code} ${member}`),
  };
}

test('a file becomes a row with what its name and its content say', () => {
  const { result, codes, rows } = scanned([PATH, {}]);
  assert.deepEqual(codes, []);
  const { west, south, east, north } = EXTENT;
  assert.deepEqual(rows, [
    {
      ...{ path: PATH, type: 'bldg', mesh: '53394525', meshGuessed: false, size: 100, features: 2 },
      ...{ lods: [0, 2, 1, 0, 0], maxLod: 2, sha256: 'ab'.repeat(32), bounds: { west, south, east, north } },
      ...{ minAlt: 1, maxAlt: 9, crs: 'EPSG:6697', areaCodes: ['13101'], wellFormed: true },
    },
  ]);
  assert.deepEqual([result.features, [...result.types], [...result.iurVersions]], [2, ['bldg'], ['3.1']]);
  assert.deepEqual(result.bounds, { west, south, east, north });
});

test('sums are those of all files', () => {
  const other = 'udx/tran/53394526_tran_6697_op.gml';
  const { result, rows } = scanned(
    [PATH, {}],
    [other, { features: 5, iurVersions: ['3.0'], extent: { ...EXTENT, east: 139.8 }, lods: [0, 0, 0, 0, 0] }],
  );
  assert.deepEqual(
    [result.features, [...result.types], [...result.iurVersions]],
    [7, ['bldg', 'tran'], ['3.1', '3.0']],
  );
  assert.deepEqual([result.bounds!.west, result.bounds!.east], [139.7, 139.8]);
  assert.equal(rows[1]!.maxLod, 0);
});

test('a name that does not follow the rule is told; its mesh is that of its extent', () => {
  const { codes, issues, rows } = scanned(['udx/bldg/tower.gml', {}]);
  assert.deepEqual(codes, ['info ODD_NAME udx/bldg/tower.gml', 'info MESH_GUESSED udx/bldg/tower.gml']);
  const { mesh, meshGuessed } = rows[0]!;
  assert.match(String(mesh), /^5339\d{4}$/);
  assert.equal(meshGuessed, true);
  assert.equal(issues[1]!.message, `Its name has no mesh code; its extent gives ${mesh}.`);
});

test('a file that nothing places is an error and no row; its name alone is enough', () => {
  const none = scanned(['udx/bldg/tower.gml', { extent: null }]);
  assert.deepEqual(none.codes.at(-1), 'error NO_POSITION udx/bldg/tower.gml');
  assert.deepEqual([none.rows, none.result.features, none.result.bounds], [[], 2, null]);
  const named = scanned([PATH, { extent: null, crs: [] }]);
  assert.deepEqual(named.codes, []);
  const { mesh, bounds, minAlt, maxAlt, crs } = named.rows[0]!;
  assert.deepEqual([mesh, bounds, minAlt, maxAlt, crs], ['53394525', null, null, null, null]);
});

test('abroad there are no meshes, and numbers in names are none', () => {
  const away = { ...EXTENT, west: 2.3, south: 48.8, east: 2.4, north: 48.9 };
  const { codes, rows } = scanned(['udx/bldg/53394525.gml', { extent: away }]);
  assert.deepEqual(codes, [
    'info ODD_NAME udx/bldg/53394525.gml',
    'info OUTSIDE_MESHES udx/bldg/53394525.gml',
  ]);
  assert.deepEqual([rows[0]!.mesh, rows[0]!.meshGuessed], ['', false]);
});

test('references that lead nowhere, out of the package or by other letters are told', () => {
  const { codes, issues } = scanned([
    PATH,
    {
      references: {
        codeSpaces: ['../../codelists/a.xml', '../../codelists/none.xml'],
        images: ['none.jpg', 'B.jpg'],
        hrefs: ['none.gml', '../../../../../etc/passwd'],
        schemas: ['../../schemas/none.xsd'],
      },
    },
  ]);
  assert.deepEqual(
    codes.sort(),
    [
      `info REFERENCE_CASE ${PATH}`,
      `warning MISSING_CODE_LIST ${PATH}`,
      `warning MISSING_FILE ${PATH}`,
      `warning MISSING_SCHEMA ${PATH}`,
      `warning MISSING_TEXTURE ${PATH}`,
      `warning REFERENCE_ESCAPES ${PATH}`,
    ].sort(),
  );
  const messages = new Map(issues.map(({ code, message }) => [code, message]));
  assert.match(messages.get('REFERENCE_CASE')!, /refers to B\.jpg; the file is called udx\/bldg\/b\.jpg,/);
  assert.match(messages.get('REFERENCE_ESCAPES')!, /\.\.\/etc\/passwd, which leads out of the package\.$/);
  assert.match(messages.get('MISSING_TEXTURE')!, /refers to none\.jpg, which the package does not have\.$/);
});

test('places of one name are one, around all of them', () => {
  const at = (west: number) => ({ west, south: 35, east: west + 0.1, north: 35.1 });
  const place = (name: string, kind: 'town' | 'building', west: number) => ({ name, kind, bounds: at(west) });
  const { result } = scanned(
    [PATH, { places: [place('東京駅', 'building', 139), place('東京駅', 'building', 139.5)] }],
    [PATH, { places: [place('東京駅', 'building', 138), place('丸の内一丁目', 'town', 139)] }],
  );
  const places = result.places(builtInAreaNames());
  const station = places.find(({ kind }) => kind === 'building')!;
  assert.deepEqual([station.bounds.west, station.bounds.east], [138, 139.6]);
  const towns = places.filter(({ kind }) => kind === 'town').map(({ name }) => name);
  assert.deepEqual(towns, ['丸ノ内1丁目', '丸ノ内'], 'a district goes by its own name, too');
  assert.equal(places.length, 1 + towns.length);
});
