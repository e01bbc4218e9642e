/** Which land the portal's map draws, and its tables. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Bounds } from '../packages/geo/src/index.ts';
import { Land } from '../packages/portal/src/map/land.ts';
import { around, type Coasts, reachesBeyond, Shores } from '../packages/portal/src/map/shores.ts';
import { coastTable, landTable } from '../packages/portal/tables.ts';

type MultiPolygon = ReturnType<typeof landTable>['features'][number]['geometry'];

const COASTS = coastTable();
const EVERYTHING = { west: 100, south: 10, east: 180, north: 65 };
const AT_SEA: Bounds = { west: 129.6, south: 25.7, east: 129.8, north: 25.9 };

/** Whether a place lies inside of one of some areas without holes, by the sides that a line to the east crosses. */
function holds({ coordinates }: MultiPolygon, [x, y]: readonly [number, number]): boolean {
  return coordinates.some(([ring]) => {
    let isInside = false;
    for (const [i, [x1, y1]] of (ring as Array<[number, number]>).entries()) {
      const [x2, y2] = ring!.at(i - 1) as [number, number];
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) isInside = !isInside;
    }
    return isInside;
  });
}

/** Land and lakes of some coasts in a box. */
function cut(coasts: Coasts, box: Bounds): [land: MultiPolygon, lakes: MultiPolygon] {
  const { features } = new Shores(coasts).within(box);
  assert.deepEqual(
    features.map(({ properties }) => properties),
    [{ isLake: false }, { isLake: true }],
  );
  return [features[0]!.geometry, features[1]!.geometry];
}

test('land from afar is closed rings within the map, without borders', () => {
  const { features } = landTable();
  assert.equal(features.length, 2);
  assert.ok(features.every(({ geometry }) => geometry.coordinates.length > 50));
  for (const ring of features.flatMap(({ geometry }) => geometry.coordinates.flat())) {
    assert.deepEqual(ring[0], ring.at(-1));
    for (const [lng, lat] of ring) assert.ok(lng! >= 108 && lng! <= 172 && lat! >= 14 && lat! <= 60);
  }
});

test('closer in, coasts are fine: harbours and islands lie where they are, and neighbours too', () => {
  const [land, lakes] = cut(COASTS, EVERYTHING);
  // The old port of Osaka, the bay of Numazu near the town, and the sea off Kawasaki.
  for (const at of [
    [135.405, 34.655],
    [138.83, 35.06],
    [139.79, 35.48],
  ] as const) {
    assert.ok(!holds(land, at), `sea at ${at}`);
  }
  for (const at of [
    [135.5, 34.65],
    [138.86, 35.1],
    [139.75, 35.68],
    [141.35, 43.06],
    [127.68, 26.21],
    // Busan and Sakhalin.
    [129.05, 35.2],
    [142.73, 46.96],
  ] as const) {
    assert.ok(holds(land, at), `land at ${at}`);
  }
  assert.ok(holds(lakes, [136.08, 35.25]), 'Lake Biwa');
  const points = ({ coordinates }: MultiPolygon) => coordinates.flat(2).length;
  assert.ok(points(land) > 8 * points(landTable().features[0]!.geometry), 'many times finer than from afar');
});

test('each island of the neighbours is where the land from afar has it', () => {
  const { coordinates } = landTable().features[1]!.geometry;
  const kept = new Set(
    cut(COASTS, EVERYTHING).flatMap((areas) => areas.coordinates.map(([ring]) => edges(ring!))),
  );
  for (const ring of coordinates.flat()) assert.ok(kept.has(edges(ring)), String(ring[0]));

  /** The first places, so that rings can be told apart. */
  function edges(ring: ReadonlyArray<readonly number[]>): string {
    return `${ring.length} ${ring.slice(0, 3).map((place) => place.map((degrees) => degrees.toFixed(3)))}`;
  }
});

