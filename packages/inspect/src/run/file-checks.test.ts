import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concerned, PlaceBudget } from './file-checks.ts';

test('so many places of each check are kept', () => {
  const budget = new PlaceBudget(2);
  assert.deepEqual(
    ['a', 'a', 'a', 'b', 'a', 'b', 'b'].map((code) => budget.take(code)),
    [true, true, false, true, false, true, false],
  );
  assert.equal(new PlaceBudget(0).take('a'), false);
});

test('checks look at the folders and specifications that they name, or at all', () => {
  const checkOf = (code: string, specs: number[], folders: string[] | null) => ({ code, specs, folders });
  const checks = [
    checkOf('all', [4, 6], null),
    checkOf('buildings', [4, 6], ['bldg', 'ubld']),
    checkOf('old', [4], null),
    checkOf('newRoads', [6], ['tran']),
  ];
  const codes = (folder: string, spec: number) =>
    concerned(checks as never, folder, { spec } as never).map((check) => (check as { code: string }).code);
  assert.deepEqual(codes('bldg', 4), ['all', 'buildings', 'old']);
  assert.deepEqual(codes('tran', 6), ['all', 'newRoads']);
  assert.deepEqual(codes('veg', 6), ['all']);
});
