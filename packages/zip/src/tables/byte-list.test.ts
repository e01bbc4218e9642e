import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyText } from '@citymodel/base/testing';
import fc from 'fast-check';
import { ByteList } from './byte-list.ts';
import { Column } from './column.ts';
import { NameSet } from './name-set.ts';

const names = fc.array(anyText({ maxLength: 40 }), { maxLength: 60 });

test('a byte list is a list of byte strings, whatever room there was at first', () => {
  fc.assert(
    fc.property(names, fc.nat(3), fc.nat(40), (pushed, count, bytes) => {
      const list = new ByteList(count, bytes);
      for (const [i, name] of pushed.entries()) {
        assert.equal(list.count, i);
        list.push(Buffer.from(name));
      }
      assert.equal(list.byteLength, Buffer.byteLength(pushed.join('')));
      for (const [i, name] of pushed.entries()) {
        const own = Buffer.from(name);
        assert.deepEqual([list.text(i), list.length(i)], [own.toString(), own.length]);
        assert.deepEqual(list.at(i), own);
        for (const [j, other] of pushed.entries()) {
          assert.equal(list.compare(i, j), own.compare(Buffer.from(other)));
          assert.equal(list.equals(i, Buffer.from(other)), own.equals(Buffer.from(other)));
        }
      }
    }),
  );
});

test('a list that gave its memory back has nothing', () => {
  const list = new ByteList();
  list.push(Buffer.from('a'));
  list.release();
  assert.deepEqual([list.count, list.byteLength], [0, 0]);
});

test('a column is a list of numbers, pushed one by one or together', () => {
  const steps = fc.array(fc.oneof(fc.nat(), fc.array(fc.nat(), { maxLength: 40 })), { maxLength: 20 });
  fc.assert(
    fc.property(steps, fc.nat(50), (pushed, expected) => {
      const column = new Column((length) => new Float64Array(length), expected);
      for (const step of pushed) {
        if (typeof step === 'number') column.push(step);
        else column.append(step);
      }
      const all = pushed.flat();
      assert.equal(column.count, all.length);
      assert.deepEqual(Array.from(column.slice(0, column.count)), all);
      assert.deepEqual(
        all.map((_, i) => column.at(i)),
        all,
      );
      const [from, to] = [all.length >> 2, all.length >> 1];
      assert.deepEqual(Array.from(column.slice(from, to)), all.slice(from, to));
      column.release();
      assert.equal(column.count, 0);
    }),
  );
});

test('a name set keeps the first number of each name, however many grow it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 300 }), fc.nat(20), (added, expected) => {
      const set = new NameSet(expected);
      const first = new Map<string, number>();
      const same = (name: string) => (other: number) => `name ${added[other]}` === name;
      for (const [i, value] of added.entries()) {
        const name = `name ${value}`;
        assert.equal(set.find(Buffer.from(name), same(name)), first.get(name) ?? -1);
        assert.equal(set.add(Buffer.from(name), i, same(name)), first.get(name) ?? -1);
        if (!first.has(name)) first.set(name, i);
      }
      for (const [name, number] of first) assert.equal(set.find(Buffer.from(name), same(name)), number);
      assert.equal(set.find(Buffer.from('another'), same('another')), -1);
    }),
  );
});
