import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RootTag } from './root-tag.ts';

const textOf = ({ bytes }: RootTag) => Buffer.from(bytes).toString();
const declared = (tag: string, names: string[]) => {
  const root = new RootTag();
  root.set(Buffer.from(tag), names);
  return root;
};

test('what a member declares is added, and keeps the meaning that came first', () => {
  const root = declared('<a xmlns:b="1">', ['xmlns:b']);
  assert.equal(textOf(new RootTag()), '');
  root.declare('xmlns:c', Buffer.from("'2'"));
  root.declare('xmlns:b', Buffer.from('"3"'));
  root.declare('xmlns:c', Buffer.from('"4"'));
  root.declare('xmlns', Buffer.from('"甲"'));
  assert.equal(textOf(root), `<a xmlns:b="1" xmlns:c='2' xmlns="甲">`);
});

test('a hundred are added, none of them longer than a thousand bytes', () => {
  const root = declared('<a>', []);
  root.declare('xmlns:long', Buffer.alloc(1_001, 'x'));
  assert.equal(textOf(root), '<a>');
  root.declare('xmlns:longest', Buffer.alloc(1_000, 'x'));
  for (let i = 0; i < 200; i++) root.declare(`xmlns:n${i}`, Buffer.from('"u"'));
  assert.equal(textOf(root).match(/xmlns:/g)!.length, 100);
  assert.ok(textOf(root).endsWith(' xmlns:n98="u">'));
});
