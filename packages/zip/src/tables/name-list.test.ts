import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteList } from './byte-list.ts';
import { NameList } from './name-list.ts';

const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'ab', '本', ''), { maxLength: 20 });

test('a name list is a list, whatever another list knows already', () => {
  fc.assert(
    fc.property(names, names, (before, pushed) => {
      const known = new ByteList();
      for (const name of before) known.push(Buffer.from(name));
      const list = new NameList(known, 1);
      for (const name of pushed) list.push(Buffer.from(name));
      assert.equal(list.count, pushed.length);
      assert.equal(list.byteLength, Buffer.byteLength(pushed.join('')));
      for (const [i, name] of pushed.entries()) {
        assert.equal(list.at(i).toString(), name);
        assert.ok(list.equals(i, Buffer.from(name)));
        for (const [j, other] of pushed.entries()) {
          assert.equal(list.compare(i, j), Buffer.from(name).compare(Buffer.from(other)));
        }
      }
    }),
  );
});

test('known names that come in order are not copied', () => {
  const known = new ByteList();
  for (const name of ['a', 'b/', 'b/c']) known.push(Buffer.from(name));
  const list = new NameList(known);
  list.push(Buffer.from('a'));
  list.push(Buffer.from('b/c'));
  assert.equal(list.at(0).buffer, known.at(0).buffer);
  assert.equal(list.at(1).buffer, known.at(2).buffer);
});
