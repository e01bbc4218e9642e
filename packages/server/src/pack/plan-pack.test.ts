import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import type { PackageRow } from '@citymodel/store';
import { bufferSource, MemberDamaged } from '@citymodel/zip';
import { strictZip } from '@citymodel/zip/testing';
import { decodeLayout, encodeLayout } from './layout-file.ts';
import { zipBytes } from './make-pack.ts';
import { planPack } from './plan-pack.ts';
import { makePack } from './testing/make-pack.ts';
import { MODIFIED, once, type PackFixture, packFixture, sourceOf } from './testing/pack-fixture.ts';

const SCHEMA = (location: string) =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="${location}"/></xs:schema>`;

/** A small city: two files share a code list, one refers to another file, schemas include each other. */
const CITY = {
  'codelists/Usage.xml': '<usage/>',
  'codelists/Unused.xml': '<unused/>',
  'metadata/m.xml': '<m/>',
  'schemas/a.xsd': SCHEMA('sub/b.xsd'),
  'schemas/sub/b.xsd': SCHEMA('../c.xsd'),
  'schemas/c.xsd': SCHEMA('../a.xsd').replace('..', '.'),
  'schemas/lost.xsd': SCHEMA('nowhere.xsd'),
  'udx/bldg/a.gml': {
    text: 'a',
    refersTo: ['codelists/Usage.xml', 'udx/bldg/a_appearance/1.jpg', '!codelists/Lost.xml', 'schemas/a.xsd'],
  },
  'udx/bldg/a_appearance/1.jpg': 'jpeg',
  'udx/bldg/b.gml': { text: 'bb', refersTo: ['codelists/Usage.xml', '!codelists/Lost.xml', 'schemas/lost.xsd'] },
  'udx/frn/lamp.gml': { text: 'lamp', refersTo: ['udx/frn/library.gml'] },
  'udx/frn/library.gml': { text: 'lib', refersTo: ['udx/frn/lamp.gml', 'codelists/見本.xml'] },
  'codelists/見本.xml': '<見本/>',
} as const; // biome-ignore format: one member a line

async function names(fixture: PackFixture, ...sources: Parameters<typeof planPack>[0]) {
  const { layout, ...rest } = await planPack(sources, fixture);
  return {
    names: Array.from({ length: layout.count }, (_, i) => layout.member(i).name),
    layout,
    ...rest,
  };
}

test('takes what the chosen files need, once, as it lies in the archive', async () => {
  await using fixture = await packFixture();
  const row = await fixture.publish('p1', CITY, { name: 'city' });
  const plan = await names(fixture, sourceOf(row, ['udx/bldg/b.gml', 'udx/bldg/a.gml']));
  assert.deepEqual(plan.names, [
    'city/codelists/Usage.xml',
    'city/schemas/a.xsd',
    'city/schemas/sub/b.xsd',
    'city/schemas/c.xsd',
    'city/schemas/lost.xsd',
    'city/udx/bldg/a.gml',
    'city/udx/bldg/a_appearance/1.jpg',
    'city/udx/bldg/b.gml',
  ]);
  assert.deepEqual(plan.missing, ['city/codelists/Lost.xml', 'city/schemas/nowhere.xsd']);
  assert.equal(plan.missingCount, 2);

  const library = await names(fixture, sourceOf(row, ['udx/frn/lamp.gml']));
  assert.deepEqual(library.names, [
    'city/udx/frn/lamp.gml',
    'city/udx/frn/library.gml',
    'city/codelists/見本.xml',
  ]);
});

test('merges metadata directories and packages', async () => {
  await using fixture = await packFixture();
  const one = await fixture.publish('p1', CITY, { name: 'city' });
  const two = await fixture.publish('p2', { 'udx/tran/t.gml': 't' }, { name: 'town' });
  const plan = await names(
    fixture,
    sourceOf(one, ['udx/bldg/b.gml'], ['codelists', 'metadata']),
    sourceOf(two, ['udx/tran/t.gml']),
  );
  assert.deepEqual(plan.names, [
    'city/codelists/Usage.xml',
    'city/codelists/Unused.xml',
    'city/metadata/m.xml',
    'city/schemas/lost.xsd',
    'city/udx/bldg/b.gml',
    'city/codelists/見本.xml',
    'town/udx/tran/t.gml',
  ]);
});

test('what schemas of a chosen directory refer to comes along and is missed all the same', async () => {
  await using fixture = await packFixture();
  const row = await fixture.publish(
    'p1',
    {
      'schemas/a.xsd': SCHEMA('../shared/b.xsd') + SCHEMA('nowhere.xsd'),
      'shared/b.xsd': SCHEMA('b.xsd'),
      'udx/bldg/a.gml': { text: 'a', refersTo: ['schemas/a.xsd'] },
    },
    { name: 'city' },
  );
  for (const metadata of [[], ['schemas']] as const) {
    const plan = await names(fixture, sourceOf(row, ['udx/bldg/a.gml'], [...metadata]));
    assert.deepEqual(plan.names, ['city/schemas/a.xsd', 'city/shared/b.xsd', 'city/udx/bldg/a.gml']);
    assert.deepEqual(plan.missing, ['city/schemas/nowhere.xsd']);
  }
});

test("is a zip without a fault, with the members' own times, and the same written out", async () => {
  await using fixture = await packFixture();
  const row = await fixture.publish('p1', CITY, { name: 'city' });
  const sources = [sourceOf(row, ['udx/bldg/a.gml', 'udx/frn/lamp.gml'])];
  const { layout } = await planPack(sources, fixture);
  const bytes = await concat(zipBytes(layout, 0, layout.size, fixture.archives));
  assert.equal(bytes.length, layout.size);
  const zip = await strictZip(bufferSource(bytes), { crc: true });
  assert.equal(zip.members.length, layout.count);
  assert.equal(layout.member(0).modified, MODIFIED);
  const lamp = zip.members.find(({ name }) => name === 'city/udx/frn/lamp.gml')!;
  const data = bytes.subarray(lamp.dataOffset, lamp.dataOffset + lamp.compressedSize);
  assert.equal(inflateRawSync(data).toString(), 'lamp');

  const claim = { id: 'a'.repeat(64), run: 1, sources };
  const options = { ...fixture, maxBytes: layout.size, signal: new AbortController().signal };
  const progress: number[] = [];
  const onProgress = (value: number) => void progress.push(value);
  const virtual = await makePack(claim, { ...options, materialise: false, onProgress });
  const written = await makePack(claim, { ...options, materialise: true, onProgress });
  const sums = await fixture.objects.head(`${written.objectKey}.sums`);
  assert.equal(written.objectBytes, layout.size + sums!.size);
  const { objectBytes } = written;
  assert.deepEqual(
    { ...virtual, objectBytes, objectKey: '', materialised: true },
    { ...written, objectKey: '' },
  );
  await using handle = await fixture.objects.open(written.objectKey);
  assert.ok(bytes.equals(await handle.read(0, handle.size)));
  assert.ok(progress.every((value) => value >= 0 && value < 1));
  await assert.rejects(
    makePack(claim, { ...options, maxBytes: layout.size - 1, materialise: false, onProgress }),
    new RegExp(`would have ${layout.size} bytes .* at most ${layout.size - 1} bytes`),
  );
});

test('has a member under each name that files give it, in whatever letter case', async () => {
  await using fixture = await packFixture();
  const members = {
    'udx/bldg/a.gml': {
      text: 'a',
      refersTo: ['codelists/X.xml\tcodelists/x.xml', 'codelists/Y.xml\tcodelists/y.XML'],
    },
    'udx/bldg/b.gml': { text: 'b', refersTo: ['codelists/X.xml'] },
    'codelists/X.xml': 'x',
    'codelists/Y.xml': 'y',
  };
  const row = await fixture.publish('p1', members, { name: 'city' });
  const { layout, missing } = await planPack([sourceOf(row, ['udx/bldg/a.gml', 'udx/bldg/b.gml'])], fixture);
  const bytes = await concat(zipBytes(layout, 0, layout.size, fixture.archives));
  const zip = await strictZip(bufferSource(bytes), { crc: true });
  const names = zip.members.map(({ name }) => name.replace('city/', ''));
  const expected = [
    'codelists/X.xml',
    'codelists/x.xml',
    'codelists/y.XML',
    'udx/bldg/a.gml',
    'udx/bldg/b.gml',
  ];
  assert.deepEqual(names.sort(), expected);
  assert.deepEqual(missing, []);
});

test('names a thousand missing files and counts the others', async () => {
  await using fixture = await packFixture();
  const refersTo = Array.from({ length: 1_500 }, (_, i) => `!codelists/${String(i).padStart(4, '0')}.xml`);
  const row = await fixture.publish('p1', { 'udx/bldg/a.gml': { text: 'a', refersTo } }, { name: 'city' });
  const { missing, missingCount } = await planPack([sourceOf(row, ['udx/bldg/a.gml'])], fixture);
  assert.equal(missingCount, 1_500);
  assert.equal(missing.length, 1_000);
  assert.equal(missing.at(-1), 'city/codelists/0999.xml');
});

test('stops when nobody wants it any more', async () => {
  await using fixture = await packFixture();
  const members = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`udx/bldg/${i}.gml`, { text: 'x', refersTo: [] }]),
  );
  const row = await fixture.publish('p1', members, { name: 'city' });
  const controller = new AbortController();
  let seen = 0;
  const onProgress = (done: number, total: number) => {
    assert.equal(total, 100);
    seen = done;
    if (done === 20) controller.abort(new Error('enough'));
  };
  await assert.rejects(
    planPack([sourceOf(row, Object.keys(members))], { ...fixture, signal: controller.signal, onProgress }),
    /enough/,
  );
  assert.ok(seen < 40);
});

async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}

/** A table of features as an object, and the part of a pack that takes it whole. */
async function tableIn(fixture: PackFixture, row: PackageRow, bytes: Buffer) {
  await fixture.objects.put('tables/t.parquet', once(bytes));
  const archiveSha256 = createHash('sha256').update(bytes).digest('hex');
  const place = { archiveKey: 'tables/t.parquet', indexKey: '', archiveSha256 };
  return { ...sourceOf(row, ['city_bldg.parquet']), ...place };
}

test('a table lies in the directory of its package as it is, and every byte of it is compared', async () => {
  await using fixture = await packFixture();
  const row = await fixture.publish('p1', CITY, { name: 'city' });
  const table = Buffer.alloc(100_000, 'a table of many pages');
  const sources = [sourceOf(row, ['udx/frn/lamp.gml']), await tableIn(fixture, row, table)];
  const measured = await planPack(sources, { ...fixture, measures: true });
  const { layout } = await planPack(sources, fixture);
  assert.equal(measured.layout.size, layout.size);
  const read = async () =>
    concat(zipBytes(await decodeLayout(await encodeLayout(layout)), 0, layout.size, fixture.archives));
  const bytes = await read();
  const { members } = await strictZip(bufferSource(bytes), { crc: true });
  const { dataOffset, compressedSize } = members.find(({ name }) => name === 'city/city_bldg.parquet')!;
  assert.ok(bytes.subarray(dataOffset, dataOffset + compressedSize).equals(table));

  const other = Buffer.from(table);
  other[70_000]! ^= 1;
  await fixture.objects.put('tables/t.parquet', once(other));
  await assert.rejects(read(), MemberDamaged);
  await assert.rejects(planPack(sources, fixture), /SHA-256/);
});
