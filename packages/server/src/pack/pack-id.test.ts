import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPackId, packId, packPrefix, runOf } from './pack-id.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('the id is the SHA-256 of the sorted set, joined with commas', () => {
  const id = packId(['https://h/b.gml', 'https://h/a.gml', 'https://h/b.gml']);
  assert.equal(id, sha256('https://h/a.gml,https://h/b.gml'));
  // By bytes U+FF5E comes before U+20BB7; by UTF-16 units it would not.
  assert.equal(packId(['https://h/𠮷', 'https://h/～']), sha256('https://h/～,https://h/𠮷'));
});

test('order and repetition do not matter, anything else does', () => {
  const urls = fc.array(fc.oneof(fc.webUrl(), fc.string({ unit: 'grapheme' })), { minLength: 1 });
  fc.assert(
    fc.property(urls, fc.nat(), (chosen, seed) => {
      const shuffled = [...chosen, chosen[seed % chosen.length]!].sort(() => ((seed * 7919) % 3) - 1);
      assert.equal(packId(shuffled), packId(chosen));
      assert.ok(isPackId(packId(chosen)));
      const other = `${chosen[0]}x`;
      if (!chosen.includes(other)) assert.notEqual(packId([...chosen, other]), packId(chosen));
    }),
  );
});

test('objects of a pack carry the number of their run', () => {
  const id = packId(['a']);
  assert.equal(runOf(`${packPrefix(id)}12.layout`), 12);
  assert.equal(runOf(`${packPrefix(id)}3.zip`), 3);
  assert.equal(runOf(`${packPrefix(id)}3.txt`), null);
  assert.equal(isPackId(id.toUpperCase()), false);
  assert.equal(isPackId(`${id}0`), false);
});

test('options are part of the id, in any order, and their absence changes nothing', () => {
  const urls = ['https://h/a.gml'];
  assert.equal(packId(urls, {}), packId(urls));
  const id = packId(urls, { crs: 'EPSG:6668', format: 'geojson' });
  assert.equal(packId(urls, { format: 'geojson', crs: 'EPSG:6668' }), id);
  const others = [{}, { format: 'geojson' }, { crs: 'geojson', format: 'EPSG:6668' }];
  for (const other of others) assert.notEqual(packId(urls, other), id);
});
