import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import type { Column } from './column.ts';
import { FeatureIds, setId } from './feature-ids.ts';
import { IssueCounter } from './issue-counter.ts';

const feature = (id?: string): XmlElement => ({
  ...{ name: 'bldg:Building', children: [], text: '' },
  attributes: id === undefined ? {} : { 'gml:id': id },
});

test('an id that stands twice gets a number, and one that is missing that of its feature; both are counted', () => {
  const counted: string[] = [];
  const issues = new IssueCounter('a.gml', ({ code, id, count }) => counted.push(`${code} ${id} ${count}`));
  const ids = new FeatureIds('a.gml', issues);
  const written = ['a', 'b', 'a', undefined, 'a', undefined, 'b'];
  assert.deepEqual(
    written.map((id, number) => ids.of(feature(id), number)),
    ['a', 'b', 'a#2', 'a.gml#3', 'a#3', 'a.gml#5', 'b#2'],
  );
  // Pieces of one feature without an id come one after the other.
  assert.equal(ids.of(feature(), 3), 'a.gml#3#2');
  assert.equal(ids.nameOf(7), 'a.gml#7');
  issues.tell();
  assert.deepEqual(counted.sort(), ['ID_MISSING a.gml#3 3', 'ID_TWICE a 3']);
});

test('the id of a row is set where it has one', () => {
  const columns: Column[] = [
    { name: 'a', type: 'STRING', value: 'x' },
    { name: 'gml_id', type: 'STRING', value: 'b' },
  ];
  setId(columns, 'b#2');
  assert.deepEqual(
    columns.map(({ value }) => value),
    ['x', 'b#2'],
  );
  const none = columns.slice(0, 1);
  setId(none, 'c');
  assert.deepEqual(none, [{ name: 'a', type: 'STRING', value: 'x' }]);
});
