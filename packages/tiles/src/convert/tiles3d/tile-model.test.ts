import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TileFrame } from '../mesh/tile-frame.ts';
import { bodyOfPolygons } from '../read/bodies.ts';
import type { Column } from '../read/column.ts';
import type { Drawn } from './drawn-bodies.ts';
import { type Look, PLAIN_LOOK, PLAIN_POLYGON, type PolygonLook } from './look.ts';
import { type ShownFeature, tileModel } from './tile-model.ts';

const [LNG, LAT, METRE] = [139.7, 35.6, 111_320];
const EAST = METRE * Math.cos((LAT * Math.PI) / 180);
const FRAME = new TileFrame(LNG, LAT, 0);
const SIGNAL = new AbortController().signal;

type Ring = ReadonlyArray<readonly [east: number, north: number, up: number]>;
const square = (x: number, y: number, side: number, z = 0): Ring => [
  [x, y, z],
  [x + side, y, z],
  [x + side, y + side, z],
  [x, y + side, z],
];

interface Options {
  type?: string;
  lod?: number;
  isTwoSided?: boolean;
  keys?: number[];
  columns?: Column[];
}

/** A feature of polygons, each of rings, in metres from the corner of the tile. */
function featureOf(id: string, polygons: Ring[][], options: Options = {}): ShownFeature {
  const { type = 'bldg:Building', lod = 2, isTwoSided = false, keys = [], columns } = options;
  const rings = polygons.flat();
  const ends = (counts: number[]) => {
    let sum = 0;
    return Uint32Array.from(counts, (count) => (sum += count));
  };
  const body = bodyOfPolygons(
    Float64Array.from(rings.flat().flatMap(([x, y, z]) => [LNG + x / EAST, LAT + y / METRE, z])),
    ends(rings.map(({ length }) => length)),
    ends(polygons.map(({ length }) => length)),
    isTwoSided,
  );
  body.surfaceKeys.set(keys);
  const head = { id, type, columns: columns ?? [{ name: 'gml_id', type: 'STRING' as const, value: id }] };
  return { head, body, lod, source: id.charCodeAt(0) };
}

/** The model, and what was drawn of each feature by its source. */
async function modelOf(features: ShownFeature[], look: Look = PLAIN_LOOK, byType = true, frame = FRAME) {
  const drawn = new Map<string, Drawn>();
  const model = await tileModel(
    features,
    frame,
    look,
    (source, id, what) => {
      assert.equal(source, id.charCodeAt(0));
      drawn.set(id, what);
    },
    byType,
    null,
    SIGNAL,
  );
  return { model, drawn };
}

const triangles = ({ indices }: { indices: Uint32Array }) => indices.length / 3;

test('polygons that look alike are one mesh: by image, transparency, sides and table', async () => {
  const looks: PolygonLook[] = [
    PLAIN_POLYGON,
    { ...PLAIN_POLYGON, colour: 0xff0000ff },
    { ...PLAIN_POLYGON, colour: 0xff0000fe },
    { image: 0, uvs: new Float32Array(8), colour: 0xffffffff },
    { image: 1, uvs: new Float32Array(8), colour: 0xffffffff },
  ];
  const polygons = looks.map((_, i) => [square(10 * i, 0, 5)]);
  const { model } = await modelOf(
    [
      featureOf('a', polygons),
      featureOf('b', polygons, { isTwoSided: true }),
      featureOf('c', polygons, { type: 'uro:Pipe' }),
    ],
    { images: [], of: (_, polygon) => looks[polygon]! },
  );
  const found = model.primitives.map(({ image, blend, isTwoSided, table, mesh }) => [
    ...[image, blend, isTwoSided, table],
    triangles(mesh),
  ]);
  const expected = [
    [false, 0],
    [true, 0],
    [false, 1],
  ].flatMap(([isTwoSided, table]) => [
    [null, false, isTwoSided, table, 4],
    [null, true, isTwoSided, table, 2],
    [0, false, isTwoSided, table, 2],
    [1, false, isTwoSided, table, 2],
  ]);
  assert.deepEqual(found, expected);
});

test('each position of a polygon has its own coordinates, colour and row', async () => {
  const uvs = Float32Array.of(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8);
  const features = [
    featureOf('a', [[square(0, 0, 5)]]),
    featureOf('b', [[square(9, 0, 5)], [square(20, 3, 7)]]),
  ];
  const { model } = await modelOf(features, {
    images: [],
    of: (feature, polygon) => ({ image: 0, uvs, colour: 0x01020300 + 16 * feature + polygon }),
  });
  const [{ mesh } = assert.fail('no mesh'), ...others] = model.primitives;
  assert.equal(others.length, 0);
  const corners = Array.from(mesh.positions.subarray(0, mesh.positions.length / 3), (_, i) => ({
    uv: [...mesh.uvs!.subarray(2 * i, 2 * i + 2)].map((value) => Math.round(10 * value) / 10),
    colour: [...mesh.colours!.subarray(4 * i, 4 * i + 4)],
    row: mesh.features[i],
  }));
  assert.equal(corners.length, 12);
  const all = corners.map(({ uv, colour, row }) => [...uv, ...colour, row].join(' ')).sort();
  const expected = [
    [0x00, 0],
    [0x10, 1],
    [0x11, 1],
  ].flatMap(([opacity, row]) =>
    [0.1, 0.3, 0.5, 0.7].map((u) => `${u} ${(u * 10 + 1) / 10} 1 2 3 ${opacity} ${row}`),
  );
  assert.deepEqual(all, expected.sort());
});

