import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkPicture, mapPicture } from './link-picture.ts';
import { strokeText } from './stroke-text.ts';

const SQUARE = [
  [129, 25],
  [130, 25],
  [130, 26],
  [129, 26],
  [129, 25],
];

test('a picture has land, meshes and words, and no letters that need a font', () => {
  const content = {
    land: { type: 'MultiPolygon' as const, coordinates: [[SQUARE]] },
    bounds: { west: 129.6, south: 25.7, east: 129.7, north: 25.8 },
    meshes: [['38295545', 2] as const, ['38295544', 9] as const],
    places: [],
    words: ['aonagi', 'LOD 2 - 2024', '<script>青'],
  };
  const svg = linkPicture(content);
  assert.match(svg, /^<svg [^>]*width="1200" height="630">/);
  assert.equal(svg.match(/opacity="0.8"/g)!.length, 2);
  assert.ok(!/<text|script|青|NaN/.test(svg));
  const map = mapPicture(content);
  assert.match(map, /viewBox="0 0 640 348">/);
  assert.equal(map.match(/opacity="0.8"/g)!.length, 2);
  assert.match(mapPicture({ ...content, meshes: [] }), /fill-opacity/, 'the box of tiles alone');
  // Of land that is not in view only the country beside it draws something.
  const elsewhere = linkPicture({ ...content, bounds: { west: 141, south: 43, east: 141.1, north: 43.1 } });
  assert.ok(elsewhere.length < svg.length);
  const country = linkPicture({
    ...content,
    bounds: null,
    meshes: [],
    places: [{ at: [135, 35], lod: 1, size: 1 }],
  });
  assert.match(country, /<circle cx="[\d.]+" cy="[\d.]+" r="10" fill="#86b2de"/);
});

test('a picture of a town holds little of a coast that is long', () => {
  const ring = Array.from({ length: 20_000 }, (_, i) => {
    const angle = (i / 20_000) * 2 * Math.PI;
    return [138 + 6 * Math.cos(angle), 37 + 6 * Math.sin(angle)];
  });
  const land = { type: 'MultiPolygon' as const, coordinates: [[[...ring, ring[0]!]]] };
  const bounds = { west: 143.9, south: 36.9, east: 144.1, north: 37.1 };
  const svg = mapPicture({ land, bounds, meshes: [] });
  assert.ok(svg.length < 50_000, `${svg.length} bytes`);
});

test('every capital letter and digit has strokes inside its cell', () => {
  for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') {
    const { path, width } = strokeText(character, 10, 20, 60);
    const numbers = [...path.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    assert.ok(numbers.length >= 2, character);
    assert.equal(width, 40, character);
    for (const [x, y] of numbers) assert.ok(x! >= 10 && x! <= 50 && y! >= 20 && y! <= 80, character);
  }
  assert.deepEqual(strokeText('青~', 0, 0, 60), { path: '', width: 0 });
  assert.equal(strokeText('A b', 0, 0, 60).width, 60 + 40 + 40);
});
