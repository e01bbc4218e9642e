import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archiveKeys } from '@citymodel/store';
import pino from 'pino';
import { cityPackage } from '../../catalogue/testing/snapshot-rows.ts';
import { tellUnchecked } from './tell-unchecked.ts';

test('packages whose indexes have no sums are counted in a warning, where there are any', () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const checked = cityPackage({ indexKey: archiveKeys('a').index });
  const old = cityPackage({ indexKey: 'archives/a.index' });
  tellUnchecked([], log);
  tellUnchecked([checked], log);
  assert.deepEqual(lines, []);
  tellUnchecked([old, checked, old], log);
  const [{ packages, level, msg }] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([packages, level], [2, 40]);
  assert.match(msg, /no sums of pages.*run citymodel reindex/);
});
