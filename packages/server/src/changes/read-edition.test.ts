import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageSource } from '../convert/package-source.ts';
import type { FeatureRecord } from './feature-record.ts';
import { filesOfType, readEdition } from './read-edition.ts';
import { boxAt, editionOf } from './testing/boxes.ts';

const BOXES = [boxAt(0, 0), boxAt(30, 0), boxAt(60, 0)];

/** An edition whose only file has another text. */
function written(change: (text: string) => string): PackageSource {
  const source = editionOf(BOXES, 2022);
  return {
    ...source,
    async *read(path) {
      const parts: Uint8Array[] = [];
      for await (const part of source.read(path)) parts.push(part);
      yield Buffer.from(change(Buffer.concat(parts).toString()));
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
