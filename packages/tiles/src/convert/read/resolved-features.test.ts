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

test('a reference leads into the package by the path of its file, and what leads nowhere is named', async () => {
  const path = 'udx/tran/53394525_tran_6697_op.gml';
  const long = `${'x'.repeat(1_995)}.gml`;
  const files = Object.fromEntries(
    await Promise.all(
      ['udx/other.gml', 'udx/tran/beside.gml', 'top.gml', `udx/tran/${long}`].map(async (name) => [
        name,
        await bytesOf(fixture([surface('s', 1)])),
      ]),
    ),
  );
  const references: Array<[reference: string, missing: string | null]> = [
    ['#s', null],
    ['beside.gml#s', null],
    ['../other.gml#s', null],
    ['..\\other.gml#s', null],
    ['../../top.gml#s', null],
    ['#none', 'this file'],
    ['beside.gml#none', 'udx/tran/beside.gml'],
    ['nothing.gml#s', 'udx/tran/nothing.gml'],
    ['../../../top.gml#s', '../../../top.gml#s'],
    ['/top.gml#s', 'udx/tran/top.gml'],
    ['https://example.org/beside.gml#s', 'https://example.org/beside.gml#s'],
    ['beside.gml', 'beside.gml'],
    ['beside.gml#', 'beside.gml#'],
    // Of 2,000 characters, and of more; at most 200 are named.
    [`${long.slice(1)}#s`, `udx/tran/${long.slice(1)}`],
    [`${long}#s`, 'x'.repeat(200)],
  ];
  const gml = fixture([surface('s', 1), ...references.map(([to], i) => refers(`f${i}`, to))], {
    path,
    files,
  });
  const context = partContext('');
  for await (const item of readResolved(gml, context)) {
    if (item.kind !== 'feature' || item.elsewhere === undefined) continue;
    const [reference, missing] = references[Number(item.element.attributes['gml:id']!.slice(1))]!;
    const found = item.elsewhere(reference);
    assert.equal(found?.attributes['gml:id'], missing === null ? 's' : undefined, reference);
  }
  const missing = references.flatMap(([, where]) => where ?? []);
  assert.deepEqual(
    context.issues
      .map(({ code, message }) => `${code} ${/something in (.*) that/s.exec(message)![1]}`)
      .sort(),
    missing.map((where) => `REFERENCE_UNRESOLVED ${where}`).sort(),
  );
});

test('what is referred to may refer on three times; a feature that refers to itself waits for nothing', async () => {
  const link = (name: string, to: string) =>
    `<core:cityObjectMember><tran:Road><tran:lod1MultiSurface><gml:MultiSurface gml:id="${name}">` +
    `<gml:surfaceMember xlink:href="${to}"/></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>` +
    `</core:cityObjectMember>`;
  const names = ['s1', 's2', 's3', 's4'];
  const own =
    '<core:cityObjectMember><tran:Road gml:id="own"><tran:lod1MultiSurface><gml:MultiSurface gml:id="m"/>' +
    '</tran:lod1MultiSurface><tran:lod2MultiSurface xlink:href="#m"/></tran:Road></core:cityObjectMember>';
  // Neither of these stands for a geometry.
  const others =
    '<core:cityObjectMember><tran:Road gml:id="others"><tran:lod1MultiSurface xlink:href="#a"><gml:Null/>' +
    '</tran:lod1MultiSurface><tran:usage xlink:href="#b"/></tran:Road></core:cityObjectMember>';
  const members = names.map((name, i) => link(name, `#${names[i + 1] ?? 'none'}`));
  const { items } = await read([refers('a', '#s1'), own, others, ...members]);
  const features = items.flatMap((item) => (item.kind === 'feature' ? [item] : []));
  const late = features.filter(({ elsewhere }) => elsewhere !== undefined);
  assert.equal(late.length, 5);
  assert.deepEqual(
    features.slice(0, 2).map(({ element }) => element.attributes['gml:id']),
    ['own', 'others'],
  );
  const { elsewhere } = late[0]!;
  // All are wanted by features of this file, in the first pass.
  assert.deepEqual(
    names.map((name) => elsewhere!(`#${name}`)?.attributes['gml:id']),
    names,
  );
  const chain = await Promise.all(
    names.map(async (name, i) => [
      `udx/tran/${name}.gml`,
      await bytesOf(fixture([link(name, `${names[i + 1] ?? 'none'}.gml#${names[i + 1] ?? 'none'}`)])),
    ]),
  );
  const gml = fixture([refers('a', 's1.gml#s1')], {
    path: 'udx/tran/53394525_tran_6697_op.gml',
    files: Object.fromEntries(chain),
  });
  const links: unknown[] = [];
  for await (const item of readResolved(gml, partContext(''))) {
    assert.ok(item.kind === 'feature' && item.elsewhere !== undefined);
    links.push(...names.map((name) => item.elsewhere!(`${name}.gml#${name}`)?.attributes['gml:id']));
  }
  assert.deepEqual(links, ['s1', 's2', 's3', undefined]);
});

test('features may refer to twenty other files, and of a file without a feature nothing is found', async () => {
  const names = Array.from({ length: 22 }, (_, i) => `udx/tran/f${i}.gml`);
  const text = await bytesOf(fixture([surface('s', 1)]));
  const files = Object.fromEntries(names.map((name) => [name, text]));
  // Appearances hold no geometry.
  files[names[0]!] = await bytesOf(
    fixture(['<app:appearanceMember><app:Appearance gml:id="s"/></app:appearanceMember>']),
  );
  const path = 'udx/tran/53394525_tran_6697_op.gml';
  const gml = fixture(
    names.map((_, i) => refers(`r${i}`, `f${i}.gml#s`)),
    { path, files },
  );
  const found: boolean[] = [];
  for await (const item of readResolved(gml, partContext(''))) {
    if (item.kind !== 'feature') continue;
    const element = item.elsewhere!(`f${found.length}.gml#s`);
    found.push(element !== undefined);
    // The envelope of the file says how many numbers a position has.
    assert.ok(element === undefined || element.attributes.srsDimension === '3');
  }
  assert.deepEqual(
    found,
    names.map((_, i) => i > 0 && i < 20),
  );
});

async function bytesOf(gml: GmlSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of gml.text()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
