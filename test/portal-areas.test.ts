/** Areas that people choose in the portal, and the address that keeps them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { meshBounds } from '../packages/geo/src/mesh.ts';
import { formatState, parseState, readAddress } from '../packages/portal/src/core/address.ts';
import {
  type Area,
  areaBounds,
  areaCondition,
  areaCorners,
  areaRings,
  areaSize,
  contains,
  formatArea,
  type Position,
  parseArea,
  polygonMeetsBox,
} from '../packages/portal/src/core/area.ts';
import { areaFromText } from '../packages/portal/src/core/area-text.ts';
import type { FileCounts } from '../packages/portal/src/core/files.ts';
import { boundsOfPlaces, namedPlaces, sizeOfPlaces } from '../packages/portal/src/core/named-place.ts';
import { INITIAL, PAGES, type State } from '../packages/portal/src/core/state.ts';
import { areaOfCorners, cornersOf, moveCorner, removeCorner } from '../packages/portal/src/map/corners.ts';
import { firstPlaceOnly } from '../packages/portal/src/map/first-view.ts';
import { pathOfModel } from '../packages/portal/src/three/models.ts';
import { row } from './support/portal-rows.ts';

const degrees = (min: number, max: number) =>
  fc.integer({ min: min * 1e6, max: max * 1e6 }).map((micro) => micro / 1e6);

const position = fc.tuple(degrees(-180, 180), degrees(-85, 85));

const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes(','));

test('the name of a place stands for boxes, or for areas with all of their files', () => {
  const counts = (places?: FileCounts['places']): FileCounts => ({
    cities: [],
    meshes: 0,
    meshes_km2: 0,
    ...(places && { places }),
  });
  assert.equal(namedPlaces(counts()), null);
  const [town, point, ward] = namedPlaces(
    counts([
      { name: '宮町', codes: [], bbox: [139, 35, 139.01, 35.01] },
      { name: '塔', codes: [], bbox: [139.74, 35.67, 139.74, 35.67] },
      { name: '幸区', codes: ['14132'], bbox: [139, 35, 139.1, 35.1] },
      { name: '無', codes: [], bbox: null },
    ]),
  )!;
  assert.deepEqual(town, { bounds: { west: 139, south: 35, east: 139.01, north: 35.01 }, isArea: false });
  assert.deepEqual(point!.bounds, meshBounds('53394509'), 'of a point, the mesh whose files are meant');
  assert.ok(Math.abs(sizeOfPlaces([town!])! - 1.011) < 0.001);
  assert.equal(sizeOfPlaces([town!, ward!]), null, 'a ward is no box');
  assert.deepEqual(boundsOfPlaces([town!, ward!]), { west: 139, south: 35, east: 139.1, north: 35.1 });
  assert.equal(boundsOfPlaces([]), null);
  // A line without a width has no files of its own either.
  for (const bbox of [
    [139.74, 35.67, 139.74, 35.9],
    [139.74, 35.67, 139.9, 35.67],
  ] as const)
    assert.deepEqual(
      namedPlaces(counts([{ name: '', codes: [], bbox: [...bbox] }]))![0]!.bounds,
      point!.bounds,
    );
});

describe('corners', () => {
  const corner = fc.integer({ min: 0, max: 3 });
  const box = fc
    .tuple(degrees(120, 130), degrees(20, 30), degrees(131, 140), degrees(31, 40))
    .map(([west, south, east, north]) => ({ kind: 'box' as const, bounds: { west, south, east, north } }));

  test('of a box move with their neighbours, past the one opposite too, which stays', () => {
    fc.assert(
      fc.property(box, corner, position, corner, position, (area, i, to, j, then) => {
        const once = moveCorner(cornersOf(area)!, i, to);
        for (const [before, after, index, target] of [
          [cornersOf(area)!, once, i, to],
          [once, moveCorner(once, j, then), j, then],
        ] as const) {
          const opposite = before.positions[(index + 2) % 4]!;
          assert.deepEqual(after.positions[index], target);
          assert.deepEqual(after.positions[(index + 2) % 4], opposite);
          const moved = areaOfCorners(after);
          if (moved === null) continue;
          assert.deepEqual(areaBounds(moved), {
            west: Math.min(target[0], opposite[0]),
            south: Math.min(target[1], opposite[1]),
            east: Math.max(target[0], opposite[0]),
            north: Math.max(target[1], opposite[1]),
          });
        }
      }),
    );
  });

  test('of a polygon move and leave alone, as long as three are left', () => {
    const corners = cornersOf(parseArea('p:1,1;2,1;2,2;1,2')!)!;
    const moved = moveCorner(corners, 1, [3, 0]);
    assert.equal(formatArea(areaOfCorners(moved)!), 'p:1,1;3,0;2,2;1,2');
    const three = removeCorner(moved, 1);
    assert.equal(formatArea(areaOfCorners(three)!), 'p:1,1;2,2;1,2');
    assert.equal(removeCorner(three, 0), three);
    assert.equal(cornersOf(parseArea('m:53394509')!), null);
    const box = cornersOf(parseArea('b:1,1,2,2')!)!;
    assert.equal(removeCorner(box, 0), box);
    assert.equal(areaOfCorners(moveCorner(box, 0, [2, 1.5])), null, 'a box without width');
    assert.equal(areaOfCorners(moveCorner(box, 0, [1.5, 2])), null, 'a box without height');
    assert.equal(formatArea(areaOfCorners(moveCorner(box, 0, [1.5, 1.25]))!), 'b:1.5,1.25,2,2');
  });
});

describe('the address bar', () => {
  const state = fc.record({
    view: fc.constantFrom('map', '3d', 'datasets', 'basket', 'status'),
    lang: fc.constantFrom('ja', 'en', null),
    theme: fc.constantFrom('light', 'dark', null),
    at: fc.option(fc.tuple(degrees(120, 150), degrees(20, 46), fc.integer({ min: 3, max: 20 }))),
    by: fc.constantFrom('lod', 'types', 'year'),
    pick: fc.option(word),
    layers: fc.array(word, { maxLength: 3 }),
    hit: fc.option(fc.tuple(degrees(120, 150), degrees(20, 46))),
    filters: fc.record({ city_code: word, lod: word, text: word, bbox: word }, { requiredKeys: [] }),
    row: fc.option(word),
    model: fc.option(word),
    colour: fc.oneof(fc.constant(''), word),
    feature: fc.option(word),
    also: fc.array(word, { maxLength: 3 }),
    opacity: fc.array(
      fc
        .tuple(fc.constantFrom('ground', '47900-bldg-maxlod4-latest'), fc.integer({ min: 0, max: 99 }))
        .map((pair) => pair.join(':')),
      { maxLength: 3 },
    ),
    where: fc.oneof(fc.constant(''), word),
    sun: fc.option(fc.integer({ min: 0, max: 48 }).map((n) => n / 2)),
    cut: fc.option(fc.integer({ min: 0, max: 1_000 })),
    embed: fc.boolean(),
    areas: fc.array(
      word.filter((text) => !text.includes('~')),
      { maxLength: 3 },
    ),
    shown: fc.constantFrom(null, '3d', 'textured', 'flood', 'road', 'year'),
    pref: fc.constantFrom(null, '01', '47'),
    sort: fc.constantFrom('place', 'lod', 'size'),
    types: fc.option(fc.array(word, { minLength: 1, maxLength: 3 })),
    allYears: fc.boolean(),
    papers: fc.boolean(),
    pack: fc.constantFrom(null, 'a1'.repeat(32)),
  });

  test('holds the whole state', () => {
    fc.assert(
      fc.property(state, (changes) => {
        const state = { ...INITIAL, ...changes } as State;
        state.at = (state.at?.map((n, i) => Number(n.toFixed(i === 2 ? 2 : 5))) ?? null) as State['at'];
        const url = new URL(formatState(state), 'http://portal.example');
        state.filters = { ...state.filters };
        assert.deepEqual(parseState(url.pathname, url.search), state);
      }),
    );
  });

  test('has views beside the map or instead of it, four of them behind tabs', () => {
    const viewsThat = (is: (page: (typeof PAGES)[keyof typeof PAGES]) => boolean) =>
      Object.entries(PAGES).flatMap(([name, page]) => (is(page) ? [name] : []));
    assert.deepEqual(
      viewsThat(({ isTab }) => isTab),
      ['map', '3d', 'datasets', 'basket'],
    );
    assert.deepEqual(
      viewsThat(({ onMap }) => !onMap),
      ['3d', 'datasets', 'status'],
    );
  });

  test('is empty at the beginning, and anything unreadable leads there', () => {
    assert.equal(formatState(INITIAL), '/');
    assert.deepEqual(parseState('/', '?view=nowhere&lang=xx&at=1,2&camera=x&pack=12&by=height'), INITIAL);
    assert.deepEqual(parseState('/', '?at=999,35,10&camera=139,91,100,0,-30'), INITIAL);
    assert.equal(parseState('/status', '').view, 'status');
  });

  test('names every part that could not be understood, and nothing else', () => {
    const search =
      '?view=nowhere&lang=xx&theme=light&at=999,35,10&camera=139,35,100,0&sun=25&cut=-1&pack=12&also=&embed&utm=x';
    const { state, leftOut } = readAddress('/', search);
    assert.deepEqual(leftOut, [
      'view=nowhere',
      'lang=xx',
      'at=999,35,10',
      'camera=139,35,100,0',
      'sun=25',
      'cut=-1',
      'pack=12',
    ]);
    assert.deepEqual(state, { ...INITIAL, theme: 'light', embed: true });
    assert.deepEqual(readAddress('/', '?also=a,b,c,d,e,f,g,h').leftOut, ['also=g', 'also=h']);
    assert.deepEqual(
      readAddress('/', `?${new URLSearchParams({ where: 'a>1', colour: 'height' })}`).leftOut,
      [],
    );
  });
});

describe('areas', () => {
  test('are written and read back', () => {
    const ring = fc.array(position, { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(ring, (points) => {
        const area: Area = { kind: 'polygon', ring: points };
        assert.deepEqual(parseArea(formatArea(area)), area);
      }),
    );
    for (const text of ['b:139,35,140,36', 'm:53394509,53394519', '13101', 'g:東京都']) {
      assert.equal(formatArea(parseArea(text)!), text);
    }
    for (const text of [
      'b:140,35,139,36',
      'b:1,2,3',
      'p:1,2;3,4',
      'p:1,2;3,4;x,5',
      'm:99',
      'm:',
      'x:53394509',
      'g:',
      'gx',
      '123',
      '',
    ]) {
      assert.equal(parseArea(text), null, text);
    }
  });

  test('become the condition that finds their files', () => {
    assert.equal(areaCondition(parseArea('p:139,35;140,35;139.5,36')!), 'r:139,35,140,36');
    assert.equal(areaCondition(parseArea('m:53394509')!), 'm:53394509');
    assert.equal(areaCondition(parseArea('13101')!), '13101');
    assert.equal(areaBounds(parseArea('13101')!), null);
    assert.equal(areaCondition(parseArea('g:東京都')!), 'g:東京都');
    assert.equal(areaBounds(parseArea('g:東京都')!), null);
  });

  test('a polygon meets a box as a grid of points says', () => {
    const small = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(small, { minLength: 3, maxLength: 5, selector: String }),
        small,
        (points, [west, south]) => {
          const ring = points as Position[];
          const box = { west: west - 0.5, south: south - 0.5, east: west + 2.6, north: south + 2.6 };
          let sampled = false;
          for (let x = box.west; x <= box.east && !sampled; x += 0.31) {
            for (let y = box.south; y <= box.north && !sampled; y += 0.31) sampled = contains(ring, [x, y]);
          }
          // The grid may miss a sliver, but never finds what is not there.
          if (sampled) assert.ok(polygonMeetsBox(ring, box));
        },
      ),
    );
    const far = { west: 50, south: 50, east: 51, north: 51 };
    assert.ok(
      !polygonMeetsBox(
        [
          [0, 0],
          [9, 0],
          [0, 9],
        ],
        far,
      ),
    );
    // Neither holds a corner of the other, yet they cross.
    assert.ok(
      polygonMeetsBox(
        [
          [-5, 1],
          [9, 1.2],
          [9, 1.4],
        ],
        { west: 0, south: 0, east: 2, north: 3 },
      ),
    );
  });

  test('of rings that share corners and edges have each point once', () => {
    const diamond = parseArea('p:0,0;2,-2;4,0;2,2')!;
    assert.ok(diamond.kind === 'polygon');
    for (const ring of [diamond.ring, diamond.ring.toReversed()]) {
      // Beside corners that lie as high.
      const inside = [-1, 1, 2, 3, 5].map((lng) => contains(ring, [lng, 0]));
      assert.deepEqual(inside, [false, true, true, true, false]);
    }
    const square = (west: number) =>
      areaCorners({ kind: 'box', bounds: { west, south: 0, east: west + 1, north: 1 } });
    assert.deepEqual([contains(square(0), [1, 0.5]), contains(square(1), [1, 0.5])], [false, true]);
  });

  test('are as large as their rings, on the plane that touches these', () => {
    for (const [south, text, parts] of [
      [10, 'b:139,10,139.02,10.01', 2],
      [60, 'b:139,60,139.02,60.01', 2],
      [60, 'p:139,60;139.02,60;139.02,60.01', 1],
      [60, 'p:139.02,60.01;139.02,60;139,60', 1],
    ] as const) {
      const half = 0.01 * 111.32 * Math.cos(((south + 0.005) * Math.PI) / 180) * 0.01 * 110.95;
      const size = areaSize(parseArea(text)!)!;
      assert.ok(Math.abs(size / (parts * half) - 1) < 1e-3, `${text}: ${size}`);
    }
    const meshes = ['m:53394509', 'm:53394519', 'm:53394509,53394519'].map(
      (text) => areaSize(parseArea(text)!)!,
    );
    assert.ok(Math.abs(meshes[0]! + meshes[1]! - meshes[2]!) < 1e-9);
    assert.deepEqual([areaSize(parseArea('13101')!), areaSize(parseArea('g:東京都')!)], [null, null]);
  });

  test('are drawn as closed rings, from the second corner on', () => {
    const corners: Position[] = [
      [1, 2],
      [3, 2],
      [3, 4],
    ];
    const rings = [0, 1, 2, 3].map((count) => areaRings({ kind: 'polygon', ring: corners.slice(0, count) }));
    assert.deepEqual(rings.slice(0, 2), [[], []]);
    assert.deepEqual(rings.slice(2), [[[corners[0], corners[1], corners[0]]], [[...corners, corners[0]]]]);
    assert.equal(areaRings(parseArea('m:53394509,53394519')!).length, 2);
    for (const text of ['13101', 'g:東京都']) assert.deepEqual(areaRings(parseArea(text)!), []);
  });

  test('may be typed', () => {
    assert.equal(areaFromText(' 、 '), null);
    assert.equal(areaFromText(' ５３３９４５０９、53394519 '), 'm:53394509,53394519');
    assert.equal(areaFromText('139, 35, 140, 36'), 'b:139,35,140,36');
    assert.equal(areaFromText('13101'), '13101');
    assert.equal(areaFromText('somewhere'), null);
  });
});

test('a model is a dataset or a spec', () => {
  const tiles = row({
    composite_url: 'http://a.example/datacatalog/3dtiles/13101-bldg-lod1-2023/tileset.json',
  });
  assert.equal(
    pathOfModel('13101_bldg_lod1', tiles),
    '/datacatalog/3dtiles/13101-bldg-lod1-2023/tileset.json',
  );
  assert.equal(
    pathOfModel('all-bldg-maxlod2-texture-latest', null),
    '/datacatalog/3dtiles/all-bldg-maxlod2-texture-latest/tileset.json',
  );
  assert.equal(pathOfModel('13101_bldg_lod1', { ...tiles, format: 'MVT' }), null);
  assert.equal(pathOfModel('nothing', null), null);
});

test('the place of a map that nobody has moved is not kept, and the first one again is once it was moved', () => {
  const isResting = firstPlaceOnly(true);
  const [first, other] = [
    [139.7, 35.6, 9],
    [139.7, 35.7, 9],
  ];
  const places = [first!, [139.70001, 35.6, 9], other!, first!];
  assert.deepEqual(places.map(isResting), [true, true, false, false]);
  assert.deepEqual(places.map(firstPlaceOnly(false)), [false, false, false, false]);
});
