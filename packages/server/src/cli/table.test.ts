import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversionAccount } from '../convert/conversion-account.ts';
import { accountText } from './print-account.ts';
import { renderTable } from './table.ts';

test('aligns columns by the places that characters take on a terminal', () => {
  // Wide, full width, half width, and an accent that combines with the letter before it.
  const names = ['青凪市', 'ＡＢ', 'ｱﾒﾀﾞ', 'e\u0301a'];
  const table = renderTable(
    [{ title: 'name' }, { title: 'files', align: 'right' }],
    names.map((name, i) => [name, String(10 ** i)]),
  );
  assert.deepEqual(table.split('\n'), [
    'name    files',
    '青凪市      1',
    'ＡＢ       10',
    'ｱﾒﾀﾞ      100',
    'e\u0301a       1000',
  ]);
});

test('an account has a row for all that went in, with what did not come out by its issue', () => {
  const tally = (into: number, out: number, rest: Record<string, number> = {}) => ({ in: into, out, rest });
  const account: ConversionAccount = {
    complete: true,
    files: tally(1_200, 1_199, { UNREADABLE: 1 }),
    packages: tally(2, 2),
    features: [
      { type: 'bldg:Building', lod: 1, ...tally(30, 30) },
      { type: 'bldg:Building', lod: null, ...tally(4, 0, { NO_GEOMETRY: 4 }) },
    ],
    surfaces: [],
    images: tally(0, 0),
    attributes: [],
    cells: [],
  };
  assert.deepEqual(accountText(account).split('\n'), [
    'what                              in    out  the rest',
    'GML files                      1,200  1,199  1 UNREADABLE',
    'bldg:Building LOD 1, features     30     30',
    'bldg:Building, features            4      0  4 NO_GEOMETRY',
    'packages of tiles                  2      2',
    '  complete: what went in came out, or an issue names it',
  ]);
  assert.match(accountText({ ...account, complete: false }), /NOT complete: see UNACCOUNTED$/);
});
