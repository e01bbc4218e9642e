import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Slices } from '@citymodel/base';
import { boundingBox } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import type { RangedSource } from '@citymodel/zip';
import fc from 'fast-check';
import type { Geometry } from 'geojson';
import { placeOf } from '../formats/geoparquet-geometry.ts';
import { hilbertPlace } from '../formats/hilbert-place.ts';
import type { PlacedRow } from './feature-row.ts';
import { shortened } from './short-positions.ts';
import { TABLE_VERSION, type TableFacts } from './table-facts.ts';
import { type TableFeature, tableFeatures } from './table-features.ts';
import { readTableIds } from './table-ids.ts';
import { TableMaker } from './table-maker.ts';
import type { TableObjects } from './table-objects.ts';
import { readColumns, readFoot } from './table-reader.ts';
import { WholeFeatures, WholePlan } from './whole-features.ts';

const slices = new Slices(async () => {}, 1e9);
const ORIGIN = { package: 'p', id: '0'.repeat(8), type: 'bldg' };

function rowOf(
  attributes: Record<string, unknown>,
  drawn: PlacedRow['row']['drawn'] = {},
  geometry: Geometry | null = null,
): PlacedRow {
  const place = placeOf(geometry);
  const row = { attributes, extent: null, drawn, box: place?.box ?? null, lods: 0b10, start: 100, end: 250 };
  return {
    row: { ...row, geometryType: geometry?.type ?? null },
    wkb: place?.wkb ?? new Uint8Array(0),
  };
}

