import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMIT, MAX_LIMIT, readSearch, wordsOfQuery } from './search-request.ts';

test('a query and a body with the same words ask for the same', () => {
  const point = { type: 'Point', coordinates: [139, 35] };
  assert.deepEqual(
    readSearch(
      wordsOfQuery({
        collections: 'bldg, 13101',
        ids: 'a',
        datetime: '2023-04-01T00:00:00Z',
        limit: '20',
        intersects: JSON.stringify(point),
        token: 'bldg/a',
      }),
    ),
    readSearch({
      collections: ['bldg', '13101'],
      ids: ['a'],
      datetime: '2023-04-01T00:00:00Z',
      limit: 20,
      intersects: point,
      token: 'bldg/a',
    }),
  );
  assert.deepEqual(
    readSearch(wordsOfQuery({ bbox: '139,35,140,36' })),
    readSearch({ bbox: [139, 35, 140, 36] }),
  );
  assert.deepEqual(readSearch(wordsOfQuery({ limit: '', bbox: '' })), readSearch({}));
});

test('limits: ten unless asked otherwise, 100 at most', () => {
  assert.equal(readSearch({}).limit, DEFAULT_LIMIT);
  assert.equal(readSearch({ limit: 10_000 }).limit, MAX_LIMIT);
  for (const limit of [0, -1, 1.5, 10_001, '10', true])
    assert.throws(() => readSearch({ limit }), /limit is/, String(limit));
});

test('a line has two positions, alone and among others', () => {
  const line = [
    [138, 35],
    [141, 36],
  ];
  for (const geometry of [
    { type: 'LineString', coordinates: line },
    { type: 'MultiLineString', coordinates: [line, line] },
  ]) {
    assert.ok(readSearch({ intersects: geometry }).filter.intersects !== null, geometry.type);
  }
});

test('what is not accepted is named', () => {
  for (const [words, reason] of [
    [{ bbox: [0, 0, 1, 1], intersects: { type: 'Point', coordinates: [0, 0] } }, /one of them/],
    [{ collections: 'bldg' }, /collections is no list/],
    [{ ids: [1] }, /ids is no list/],
    [{ ids: Array(1_001).fill('a') }, /at most 1000/],
    [{ bbox: '0,0,1,1' }, /bbox is no list/],
    [{ datetime: 2023 }, /datetime is no text/],
    [{ token: 7 }, /token is no text/],
    [{ intersects: 'POINT(0 0)' }, /GeoJSON/],
    [{ intersects: { type: 'Circle' } }, /Circle/],
    [{ intersects: { type: 'Point', coordinates: [200, 0] } }, /degrees/],
    [{ intersects: { type: 'Point', coordinates: ['139', '35'] } }, /degrees/],
    [{ intersects: { type: 'Polygon', coordinates: [] } }, /without a ring/],
    [{ intersects: { type: 'Polygon', coordinates: [[[0, 0]]] } }, /at least 4/],
    [{ intersects: { type: 'LineString', coordinates: [[139, 35]] } }, /at least 2/],
    [{ intersects: { type: 'MultiLineString', coordinates: [[[139, 35]]] } }, /at least 2/],
    [{ intersects: { type: 'MultiPoint', coordinates: Array(1_001).fill([0, 0]) } }, /more than 1000/],
  ] as const) {
    assert.throws(() => readSearch(words), reason, JSON.stringify(words).slice(0, 80));
  }
  let nested: object = { type: 'Point', coordinates: [0, 0] };
  for (let i = 0; i < 6; i++) nested = { type: 'GeometryCollection', geometries: [nested] };
  assert.throws(() => readSearch({ intersects: nested }), /deep/);
  assert.throws(() => wordsOfQuery({ bbox: ['0,0,1,1', '2,2,3,3'] }), /given 2 times/);
  assert.throws(() => wordsOfQuery({ intersects: '{' }), /no JSON/);
  assert.throws(() => wordsOfQuery({ intersects: '{'.padEnd(50_001) }), /too long; send it with POST/);
  const deep = `{"type":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  assert.throws(() => wordsOfQuery({ intersects: deep }), /at most|deep|nest/);
  assert.throws(() => readSearch(wordsOfQuery({ bbox: '139,x,140,36' })), /bbox/);
  assert.throws(() => readSearch(wordsOfQuery({ limit: 'many' })), /limit is "many"/);
});