test('a shaded polygon has the normals of its positions, and turns where its ring does', async () => {
  const normals = Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  const ring: Ring = square(0, 0, 5).slice(0, 3);
  const shapes = await Promise.all(
    [false, true].map(async (isTurned) => {
      const { model } = await modelOf([featureOf('a', [[ring]])], {
        images: [],
        of: () => ({ ...PLAIN_POLYGON, shade: { normals, isTurned } }),
      });
      const { mesh } = model.primitives[0]!;
      return Array.from(mesh.indices, (i) => [...mesh.normals.subarray(3 * i, 3 * i + 3)].indexOf(1));
    }),
  );
  const [first, turned] = shapes as [number[], number[]];
  assert.deepEqual([...first].sort(), [0, 1, 2]);
  const from = turned.indexOf(first[0]!);
  assert.deepEqual([turned[(from + 1) % 3], turned[(from + 2) % 3]], [first[2], first[1]]);
});

test('features are rows of the table of their type, or of one table; buildings say their level', async () => {
  const features = [
    featureOf('b', [[square(0, 0, 5)]], { type: 'uro:Pipe' }),
    featureOf('a', [[square(9, 0, 5)]], { lod: 3 }),
    featureOf('c', [[square(20, 0, 5)]]),
  ];
  const rows = async (byType: boolean) => {
    const { model } = await modelOf(features, PLAIN_LOOK, byType);
    return {
      places: model.places,
      tables: model.tables.map(({ type, columns }) => [
        type,
        ...columns.map(({ name, values }) => [name, ...values]),
      ]),
    };
  };
  assert.deepEqual(await rows(true), {
    places: [
      [1, 0],
      [0, 0],
      [0, 1],
    ],
    tables: [
      ['bldg:Building', ['gml_id', 'a', 'c'], ['_lod', 3, 2]],
      ['uro:Pipe', ['gml_id', 'b']],
    ],
  });
  assert.deepEqual(await rows(false), {
    places: [
      [0, 0],
      [0, 1],
      [0, 2],
    ],
    tables: [['feature', ['gml_id', 'b', 'a', 'c'], ['_lod', undefined, 3, 2]]],
  });
});

test('furniture lies three millimetres above where it is', async () => {
  const heightOf = async (type: string) => {
    const { model } = await modelOf([featureOf('a', [[square(0, 0, 5, 2)]], { type })]);
    const [x, y, z] = model.primitives[0]!.mesh.positions;
    const [tx, ty, tz] = model.translation;
    // Y up: from the middle of the Earth.
    return Math.hypot(x! + tx, y! + ty, z! + tz);
  };
  const lift = (await heightOf('frn:CityFurniture')) - (await heightOf('bldg:Building'));
  assert.ok(Math.abs(lift - 0.003) < 5e-4, `${lift} m`);
});

test('what is drawn of a body is counted, and what is not, with its area', async () => {
  const bow: Ring = [
    [0, 0, 0],
    [4, 4, 0],
    [4, 0, 0],
    [0, 4, 0],
  ];
  // A patch of its own: with others of one it would be drawn.
  const keys = [0, 1, 1, 0, 2, 1, 0, 1, 1];
  const { model, drawn } = await modelOf([
    featureOf(
      'a',
      [[square(0, 0, 10), square(2, 2, 2).toReversed()], [square(30, 0, 0.005)], [square(40, 0, 2)]],
      { keys },
    ),
    featureOf('b', [[bow]]),
    featureOf('c', []),
  ]);
  const { area, tinyArea, ...counts } = drawn.get('a')!;
  assert.deepEqual(counts, { polygons: 2, tiny: 1, crossed: 0, crossedArea: 0, crossing: 0, bent: 0 });
  assert.ok(Math.abs(area - 100) < 0.5, `${area} m²`);
  assert.ok(tinyArea > 0 && tinyArea < 1e-4, `${tinyArea} m²`);
  const bows = drawn.get('b')!;
  assert.equal(bows.polygons + bows.crossed, 1);
  assert.equal(drawn.get('c')!.polygons, 0);
  assert.ok(model.primitives.length >= 1);
});

test('small polygons of what is large enough together are drawn', async () => {
  // Each has a quarter of the smallest area.
  const specks = Array.from({ length: 6 }, (_, i) => [square(i, 0, 0.005)]);
  const keys = (around: number[], owner: number[]) => specks.flatMap((_, i) => [0, around[i]!, owner[i]!]);
  const all = (value: number) => specks.map(() => value);
  const shown = async (ids: number[]) =>
    (await modelOf([featureOf('a', specks, { keys: ids })])).drawn.get('a')!.polygons;
  assert.equal(await shown(keys(all(1), all(1))), 6);
  assert.equal(await shown(keys([1, 1, 1, 2, 2, 2], all(1))), 0);
  assert.equal(await shown(keys(all(1), [1, 1, 1, 1, 1, 2])), 5);
});
