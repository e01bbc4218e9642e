import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_ATTRIBUTES, type XmlElement } from '@citymodel/citygml';
import type { FileVisitor, Member } from '../check.ts';
import { Lookers, Walk } from './walk.ts';

const element = (name: string, ...children: XmlElement[]): XmlElement => ({
  name,
  attributes: NO_ATTRIBUTES,
  children,
  text: '',
});
const member = (feature: XmlElement): Member => ({ feature, number: 0, line: 1, isLarge: false });

test('walks of the same checks ask for a name once, and show elements to the visitors of their own file', () => {
  const asked: string[] = [];
  const seen: string[] = [];
  const visitorOf = (file: string): FileVisitor<unknown> => ({
    looksAt(name) {
      asked.push(name);
      return name === 'b';
    },
    element: ({ name }, above) => seen.push(`${file}: ${[...above.map((one) => one.name), name].join('/')}`),
  });
  const silent: FileVisitor<unknown> = { member: () => {} };
  const lookers = new Lookers();
  for (const file of ['1', '2']) {
    const walk = new Walk([silent, visitorOf(file)], () => {}, lookers);
    walk.show(member(element('a', element('b'), element('b'))));
  }
  assert.deepEqual(asked, ['a', 'b']);
  assert.deepEqual(seen, ['1: a/b', '1: a/b', '2: a/b', '2: a/b']);
});
