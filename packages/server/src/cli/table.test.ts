import assert from 'node:assert/strict';
import { test } from 'node:test';
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
