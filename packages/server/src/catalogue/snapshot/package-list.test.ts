import assert from 'node:assert/strict';
import test from 'node:test';
import type { PackageRow } from '@citymodel/store';
import fc from 'fast-check';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { PackageList } from './package-list.ts';

const row = (no: number): PackageRow => ({ ...cityPackage(), no });

test('changed lists are what a map would be, and the list before stays', () => {
  const numbers = fc.integer({ min: 0, max: 30 });
  fc.assert(
    fc.property(
      fc.uniqueArray(numbers),
      fc.array(fc.array(fc.tuple(numbers, fc.boolean()))),
      (first, rounds) => {
        let list = PackageList.of(first.map(row));
        const map = new Map(list.all.map((row) => [row.no, row]));
        for (const round of rounds) {
          const changes = new Map(round.map(([no, stays]) => [no, stays ? row(no) : undefined]));
          const before = [...list.all];
          const next = list.with(changes);
          assert.deepEqual(list.all, before);
          for (const [no, changed] of changes) {
            if (changed === undefined) map.delete(no);
            else map.set(no, changed);
          }
          list = next;
          assert.deepEqual(
            list.all.map(({ no }) => no),
            [...map.keys()].sort((a, b) => a - b),
          );
          for (let no = -1; no <= 31; no++) assert.equal(list.get(no), map.get(no));
        }
      },
    ),
  );
});
