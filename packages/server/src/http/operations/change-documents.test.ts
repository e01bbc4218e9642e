import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Difference } from '../../changes/difference.ts';
import { csvOfDifferences, geoJsonOfDifferences } from './change-documents.ts';

const removed: Difference = {
  change: 'removed',
  type: 'bldg:Building',
  id: '=SUM(A1)',
  bounds: null,
  centre: null,
  outline: null,
  height: 6,
  footprintArea: 80,
  volume: null,
  lods: [0, 1],
};
const changed: Difference = {
  change: 'changed',
  type: 'bldg:Building',
  id: 'b',
  bounds: [139, 35, 139.1, 35.1],
  centre: [139.05, 35.05],
  outline: null,
  fromId: '＝a',
  matchedBy: 'footprint',
  attributes: [
    { name: 'bldg:usage', from: { value: '401', label: '業務施設' }, to: { value: ['411', '402'] } },
    { name: 'gml:name', to: { value: 'a "b", c' } },
  ],
  attributesLeft: 0,
  geometry: {
    movedBy: 1.5,
    height: { from: 6, to: 9 },
    footprintArea: { from: null, to: 81.5 },
    volume: { from: 1, to: 2 },
    lods: { from: [1], to: [1, 2] },
  },
};

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function* pagesOf(...pages: Difference[][]): AsyncGenerator<Difference[]> {
  yield* pages;
}

test('a table has each difference in a line, before and now in columns of their own, and runs nothing', async () => {
  const text = await textOf(csvOfDifferences(pagesOf([removed], [changed])));
  const [head, first, second, ...end] = text.split('\r\n');
  assert.equal(head!.split(',').length, 17);
  assert.equal(first, `removed,bldg:Building,'=SUM(A1),,,,,,6,,80,,,,0 1,,`);
  assert.equal(
    second,
    `changed,bldg:Building,b,'＝a,footprint,139.05,35.05,1.5,6,9,,81.5,1,2,1,1 2,` +
      `"bldg:usage: 業務施設 (401) → [""411"",""402""]; gml:name: – → a ""b"", c"`,
  );
  assert.deepEqual(end, ['']);
});

test('what was added has its sizes in the columns of now', async () => {
  const added = { ...removed, change: 'added' as const };
  const [, line] = (await textOf(csvOfDifferences(pagesOf([added])))).split('\r\n');
  assert.equal(line, `added,bldg:Building,'=SUM(A1),,,,,,,6,,80,,,,0 1,`);
});

const outline = {
  type: 'Polygon' as const,
  coordinates: [
    [[139, 35] as [number, number], [139.1, 35], [139, 35.1], [139, 35]] as Array<[number, number]>,
  ],
};

test('GeoJSON has the footprint of each that has an area', async () => {
  const { features } = JSON.parse(await textOf(geoJsonOfDifferences(pagesOf([{ ...changed, outline }]))));
  assert.deepEqual(features[0].geometry, outline);
  assert.equal('outline' in features[0].properties, false);
  // Comparisons that were kept before there were outlines.
  const { outline: _, ...before } = changed;
  const old = JSON.parse(await textOf(geoJsonOfDifferences(pagesOf([before as typeof changed]))));
  assert.equal(old.features[0].geometry.type, 'Point');
});

test('GeoJSON has each other as a point with its box, or without a place', async () => {
  const { features } = JSON.parse(await textOf(geoJsonOfDifferences(pagesOf([removed, changed]))));
  assert.deepEqual(features[0].geometry, null);
  assert.equal('bbox' in features[0], false);
  assert.deepEqual(features[1].geometry, { type: 'Point', coordinates: [139.05, 35.05] });
  assert.deepEqual(features[1].bbox, changed.bounds);
  assert.deepEqual(features[1].properties.attributes, changed.attributes);
  assert.deepEqual(JSON.parse(await textOf(geoJsonOfDifferences(pagesOf()))).features, []);
});
