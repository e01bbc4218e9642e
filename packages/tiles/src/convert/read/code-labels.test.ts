import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import type { GmlSource } from '../part-maker.ts';
import { GmlCodeLabels } from './code-labels.ts';

const PATH = 'udx/bldg/53394525_bldg_6697_op.gml';
const list = (code: string, word: string) =>
  Buffer.from(
    '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml"><gml:dictionaryEntry><gml:Definition>' +
      `<gml:description>${word}</gml:description><gml:name>${code}</gml:name></gml:Definition>` +
      '</gml:dictionaryEntry></gml:Dictionary>',
  );

/** A feature that names these code spaces. */
function feature(...codeSpaces: string[]): XmlElement {
  const children = codeSpaces.map((codeSpace) => ({
    ...{ name: 'bldg:usage', attributes: { codeSpace }, children: [], text: '1' },
  }));
  return { name: 'bldg:Building', attributes: {}, children, text: '' };
}

test('lists are read once, when a feature first names them, be it one alone', async () => {
  const asked: string[] = [];
  const gml = {
    path: PATH,
    async member(path: string) {
      asked.push(path);
      return path.endsWith('gone.xml') ? null : list('1', path.slice(path.lastIndexOf('/') + 1));
    },
  } as unknown as GmlSource;
  const labels = new GmlCodeLabels(gml);
  const one = await labels.of(feature('../../codelists/a.xml'));
  assert.deepEqual(asked, ['codelists/a.xml']);
  assert.equal(one('../../codelists/a.xml', '1'), 'a.xml');
  assert.equal(one('../../codelists/a.xml', '2'), undefined);
  assert.equal(one('../../codelists/b.xml', '1'), undefined);
  const more = await labels.of(
    feature('../../codelists/a.xml', '../../codelists/b.xml', '../../codelists/gone.xml'),
  );
  await labels.of(feature('../../codelists/gone.xml'));
  assert.deepEqual(asked, ['codelists/a.xml', 'codelists/b.xml', 'codelists/gone.xml']);
  assert.equal(more('../../codelists/b.xml', '1'), 'b.xml');
  assert.equal(more('../../codelists/gone.xml', '1'), undefined);
});

test('lists of a thousand code spaces are kept, and no more', async () => {
  const asked = new Set<string>();
  const gml = {
    path: PATH,
    async member(path: string) {
      asked.add(path.slice(path.lastIndexOf('/') + 1));
      return null;
    },
  } as unknown as GmlSource;
  const labels = new GmlCodeLabels(gml);
  await labels.of(feature(...Array.from({ length: 999 }, (_, i) => `${i}.xml`)));
  await labels.of(feature('last.xml'));
  await labels.of(feature('more.xml'));
  assert.deepEqual([asked.size, asked.has('last.xml'), asked.has('more.xml')], [1_000, true, false]);
});
