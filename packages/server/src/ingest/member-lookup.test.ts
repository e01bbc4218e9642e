import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteList } from '@citymodel/zip';
import fc from 'fast-check';
import { MemberLookup } from './member-lookup.ts';

const name = fc
  .array(fc.constantFrom('r', 'R', 'udx', 'Udx', 'a.gml', 'A.gml', '本', ''), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'));

test('members are found as a map of their paths would find them', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name), fc.constantFrom('', 'r/'), fc.array(name), (names, root, wanted) => {
      const list = new ByteList();
      const exact = new Map<string, number>();
      const lowerCase = new Map<string, string>();
      for (const [i, member] of names.entries()) {
        list.push(Buffer.from(member));
        if (!member.startsWith(root) || member.endsWith('/')) continue;
        const path = member.slice(root.length);
        exact.set(path, i);
        lowerCase.set(path.toLowerCase(), path);
      }
      const lookup = new MemberLookup(list, root);
      for (const path of [...wanted, ...names, ...exact.keys()]) {
        assert.equal(lookup.find(path), exact.get(path) ?? -1);
        assert.equal(lookup.has(path), exact.has(path));
        assert.equal(lookup.findLoosely(path), lowerCase.get(path.toLowerCase()));
      }
    }),
  );
});
