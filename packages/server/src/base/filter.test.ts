import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Filter, Filters, keyOf } from './filter.ts';

const filter = fc
  .record({ name: fc.constantFrom('a', 'b', 'c'), value: fc.string({ maxLength: 3 }) })
  .map(
    ({ name, value }): Filter => ({ name, key: JSON.stringify([name, value]), words: `${name} ${value}` }),
  );

test('questions have one key exactly when they ask the same', () => {
  const question = fc.record({
    filters: fc.array(filter, { maxLength: 3 }),
    at: fc.option(fc.integer({ min: 0, max: 2 })),
    text: fc.constantFrom('', '"', ',', '[]'),
  });
  const asked = ({ filters }: { filters: Filter[] }) => filters.map(({ key }) => key).sort();
  fc.assert(
    fc.property(question, question, (a, b) => {
      const same = a.at === b.at && a.text === b.text && asked(a).join('\n') === asked(b).join('\n');
      const keys = [a, b].map(({ filters, ...rest }) =>
        keyOf('list', { ...rest, filters: new Filters(filters) }),
      );
      assert.equal(keys[0] === keys[1], same);
      assert.notEqual(keys[0], keyOf('other', { at: a.at, text: a.text, filters: new Filters(a.filters) }));
    }),
  );
});

test('what JSON says nothing of is no part of a question', () => {
  // @ts-expect-error all sets have one text
  assert.equal(keyOf('list', { years: new Set([1]) }), keyOf('list', { years: new Set<number>() }));
  // @ts-expect-error nor are functions told from each other
  keyOf('list', { accepts: (value: number) => value > 1 });
});

test('filters are named, left out and found by what they are about', () => {
  const years: Filter = { name: 'years', key: 'years=2023', words: 'of 2023' };
  const types: Filter = { name: 'types', key: 'types=bldg', words: 'of type bldg' };
  const both = new Filters([types, null, years]);
  assert.equal(both.words, 'of type bldg, of 2023');
  assert.equal(both.key, new Filters([years, types]).key);
  assert.equal(both.find('years'), years);
  assert.deepEqual(both.without('types').all, [years]);
  assert.deepEqual(new Filters().all, []);
});
