import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GmlSource } from '../part-maker.ts';
import { fixture } from '../tiles3d/testing/fixture-gml.ts';
import { type ResolvedItem, readResolved } from './resolved-features.ts';
import { partContext } from './testing/gml-source.ts';

/** A feature whose geometry is in another. */
const refers = (id: string, to: string) =>
  `<core:cityObjectMember><tran:Road gml:id="${id}"><tran:lod1MultiSurface xlink:href="${to}"/></tran:Road>` +
  `</core:cityObjectMember>`;

const surface = (id: string, polygons: number) =>
  `<core:cityObjectMember><tran:Road gml:id="of-${id}"><tran:lod1MultiSurface><gml:MultiSurface gml:id="${id}">\
${Array.from(
  { length: polygons },
  (_, i) =>
    `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>` +
    `<gml:posList>${'1 '.repeat(500)}${i}</gml:posList></gml:LinearRing>` +
    `</gml:exterior></gml:Polygon></gml:surfaceMember>`,
).join('')}</gml:MultiSurface></tran:lod1MultiSurface></tran:Road></core:cityObjectMember>`;

async function read(members: readonly string[]) {
  const gml = fixture(members, { path: 'udx/tran/53394525_tran_6697_op.gml' });
  const context = partContext('');
  const items: ResolvedItem[] = [];
  for await (const item of readResolved(gml, context)) if (item.kind === 'feature') items.push(item);
  return { gml, items, context };
}

test('features that refer to others come last, and find them', async () => {
  const { items, context } = await read([refers('a', '#s'), surface('s', 2), refers('b', '#none')]);
  assert.deepEqual(
    items.map((item) => item.kind === 'feature' && item.element.attributes['gml:id']),
    ['of-s', 'a', 'b'],
  );
  const [, a, b] = items as Array<Extract<ResolvedItem, { kind: 'feature' }>>;
  assert.equal(a!.elsewhere!('#s')!.attributes['gml:id'], 's');
  assert.equal(b!.elsewhere!('#none'), undefined);
  assert.deepEqual(context.issues, []);
});

test('what features take of others is bounded by the size of the file, whatever they refer to', async () => {
  const takers = 300;
  const { gml, items } = await read([
    surface('large', 1_000),
    ...Array.from({ length: takers }, (_, i) => refers(`t${i}`, '#large')),
  ]);
  const finders = items.flatMap((item) => (item.kind === 'feature' && item.elsewhere) || []);
  assert.equal(finders.length, takers);
  const taken = finders.filter((find) => find('#large') !== undefined).length;
  // An element counts its text and a hundred more; each polygon is five of them.
  const text = Array.from({ length: 1_000 }, (_, i) => 5 * 100 + 1_000 + String(i).length).reduce(
    (a, b) => a + b,
    100,
  );
  assert.equal(taken, Math.floor((16 * gml.size + (16 << 20)) / text));
  // What stands for many is not taken each time.
  assert.equal(finders.at(-1)!('#large', true)?.attributes['gml:id'], 'large');
});

test('of elements with the same id the first counts, and those of other files are found under their path', async () => {
  const road = (name: string) =>
    surface('s', 1).replaceAll('of-s', name).replace('<gml:MultiSurface', `$& name="${name}"`);
  const other = fixture([road('third')]);
  const gml = fixture([refers('a', '#s'), refers('b', '../other.gml#s'), road('first'), road('second')], {
    path: 'udx/tran/53394525_tran_6697_op.gml',
    files: { 'udx/other.gml': await bytesOf(other) },
  });
  const found = new Map<string, string | undefined>();
  for await (const item of readResolved(gml, partContext(''))) {
    if (item.kind !== 'feature') continue;
    const id = item.element.attributes['gml:id']!;
    const reference = id === 'a' ? '#s' : '../other.gml#s';
    if (item.elsewhere !== undefined) found.set(id, item.elsewhere(reference)?.attributes.name);
  }
  assert.deepEqual(
    [...found],
    [
      ['a', 'first'],
      ['b', 'third'],
    ],
  );
});

test('an element of another file keeps the system that its file names, one of the same file names none', async () => {
  const srs = 'EPSG:6677';
  const other = fixture([surface('s', 1)], { srs });
  const gml = fixture([refers('a', '#s'), refers('b', '../other.gml#s'), surface('s', 1)], {
    path: 'udx/tran/53394525_tran_6697_op.gml',
    files: { 'udx/other.gml': await bytesOf(other) },
  });
  const found = new Map<string, string | undefined>();
  for await (const item of readResolved(gml, partContext(''))) {
    if (item.kind !== 'feature' || item.elsewhere === undefined) continue;
    const id = item.element.attributes['gml:id']!;
    const reference = id === 'a' ? '#s' : '../other.gml#s';
    found.set(id, item.elsewhere(reference)!.attributes.srsName);
  }
  assert.deepEqual(
    [...found],
    [
      ['a', undefined],
      ['b', srs],
    ],
  );
});

async function bytesOf(gml: GmlSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of gml.text()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
