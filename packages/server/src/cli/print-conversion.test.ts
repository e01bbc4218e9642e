import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConvertReport } from '../convert/convert.ts';
import type { ConvertAndIngestReport } from '../convert/convert-and-ingest.ts';
import { accountText } from './print-account.ts';
import { printReport } from './print-conversion.ts';
import { catchOutput } from './testing/run-command.ts';

const PACKAGE = { name: 'p_mvt', features: 3, members: 4, bytes: 1_000, path: '/out/p_mvt.zip' };

function reportOf(changes: object): ConvertReport {
  const numbers = { parts: 2, reused: 1, bytes: 5_000, seconds: 1.5 };
  return { package: 'p', ...numbers, packages: [PACKAGE], issues: [], account: null, ...changes } as never;
}

const printed = async (report: ConvertReport | ConvertAndIngestReport) =>
  (await catchOutput({}, async () => printReport(report))).out.trimEnd().split('\n');

test('a package of tiles is shown with what became of it', async () => {
  assert.deepEqual(await printed(reportOf({})), [
    '✓ p  2 parts, 1 of them from an earlier run; 5.00 kB of CityGML in 1.5 s',
    'package of tiles  features  files    bytes',
    'p_mvt                    3      4  1.00 kB',
  ]);
  const outcome = async (...ingested: object[]) =>
    (await printed(reportOf({ ingested }) as ConvertAndIngestReport)).at(-1)!.split(/ {2,}/).at(-1);
  const published = { outcome: 'published', refusal: null };
  assert.equal(await outcome({ ...published, package: { name: 'p_mvt' }, upload: '/x' }), 'published');
  assert.equal(await outcome({ ...published, package: null, upload: '/out/p_mvt.zip' }), 'published');
  assert.equal(await outcome({ ...published, package: { name: 'q' }, upload: '/out/q.zip' }), '1.00 kB');
  const refused = {
    package: null,
    upload: '/out/p_mvt.zip',
    outcome: 'refused',
    refusal: { code: 'X', reason: 'no' },
  };
  assert.equal(await outcome(refused), 'no');
});

test('a package that was not replaced has neither files nor bytes', async () => {
  const lines = await printed(reportOf({ packages: [{ ...PACKAGE, path: null }] }));
  assert.deepEqual(lines.at(-1)!.split(/ {2,}/), ['p_mvt', '3', 'not replaced: other tiles are live']);
});

test('an account leaves out what was not there, and says where something is missing', () => {
  const tally = (into: number, out: number, rest: Record<string, number> = {}) => ({ in: into, out, rest });
  const account = {
    files: tally(2_000, 1_998, { BROKEN: 2 }),
    features: [{ type: 'bldg', lod: null, ...tally(5, 5) }],
    surfaces: [{ type: 'bldg', lod: 2, ...tally(7, 6, { FLAT: 1 }), areaIn: 1_234.5, areaOut: 1_233.4 }],
    images: tally(0, 0),
    attributes: [
      { output: 'mvt', ...tally(3, 2, { LONG: 1 }) },
      { output: 'mvt', ...tally(4, 2, { LONG: 1, ODD: 1 }) },
      { output: '3dtiles', ...tally(9, 9) },
    ],
    cells: [{ output: 'mvt', ...tally(1, 1) }],
    packages: tally(1, 1),
    complete: false,
  };
  const rows = accountText(account as never)
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows, [
    ['what', 'in', 'out', 'the rest'],
    ['GML files', '2,000', '1,998', '2 BROKEN'],
    ['bldg, features', '5', '5'],
    ['bldg LOD 2, surfaces', '7', '6', '1 FLAT'],
    ['bldg LOD 2, m²', '1,235', '1,233'],
    ['values of attributes, mvt', '7', '4', '2 LONG, 1 ODD'],
    ['cells of rows, mvt', '1', '1'],
    ['packages of tiles', '1', '1'],
    ['', 'NOT complete: see UNACCOUNTED'],
  ]);
});
