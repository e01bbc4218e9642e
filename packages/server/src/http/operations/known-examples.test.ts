import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GmlFileRow, PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { sampleExamples } from '../describe/examples.ts';
import { type ExampleSource, findExamples } from './known-examples.ts';

const PUBLIC_URL = 'https://city.example';
const SAMPLE = sampleExamples(PUBLIC_URL);
const BOUNDS = { west: 139.7, south: 35.6, east: 139.8, north: 35.7 };

const rowOf = (no: number, year: number, types: string[]) => ({ no, year, types }) as unknown as PackageRow;

function fileOf(path: string, changes: Partial<GmlFileRow> = {}): GmlFileRow {
  return { path, size: 100, features: 1, mesh: '53394525', bounds: BOUNDS, ...changes } as GmlFileRow;
}

/** A catalogue of CityGML by city, with blocks of tiles by their keys, which list these URLs. */
function snapshotOf(cities: Record<string, PackageRow[]>, blocks: Record<string, string[]> = {}): Snapshot {
  const rows = (urls: string[]) => {
    const texts = urls.map((url) => JSON.stringify({ url }));
    const starts = texts.map((_, i) => Buffer.byteLength(texts.slice(0, i).join(',')) + Math.min(i, 1));
    return { bytes: Buffer.from(texts.join(',')), starts };
  };
  return {
    cityGml: new Map(Object.entries(cities)),
    tables: {
      latest_datasets: { blocks: Object.entries(blocks).map(([key, urls]) => ({ key, ...rows(urls) })) },
    },
  } as unknown as Snapshot;
}

/** What the source is asked, and answers of operations by the beginnings of their paths. */
function sourceOf(files: GmlFileRow[], answers: Record<string, unknown> = {}) {
  const asked: unknown[] = [];
  const source: ExampleSource = {
    catalogue: {
      gmlFiles: async (by: unknown) => {
        asked.push(by);
        return files;
      },
    } as unknown as ExampleSource['catalogue'],
    urls: { member: (row: PackageRow, path: string) => `${row.no}:${path}` } as unknown as AssetUrls,
    publicUrl: PUBLIC_URL,
    ask: async (path: string) => {
      asked.push(path);
      return { status: 200, json: answers[path.split('?')[0]!] ?? {} };
    },
  };
  return { source, asked };
}

test('without CityGML the examples are those of the sample city', async () => {
  const { source, asked } = sourceOf([]);
  assert.deepEqual(await findExamples(snapshotOf({}), source), SAMPLE);
  assert.deepEqual(asked, []);
});

test('the first municipality counts, before prefectures, with its smallest file of buildings', async () => {
  const cities = {
    13: [rowOf(1, 2020, ['bldg'])],
    '27100': [rowOf(2, 2021, ['bldg']), rowOf(3, 2020, ['bldg'])],
    '13101': [rowOf(4, 2023, ['tran', 'bldg'])],
  };
  const files = [
    fileOf('empty', { size: 1, features: 0 }),
    fileOf('large', { size: 300 }),
    fileOf('small', { size: 200, mesh: '53394526' }),
  ];
  const { source, asked } = sourceOf(files, {
    '/citygml/features': { featureIds: ['a,b', 'bldg_c d'] },
    '/citygml/attributes': [{ _bbox: { center: { lng: 139.75, lat: 35.65 } } }],
  });
  const found = await findExamples(snapshotOf(cities), source);
  assert.deepEqual(found, {
    ...SAMPLE,
    city: '13101',
    compared: '27100',
    edition: '13101-2023',
    type: 'bldg',
    mesh: '53394526',
    gml: '4:small',
    id: 'bldg_c d',
    spatialId: '17/116417/51627',
  });
  assert.deepEqual(asked, [
    { packageNos: [4], types: ['bldg'], limit: 50 },
    '/citygml/features?url=4%3Asmall&bbox=139.7,35.6,139.8,35.7',
    '/citygml/attributes?url=4%3Asmall&id=bldg_c%20d&fields=gml:id',
  ]);
});

test('a prefecture stands for municipalities where there is none, its first type for buildings', async () => {
  const { source } = sourceOf([fileOf('a', { mesh: '', bounds: null })]);
  const found = await findExamples(snapshotOf({ 13: [rowOf(1, 2020, ['tran', 'luse'])] }), source);
  assert.deepEqual(found, { ...SAMPLE, city: '13', edition: '13-2020', type: 'tran', gml: '1:a' });
});

test('what is not there is that of the sample city', async () => {
  const cities = { '13101': [rowOf(1, 2020, ['bldg'])] };
  const of = async (files: GmlFileRow[], answers = {}) => {
    const { gml, id, spatialId } = await findExamples(snapshotOf(cities), sourceOf(files, answers).source);
    return { gml, id, spatialId };
  };
  const { gml, id, spatialId } = SAMPLE;
  assert.deepEqual(await of([]), { gml, id, spatialId });
  assert.deepEqual(await of([fileOf('a', { features: 0 })]), { gml, id, spatialId });
  assert.deepEqual(await of([fileOf('a')]), { gml: '1:a', id, spatialId });
  const ids = (...featureIds: string[]) => ({ '/citygml/features': { featureIds } });
  assert.deepEqual(await of([fileOf('a')], ids('a,b')), { gml: '1:a', id, spatialId });
  assert.deepEqual(await of([fileOf('a')], ids('c')), { gml: '1:a', id: 'c', spatialId });
  const { source, asked } = sourceOf([]);
  const none = await findExamples(snapshotOf({ '13101': [rowOf(1, 2020, [])] }), source);
  assert.deepEqual([none, asked], [{ ...SAMPLE, city: '13101', edition: '13101-2020' }, []]);
  assert.equal((await findExamples(snapshotOf({ '13101': [] }), sourceOf([]).source)).city, SAMPLE.city);
});

test('the first composite and TileJSON are those of the first block of their kind', async () => {
  const blocks = {
    'citygml/13101': ['https://x/citygml/no/spec.json'],
    'mvt/13101': ['https://x/mvt/13101-luse-latest/tiles.json', 'https://x/mvt/other/tiles.json'],
    '3dtiles/13101': ['https://x/3dtiles/13101-bldg-latest/tileset.json'],
    '3dtiles/13102': ['https://x/3dtiles/13102-bldg-latest/tileset.json'],
  };
  const found = await findExamples(snapshotOf({}, blocks), sourceOf([]).source);
  assert.deepEqual(found, { ...SAMPLE, tileset: '13101-bldg-latest', tileJson: '13101-luse-latest' });
  const one = await findExamples(snapshotOf({}, { 'mvt/1': blocks['mvt/13101'] }), sourceOf([]).source);
  assert.deepEqual([one.tileset, one.tileJson], [SAMPLE.tileset, '13101-luse-latest']);
});