/** Rows by way of a file, by their ids. */
async function throughTable(
  rows: ReadonlyArray<PlacedRow & { isRepeated?: boolean }>,
  { bounds = null, leftOut = 0 }: { bounds?: Bounds | null; leftOut?: number } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'table-maker-'));
  try {
    await using maker = await TableMaker.create({ ...ORIGIN, bounds }, join(directory, 'rows'));
    maker.beginFile('udx/bldg/a.gml');
    for (const { isRepeated = false, ...placed } of rows) await maker.add(placed, isRepeated);
    for (let n = 0; n < leftOut; n++) maker.count('leftOut');
    const path = join(directory, 'table');
    await using file = await open(path, 'w');
    const facts = await maker.finish(file, slices);
    const bytes = await readFile(path);
    const source: RangedSource = {
      size: bytes.length,
      async read(offset, length) {
        assert.ok(offset >= 0 && length > 0 && offset + length <= bytes.length, `${offset} ${length}`);
        return bytes.subarray(offset, offset + length);
      },
      stream: () => assert.fail('tables are read'),
    };
    const features = new Map<unknown, TableFeature>();
    const foot = await readFoot(source);
    for (const { columns } of foot.metadata.row_groups) {
      for (const { meta_data: column } of columns) assert.equal(column!.codec, 'ZSTD');
    }
    for await (const batch of tableFeatures(source, foot, { hasGeometry: true }, slices))
      for (const feature of batch) features.set(feature.attributes['gml:id'], feature);
    const lods: unknown[] = [];
    for await (const { columns } of readColumns(source, foot, ['lods'], slices))
      lods.push(...Array.from(columns.get('lods')!));
    return { facts, features, foot, lods, ids: await readTableIds(source, foot) };
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('a table gives back every attribute, also those that no column can hold', async () => {
  const odd = {
    'gml:id': 'odd',
    'bldg:class': null,
    'uro:none': [],
    'uro:empty': {},
    'uro:detail': { 'uro:year': 2024, 'uro:note': null },
    'gen:genericAttribute': [{ name: 'a', value: '1' }],
    'bldg:roofs': [1, 2],
    'bldg:names': ['x', 'x'],
    'bldg:isOld': false,
  };
  const plain = { 'gml:id': 'plain', 'bldg:class': '1001', 'uro:detail': { 'uro:year': 1999 } };
  const { facts, features } = await throughTable([rowOf(odd), rowOf(plain)]);
  assert.deepEqual(features.get('odd')?.attributes, odd);
  assert.deepEqual(features.get('plain')?.attributes, plain);
  assert.deepEqual([facts.features, facts.repeated, facts.geometryTypes], [2, 0, []]);
});

test('a table gives back what is drawn and where, the file, and which features came before', async () => {
  const point: Geometry = { type: 'MultiPoint', coordinates: [[139.123456789, 35.5]] };
  const drawn = {
    height: 12.5,
    minAlt: 3,
    maxAlt: 15.5,
    footprintDissolved: false,
    footprintPolygonsLeftOut: 2,
  };
  const { facts, features } = await throughTable([
    rowOf({ 'gml:id': 'a' }, drawn, point),
    { ...rowOf({ 'gml:id': 'b' }), isRepeated: true },
  ]);
  const partsOf = ({ drawn, geometry, isRepeated, path }: TableFeature) => ({
    drawn,
    geometry,
    isRepeated,
    path,
  });
  const path = 'udx/bldg/a.gml';
  assert.deepEqual(partsOf(features.get('a')!), { drawn, geometry: point, isRepeated: false, path });
  assert.deepEqual(partsOf(features.get('b')!), { drawn: {}, geometry: null, isRepeated: true, path });
  assert.deepEqual([facts.features, facts.repeated, facts.geometryTypes], [2, 1, ['MultiPoint']]);
});

const place = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const extents = fc.record({
  west: fc.oneof(place(122, 154), place(-180, 180)),
  south: fc.oneof(place(20, 46), place(-90, 90)),
  east: fc.oneof(place(122, 154), fc.constantFrom(0, 180, 1e-20)),
  north: place(20, 46),
  minAlt: place(-20, 4_000),
  maxAlt: fc.constantFrom(0, 12.3, 0.1 + 0.2),
});

test('a table says at which LODs a feature has geometry', async () => {
  const rows = [0, 0b1, 0b10, 0b1101, 0b1000_0000].map((lods, n) => {
    const placed = rowOf({ 'gml:id': `${n}` });
    return { ...placed, row: { ...placed.row, lods } };
  });
  const { lods } = await throughTable(rows);
  assert.deepEqual(lods, [[], [0], [1], [0, 2, 3], [7]]);
});

test('extents come back digit for digit, also where they lie far from the footprint, and without one', async () => {
  const all = fc.sample(extents, 400);
  const corners: Geometry = {
    type: 'MultiPoint',
    coordinates: [
      [139.123456789, 35.5],
      [139.2, 35.6],
    ],
  };
  const drawings = [{}, { minAlt: 3, maxAlt: 15.5 }];
  const { features } = await throughTable(
    all.map((extent, n) => {
      const placed = rowOf({ 'gml:id': `${n}` }, drawings[n % 2], n % 3 === 0 ? null : shortened(corners));
      return { ...placed, row: { ...placed.row, extent } };
    }),
  );
  for (const [n, extent] of all.entries()) {
    // As JSON, which has one zero.
    const { _bbox: box } = features.get(`${n}`)!.attributes;
    assert.equal(JSON.stringify(box), JSON.stringify(boundingBox(extent)));
  }
});

test('rows of a table come along the curve of Hilbert over its place, those without a place last', async () => {
  const places = Array.from({ length: 16 }, (_, n) => [n % 4, Math.floor(n / 4)] as const);
  const pointAt = ([x, y]: readonly [number, number]): Geometry => ({
    type: 'MultiPoint',
    coordinates: [[139 + x, 35 + 2 * y]],
  });
  const { features } = await throughTable(
    [
      rowOf({ 'gml:id': 'nowhere' }),
      ...places.map((place) => rowOf({ 'gml:id': place.join() }, {}, pointAt(place))),
    ],
    { bounds: { west: 139, south: 35, east: 142, north: 41 } },
  );
  const along = ([x, y]: readonly [number, number]) => hilbertPlace(x / 3, y / 3);
  const expected = places.toSorted((a, b) => along(a) - along(b)).map((place) => place.join());
  assert.deepEqual([...features.keys()], [...expected, 'nowhere']);
});

test('a table tells ids that no row has without its rows, of several groups too', async () => {
  const count = 50_040;
  const { ids, foot } = await throughTable(
    Array.from({ length: count }, (_, n) => rowOf(n === 7 ? {} : { 'gml:id': `bldg_${n}` })),
  );
  assert.equal(foot.starts.length, 3);
  const strangers = Array.from({ length: count }, (_, n) => `tran_${n}`);
  for (let n = 0; n < count; n++) assert.equal(ids!.mayHave(`bldg_${n}`) || n === 7, true, `bldg_${n}`);
  const taken = strangers.filter((id) => ids!.mayHave(id)).length;
  assert.ok(taken < 0.05 * count, `${taken}`);
  assert.ok(ids!.byteLength <= 65_536 + 64);
  const unread = await throughTable([rowOf({ 'gml:id': 'a' })], { leftOut: 1 });
  assert.equal(unread.ids, null, 'features that cannot be read have ids too');
  const nameless = await throughTable([rowOf({})]);
  assert.equal(nameless.ids!.mayHave('a'), false);
});

test('a column that is of numbers in one table and of texts in another is of texts in an answer from both', () => {
  const partOf = (types: Record<string, 'number' | 'string' | 'boolean'>) => {
    const flat = Object.entries(types).map(([name, type]) => ({ key: name, name, type }));
    const facts = { flat, features: flat.length } as unknown as TableFacts;
    return { foot: { facts }, table: {}, paths: null, elements: null } as never;
  };
  const first = { year: 'number', code: 'string', old: 'boolean', mixed: 'string' } as const;
  const second = { year: 'number', code: 'number', old: 'boolean', mixed: 'string', more: 'number' } as const;
  const typesOf = (...parts: Parameters<typeof partOf>[0][]) =>
    Object.fromEntries(
      new WholePlan(parts.map(partOf), undefined as never).columns().map(({ name, type }) => [name, type]),
    );
  assert.deepEqual(typesOf(first, second), { ...first, more: 'number' });
  assert.deepEqual(typesOf(second, first), { ...second, code: 'string' });
});

test('an answer comes out of tables only where these have every feature of its files, with its geometry', async () => {
  const whole = { features: 7, leftOut: 0, withoutGeometry: 0, flat: [] };
  const table = { type: 'bldg', version: TABLE_VERSION };
  const all = { codes: null, elements: null };
  const bldg = { type: 'bldg', path: 'a', wellFormed: true };
  const tran = { type: 'tran', path: 'b', wellFormed: true };
  /** Numbers of tables and features in the plan. */
  async function planned(
    files: object[],
    {
      tables = [table],
      facts = {},
      types = all,
    }: { tables?: object[] | null; facts?: object; types?: object } = {},
  ) {
    const feet = { foot: async () => ({ facts: { ...whole, ...facts } }) } as unknown as TableObjects;
    async function* found() {
      for (const file of files) yield { row: { no: 1, tables } as never, file: file as never };
    }
    const plan = await new WholeFeatures(feet).plan(found(), types as never, async () => files.length);
    return plan && [plan.size, plan.most];
  }
  assert.deepEqual(await planned([bldg]), [1, 7]);
  assert.deepEqual(await planned([bldg, { ...bldg, path: 'c' }]), [1, 7]);
  assert.deepEqual(await planned([bldg, tran], { tables: [table, { ...table, type: 'tran' }] }), [2, 14]);
  assert.equal(await planned([]), null);
  assert.equal(await planned([{ ...bldg, wellFormed: false }]), null);
  for (const tables of [null, [], [{ ...table, type: 'tran' }], [{ ...table, version: TABLE_VERSION - 1 }]]) {
    assert.equal(await planned([bldg], { tables }), null, JSON.stringify(tables));
  }
  for (const facts of [{ leftOut: 1 }, { withoutGeometry: 1 }, { flat: null }]) {
    assert.equal(await planned([bldg], { facts }), null, JSON.stringify(facts));
    // Of a table that has nothing that is asked for, it does not matter.
    const types = { codes: new Set(['tran']), elements: null };
    assert.deepEqual(await planned([bldg], { facts, types }), [0, 0]);
  }
});
