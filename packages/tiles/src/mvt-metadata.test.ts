import assert from 'node:assert/strict';
import { test } from 'node:test';
import { centerOf, parseMvtMetadata } from './mvt-metadata.ts';

const NOTHING = {
  name: null,
  description: null,
  attribution: null,
  minzoom: null,
  maxzoom: null,
  bounds: null,
  center: null,
  layers: null,
  scheme: 'xyz',
};

test('metadata of MBTiles has numbers and lists as text, and layers as JSON in it', () => {
  const found = parseMvtMetadata({
    name: 'Buildings',
    description: 'of a city',
    attribution: '©',
    minzoom: '8',
    maxzoom: '16',
    bounds: '139.5,35.5,139.75,36',
    center: '139.6, 35.6, 12',
    json: '{"vector_layers":[{"id":"bldg","fields":{"height":"Number"}}]}',
    scheme: 'tms',
  });
  assert.deepEqual(found, {
    name: 'Buildings',
    description: 'of a city',
    attribution: '©',
    minzoom: 8,
    maxzoom: 16,
    bounds: { west: 139.5, south: 35.5, east: 139.75, north: 36 },
    center: [139.6, 35.6, 12],
    layers: [{ id: 'bldg', fields: { height: 'Number' } }],
    scheme: 'tms',
  });
});

test('TileJSON says the same plainly', () => {
  const found = parseMvtMetadata({
    minzoom: 0,
    maxzoom: 30,
    bounds: [-180, -90, 180, 90],
    center: [-180, 90],
    vector_layers: [
      { id: 'a', description: 'A', minzoom: 3, maxzoom: 4, fields: { n: 1, t: 'String' } },
      { id: 'b', description: ' ', minzoom: -1, maxzoom: 31 },
      { id: 5 },
      null,
    ],
    json: '{"vector_layers":[]}',
  });
  assert.deepEqual(found, {
    ...NOTHING,
    minzoom: 0,
    maxzoom: 30,
    bounds: { west: -180, south: -90, east: 180, north: 90 },
    center: [-180, 90, 0],
    layers: [
      { id: 'a', description: 'A', minzoom: 3, maxzoom: 4, fields: { n: '1', t: 'String' } },
      { id: 'b', fields: {} },
    ],
  });
});

test('what is said wrongly is not said', () => {
  assert.deepEqual(parseMvtMetadata({}), NOTHING);
  for (const json of ['{', '[]', 'null', 7]) assert.deepEqual(parseMvtMetadata({ json }), NOTHING);
  for (const name of ['', ' ', 5, null]) assert.equal(parseMvtMetadata({ name }).name, null);
  for (const minzoom of ['', ' ', 'x', '1.5', -1, 31, 1.5, null, [1]]) {
    assert.equal(parseMvtMetadata({ minzoom }).minzoom, null, JSON.stringify(minzoom));
  }
  const boxes = [
    ...['1,2,3', '1,2,3,', '1,2,3,4,5', '1,2,x,4', [1, 2, 3, '4'], 5],
    ...[
      [-181, 0, 0, 0],
      [0, 0, 181, 0],
      [0, -91, 0, 0],
      [0, 0, 0, 91],
      [2, 0, 1, 0],
      [0, 2, 0, 1],
    ],
  ];
  for (const bounds of boxes) assert.equal(parseMvtMetadata({ bounds }).bounds, null, JSON.stringify(bounds));
  for (const center of ['181,0,1', [0, 91], [-181, 0], [0, -91], [0], [1, 2, 3, 4]]) {
    assert.equal(parseMvtMetadata({ center }).center, null, JSON.stringify(center));
  }
  // A point is the least of boxes.
  assert.notEqual(parseMvtMetadata({ bounds: [1, 2, 1, 2] }).bounds, null);
  assert.equal(parseMvtMetadata({ vector_layers: {} }).layers, null);
});

test('the middle of bounds has a zoom that shows them, within those that there are', () => {
  const bounds = { west: 139, south: 35, east: 140, north: 35.5 };
  assert.deepEqual(centerOf(bounds, 0, 20), [139.5, 35.25, 8]);
  assert.deepEqual(centerOf(bounds, 10, 20), [139.5, 35.25, 10]);
  assert.deepEqual(centerOf(bounds, 0, 5), [139.5, 35.25, 5]);
  assert.deepEqual(centerOf({ west: 0, south: 0, east: 0.5, north: 2 }, 0, 20), [0.25, 1, 7]);
  assert.deepEqual(centerOf({ west: 7, south: 7, east: 7, north: 7 }, 0, 30), [7, 7, 28]);
  // The width of a tile of zoom 3, and a little more.
  assert.equal(centerOf({ west: 0, south: 0, east: 45, north: 1 }, 0, 20)[2], 3);
  assert.equal(centerOf({ west: 0, south: 0, east: 45.01, north: 1 }, 0, 20)[2], 2);
});
