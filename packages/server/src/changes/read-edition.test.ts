import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageSource } from '../convert/package-source.ts';
import type { FeatureRecord } from './feature-record.ts';
import { filesOfType, readEdition } from './read-edition.ts';
import { boxAt, editionOf } from './testing/boxes.ts';

const BOXES = [boxAt(0, 0), boxAt(30, 0), boxAt(60, 0)];

/** Bytes that come together. */
const CHUNK = 2 ** 18;

/** An edition whose only file has another text. */
function written(change: (text: string) => string): PackageSource {
  const source = editionOf(BOXES, 2022);
  return {
    ...source,
    async *read(path) {
      const parts: Uint8Array[] = [];
      for await (const part of source.read(path)) parts.push(part);
      const text = Buffer.from(change(Buffer.concat(parts).toString()));
      for (let at = 0; at < text.length; at += CHUNK) yield text.subarray(at, at + CHUNK);
    },
  };
}

async function read(source: PackageSource, onRecord: (record: FeatureRecord) => void = () => {}) {
  const ids: Array<string | null> = [];
  let bytes = 0;
  const notRead = await readEdition(source, 'bldg', {
    onRecord(record) {
      ids.push(record.id);
      onRecord(record);
    },
    onText: (count) => {
      bytes += count;
    },
  });
  return { ids, notRead, bytes };
}

test('every feature of a type is read, and how much text there was', async () => {
  const source = editionOf(BOXES, 2022);
  const { paths, bytes } = filesOfType(source, 'bldg');
  assert.deepEqual(await read(source), {
    ids: BOXES.map(({ id }) => id),
    notRead: { tooLarge: 0, broken: 0, brokenFiles: 0 },
    bytes,
  });
  assert.equal(paths.length, 1);
  assert.deepEqual(filesOfType(source, 'tran'), { paths: [], bytes: 0 });
});

test('a feature that is no XML is counted, and the others are read', async () => {
  const broken = written((text) => text.replace('</bldg:Building>', '</bldg:Tower>'));
  const { ids, notRead } = await read(broken);
  assert.deepEqual(
    [ids, notRead],
    [[BOXES[1]!.id, BOXES[2]!.id], { tooLarge: 0, broken: 1, brokenFiles: 0 }],
  );
});

test('a file that ends too soon is counted, with what came before it', async () => {
  const cut = written((text) => text.slice(0, text.lastIndexOf('<core:cityObjectMember>') + 100));
  const { ids, notRead } = await read(cut);
  assert.deepEqual(
    [ids, notRead],
    [[BOXES[0]!.id, BOXES[1]!.id], { tooLarge: 0, broken: 0, brokenFiles: 1 }],
  );
});

test('what goes wrong elsewhere is no fault of a feature', async () => {
  const mistake = new TypeError('a full disk, or a mistake');
  await assert.rejects(
    read(editionOf(BOXES, 2022), () => {
      throw mistake;
    }),
    mistake,
  );
});

test('a feature with much more than 32 MiB of text is counted, and no other', async () => {
  /** The first feature as a text of so many bytes. */
  const sized = (bytes: number) =>
    written((text) => {
      const from = text.indexOf('<core:cityObjectMember>');
      const end = '</core:cityObjectMember>';
      const to = text.indexOf(end) + end.length;
      const filler = ' '.repeat(bytes - (to - from));
      return `${text.slice(0, to - end.length)}${filler}${text.slice(to - end.length)}`;
    });
  const whole = await read(sized(31.5 * 2 ** 20));
  assert.deepEqual([whole.ids.length, whole.notRead.tooLarge], [3, 0]);
  const more = await read(sized(32.5 * 2 ** 20));
  assert.deepEqual([more.ids, more.notRead.tooLarge], [[BOXES[1]!.id, BOXES[2]!.id], 1]);
});

/** A code list with one code. */
const listOf = (code: string, words: string) =>
  Buffer.from(
    '<gml:Dictionary xmlns:gml="http://www.opengis.net/gml" gml:id="l"><gml:name>l</gml:name><gml:dictionaryEntry>' +
      `<gml:Definition gml:id="d"><gml:description>${words}</gml:description><gml:name>${code}</gml:name>` +
      '</gml:Definition></gml:dictionaryEntry></gml:Dictionary>',
  );

test('codes have the words of the lists of the package, each of which is read once, up to 2 MiB', async () => {
  const asked: Array<[path: string, most: number | undefined]> = [];
  const source: PackageSource = {
    ...written((text) => text.replace('Building_usage.xml">401', 'Other.xml">401')),
    async member(path, most) {
      asked.push([path, most]);
      return path.endsWith('usage.xml') ? listOf('401', '見本の用途') : null;
    },
  };
  const values: unknown[] = [];
  const [{ path, size }] = [...source.members()] as [{ path: string; size: number }];
  const other = path.replace('53393599', '53393598');
  const members = () => [path, other].map((one) => ({ path: one, size }));
  const { notRead } = await read({ ...source, members }, ({ attributes }) =>
    values.push(new Map(attributes).get('bldg:usage')),
  );
  const words = { value: '401', label: '見本の用途' };
  assert.deepEqual(values, [{ value: '401' }, words, words, { value: '401' }, words, words]);
  assert.deepEqual(asked.sort(), [
    ['codelists/Building_usage.xml', 2 * 2 ** 20],
    ['codelists/Other.xml', 2 * 2 ** 20],
  ]);
  assert.equal(notRead.broken, 0);
});

test('of more than a thousand code spaces in a file, those that come later have no words', async () => {
  const labelAfter = async (count: number) => {
    const codes = Array.from(
      { length: count },
      (_, i) => `<bldg:function codeSpace="${i}.xml">1</bldg:function>`,
    );
    const source: PackageSource = {
      ...written((text) =>
        text.replace(
          '<bldg:usage codeSpace="../../codelists/Building_usage.xml">401</bldg:usage>',
          codes.join(''),
        ),
      ),
      member: async (path) => (path.endsWith('usage.xml') ? listOf('401', '見本の用途') : null),
    };
    const labels: unknown[] = [];
    await read(source, ({ attributes }) => labels.push(new Map(attributes).get('bldg:usage')?.label));
    return labels.slice(1);
  };
  assert.deepEqual(await labelAfter(999), ['見本の用途', '見本の用途']);
  assert.deepEqual(await labelAfter(1_000), [undefined, undefined]);
});

test('coordinates are in the system that the envelope of the file names, also after one that names none', async () => {
  const nothing = '<gml:boundedBy><gml:Null>unknown</gml:Null></gml:boundedBy>';
  const areShapes = async (system: string) => {
    const source = written((text) =>
      text.replace('EPSG/0/6697', system).replace('</gml:boundedBy>', `</gml:boundedBy>${nothing}`),
    );
    const shapes: unknown[] = [];
    await read(source, ({ shape }) => shapes.push(shape !== null));
    return shapes;
  };
  assert.deepEqual(await areShapes('EPSG/0/6697'), [true, true, true]);
  assert.deepEqual(await areShapes('EPSG/0/999999'), [false, false, false], 'a system that nobody knows');
});

test('what is no feature is passed over, whatever it holds', async () => {
  const appearance = '<app:appearanceMember><app:Appearance></app:Theme></app:appearanceMember>';
  const source = written((text) =>
    text.replace('<core:cityObjectMember>', `${appearance}<core:cityObjectMember>`),
  );
  const { ids, notRead } = await read(source);
  assert.deepEqual([ids.length, notRead], [3, { tooLarge: 0, broken: 0, brokenFiles: 0 }]);
});