describe('coasts', () => {
  test('are land, and lakes in it, in steps from place to place', () => {
    const [land, lakes] = cut(
      { land: [[1390000, 350000, 1000, 0, 0, 1000]], lakes: [[1100000, 200000, 10, 0, 0, 10]] },
      EVERYTHING,
    );
    assert.deepEqual(land.coordinates, [
      [
        [
          [139, 35],
          [139.1, 35],
          [139.1, 35.1],
          [139, 35],
        ],
      ],
    ]);
    assert.deepEqual(lakes.coordinates, [
      [
        [
          [110, 20],
          [110.001, 20],
          [110.001, 20.001],
          [110, 20],
        ],
      ],
    ]);
  });

  test('end at the sides of a box, and hold the same places within it', () => {
    const wholes = cut(COASTS, EVERYTHING);
    const box = fc.record({
      lng: fc.double({ min: 124, max: 146, noNaN: true }),
      lat: fc.double({ min: 24, max: 45, noNaN: true }),
      size: fc.constantFrom(0.05, 0.4, 3),
    });
    const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
    fc.assert(
      fc.property(box, fc.array(fc.tuple(share, share), { maxLength: 8 }), ({ lng, lat, size }, shares) => {
        const bounds = { west: lng, south: lat, east: lng + size, north: lat + size };
        for (const [i, areas] of cut(COASTS, bounds).entries()) {
          for (const [x, y] of areas.coordinates.flat(2) as Array<[number, number]>) {
            assert.ok(x >= lng - 1e-9 && x <= lng + size + 1e-9 && y >= lat - 1e-9 && y <= lat + size + 1e-9);
          }
          for (const [x, y] of shares) {
            const at = [lng + x * size, lat + y * size] as const;
            assert.equal(holds(areas, at), holds(wholes[i]!, at), String(at));
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test('are few around a city: a hundredth of all around one on an island', () => {
    const naha = { west: 127.6, south: 26.1, east: 127.8, north: 26.3 };
    const points = (box: Bounds) => cut(COASTS, box).flatMap(({ coordinates }) => coordinates.flat(2)).length;
    assert.ok(points(naha) > 100);
    assert.ok(points(naha) < points(EVERYTHING) / 100);
    assert.equal(points(AT_SEA), 0);
  });

  test('reach as far beyond a view as it is wide and high', () => {
    const view = { west: 139, south: 35, east: 139.5, north: 36 };
    const box = { west: 138.5, south: 34, east: 140, north: 37 };
    assert.deepEqual(around(view), box);
    assert.ok(!reachesBeyond(view, box) && !reachesBeyond(box, box));
    for (const side of ['west', 'south', 'east', 'north'] as const) {
      const sign = side === 'west' || side === 'south' ? -1 : 1;
      assert.ok(reachesBeyond({ ...view, [side]: box[side] + sign * 0.001 }, box), side);
    }
  });
});

describe('the land of a map', () => {
  /** A map that notes what is drawn, and coasts that come when a test says so. */
  function setUp() {
    const drawn: string[] = [];
    const asked: Array<PromiseWithResolvers<Shores>> = [];
    const land = new Land(
      'land.json',
      () => {
        asked.push(Promise.withResolvers());
        return asked.at(-1)!.promise;
      },
      {
        drawLand: (address) => drawn.push(address),
        drawCoast: ({ features }) => drawn.push(`coast of ${features.length}`),
        doWithoutCoast: () => drawn.push('no coast'),
      },
    );
    /** Tells the land of a view so wide, and what it draws then. */
    const see = (zoom: number, west = 139, size = 0.5) => {
      drawn.length = 0;
      land.follow({ west, south: 35, east: west + size, north: 35 + size }, zoom);
      return [...drawn];
    };
    return { land, drawn, asked, see };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('is all of it from afar, once', () => {
    const { land, asked, see } = setUp();
    assert.deepEqual(see(5), ['land.json']);
    assert.deepEqual(see(7.4), []);
    assert.deepEqual([asked.length, land.isLoading], [0, false]);
  });

  test('is coasts alone near by, cut anew where the view leaves what is drawn', async () => {
    const { land, drawn, asked, see } = setUp();
    assert.deepEqual(see(12), []);
    assert.deepEqual([asked.length, land.isLoading], [1, true]);
    assert.deepEqual(see(13), []);
    assert.equal(asked.length, 1);
    asked[0]!.resolve(new Shores(COASTS));
    await settled();
    assert.deepEqual(drawn, ['coast of 2']);
    assert.equal(land.isLoading, false);
    assert.deepEqual(see(12, 139.5), [], 'within what is drawn');
    assert.deepEqual(see(12, 139.51), ['coast of 2']);
    assert.deepEqual(see(12, 139.02), [], 'around the newer view');
    assert.equal(asked.length, 1);
  });

  test('is both where the two meet, so that neither is missing on the way', async () => {
    const { drawn, asked, see } = setUp();
    assert.deepEqual(see(8.6), []);
    assert.deepEqual(see(8.4), ['land.json']);
    asked[0]!.resolve(new Shores(COASTS));
    await settled();
    assert.deepEqual(drawn, ['land.json', 'coast of 2']);
    assert.deepEqual(see(7.6, 150), ['coast of 2']);
    assert.deepEqual(see(7.4, 120), []);
  });

  test('is drawn for the newest view where coasts come late', async () => {
    const { drawn, asked, see } = setUp();
    see(12);
    see(6);
    asked[0]!.resolve(new Shores(COASTS));
    await settled();
    assert.deepEqual(drawn, ['land.json']);
    assert.deepEqual(see(12), ['coast of 2']);
  });

  test('is the coarse one near by where coasts cannot be fetched', async () => {
    const { land, drawn, asked, see } = setUp();
    see(12);
    asked[0]!.reject(new Error('offline'));
    await settled();
    assert.deepEqual(drawn, ['no coast', 'land.json']);
    assert.equal(land.isLoading, false);
    assert.deepEqual([see(12, 120), see(5)], [[], []]);
    assert.equal(asked.length, 1);
  });

  test('is drawn no more after the end, whatever comes', async () => {
    for (const comes of ['resolve', 'reject'] as const) {
      const { land, drawn, asked, see } = setUp();
      see(12);
      land.end();
      if (comes === 'resolve') asked[0]!.resolve(new Shores(COASTS));
      else asked[0]!.reject(new Error('offline'));
      await settled();
      assert.deepEqual(drawn, []);
    }
  });
});
