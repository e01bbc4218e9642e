/** Shapes and sums of the portal beside slow and obvious ways to find them, and choices among equals. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { SKY_COLOURS } from '../packages/base/src/index.ts';
import { type Bounds, spatialIdOf } from '../packages/geo/src/index.ts';
import { type AreaCounts, featuresOfAreas, typesOf } from '../packages/portal/src/basket/counts.ts';
import { packName } from '../packages/portal/src/basket/names.ts';
import {
  areaCorners,
  contains,
  type Position,
  parseArea,
  polygonMeetsBox,
} from '../packages/portal/src/core/area.ts';
import { featuresOf } from '../packages/portal/src/core/feature-sums.ts';
import type { FileCounts, FoundFile } from '../packages/portal/src/core/files.ts';
import { Places } from '../packages/portal/src/core/gazetteer.ts';
import { preferredLanguage, wordsOf } from '../packages/portal/src/core/i18n.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { cornersOf, moveCorner } from '../packages/portal/src/map/corners.ts';
import { attributeName } from '../packages/portal/src/three/attribute-names.ts';
import { floodFacts } from '../packages/portal/src/three/flood-facts.ts';
import { drawHouse } from '../packages/portal/src/three/house-drawing.ts';
import { kindName } from '../packages/portal/src/three/models.ts';
import { drawProfile } from '../packages/portal/src/three/profile.ts';
import { airOf, rgbOf } from '../packages/portal/src/three/scene/air.ts';
import { borderOf, groundPicture, landAround } from '../packages/portal/src/three/scene/ground-border.ts';
import { localGround } from '../packages/portal/src/three/scene/ground-height.ts';
import {
  drawGround,
  PICTURE_SIZE,
  type TilePart,
} from '../packages/portal/src/three/scene/ground-picture.ts';
import { groundDatasets, landColour, PAPER } from '../packages/portal/src/three/scene/ground-style.ts';
import { boundsOfTile } from '../packages/portal/src/three/scene/ground-tiles.ts';
import { areaTable } from '../packages/portal/tables.ts';
import { encodeTile } from '../packages/tiles/src/convert/vector/encode-tile.ts';
import { encode } from '../packages/tiles/src/convert/vector/tile-commands.ts';
import { city, row } from './support/portal-rows.ts';

describe('a polygon', () => {
  const whole = fc.integer({ min: -8, max: 8 });
  /** Around a middle, by angle: it never crosses itself. */
  const star = fc
    .tuple(whole, whole, fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 3, maxLength: 7 }))
    .chain(([x, y, angles]) =>
      fc
        .array(fc.integer({ min: 2, max: 9 }), { minLength: angles.length, maxLength: angles.length })
        .map((radii) =>
          angles
            .sort((a, b) => a - b)
            .map((angle, i): Position => {
              const turn = (angle * Math.PI) / 12 + 0.1;
              return [x + 0.17 + radii[i]! * Math.cos(turn), y + 0.13 + radii[i]! * Math.sin(turn)];
            }),
        ),
    );
  const box = fc
    .tuple(whole, whole, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
    .map(([west, south, width, height]) => ({ west, south, east: west + width, north: south + height }));

  /** How often its edges go around a point. */
  function turns(ring: readonly Position[], [x, y]: Position): number {
    let sum = 0;
    for (const [i, [ax, ay]] of ring.entries()) {
      const [bx, by] = ring[(i + 1) % ring.length]!;
      const turn = Math.atan2(by - y, bx - x) - Math.atan2(ay - y, ax - x);
      sum += Math.atan2(Math.sin(turn), Math.cos(turn));
    }
    return Math.round(sum / (2 * Math.PI));
  }

  /** Points along its edges. */
  function* along(ring: readonly Position[], steps: number): Generator<Position> {
    for (const [i, [ax, ay]] of ring.entries()) {
      const [bx, by] = ring[(i + 1) % ring.length]!;
      for (let n = 0; n < steps; n++) yield [ax + ((bx - ax) * n) / steps, ay + ((by - ay) * n) / steps];
    }
  }

  test('contains what its edges go around', () => {
    fc.assert(
      fc.property(star, fc.tuple(whole, whole), (ring, point) => {
        assert.equal(contains(ring, point), turns(ring, point) !== 0);
      }),
      { numRuns: 500 },
    );
  });

  test('meets a box where a corner of either, or a point of an edge, is in the other', () => {
    fc.assert(
      fc.property(star, box, (ring, { west, south, east, north }) => {
        const within =
          (margin: number) =>
          ([x, y]: Position) =>
            x > west - margin && x < east + margin && y > south - margin && y < north + margin;
        const middle: Position = [(west + east) / 2, (south + north) / 2];
        const points = [...along(ring, 400)];
        const isSure = points.some(within(0)) || turns(ring, middle) !== 0;
        const meets = polygonMeetsBox(ring, { west, south, east, north });
        if (isSure) assert.equal(meets, true);
        // No point of an edge is farther from those that were looked at.
        else if (!points.some(within(0.05))) assert.equal(meets, false);
      }),
      { numRuns: 500 },
    );
  });

  test('has the corners that were drawn, a box four, and other areas none', () => {
    const corners = (text: string) => areaCorners(parseArea(text)!);
    assert.deepEqual(corners('p:1,2;3,2;3,4').flat(), [1, 2, 3, 2, 3, 4]);
    assert.deepEqual(corners('b:1,2,3,4').flat(), [1, 2, 3, 2, 3, 4, 1, 4]);
    for (const text of ['m:53394509', '13101', 'g:川崎市']) assert.deepEqual(corners(text), [], text);
  });
});

describe('sums of a basket', () => {
  const of = (features: number, zip = 40) => ({
    ...{ files: 2, features, bytes: 100, zip_bytes: zip, max_lod: 1 },
  });
  const counts = (types: Record<string, ReturnType<typeof of>>) =>
    ({
      cities: [{ cityCode: '13101', year: 2023, types }],
      meshes: 0,
      meshes_km2: 0,
    }) as unknown as FileCounts;
  const file = (type: string, features: number, fileSize: number) =>
    ({ type, features, fileSize, code: '53394509', maxLod: 1, url: '' }) as unknown as FoundFile;
  const area = (files: FoundFile[] | null, inBox: FileCounts): AreaCounts => ({
    ...{ text: '', area: parseArea('p:1,2;3,2;3,4')!, condition: '', counts: inBox, files },
  });

  test('of a polygon are those of its files, which are as small in a zip as those around it', () => {
    const inBox = counts({ bldg: of(10), tran: of(1, 100) });
    const types = typesOf([area([file('bldg', 4, 50), file('frn', 1, 7)], inBox)]);
    assert.deepEqual(Object.fromEntries(types), {
      bldg: { files: 1, features: 4, bytes: 50, zip: 20 },
      // Of a type that the box does not have nothing is known.
      frn: { files: 1, features: 1, bytes: 7, zip: 7 },
    });
    const empty = counts({ bldg: { ...of(0, 0), files: 0, bytes: 0 } });
    assert.equal(typesOf([area([file('bldg', 1, 9)], empty)]).get('bldg')!.zip, 9);
  });

  test('of several areas are those of each, added up', () => {
    const some = [
      area(null, counts({ bldg: of(10) })),
      area(null, counts({ bldg: of(5), tran: of(1, 100) })),
    ];
    assert.deepEqual(Object.fromEntries(typesOf(some)), {
      bldg: { files: 4, features: 15, bytes: 200, zip: 80 },
      tran: { files: 2, features: 1, bytes: 100, zip: 100 },
    });
  });

  test('as data are a share of what the box has', () => {
    for (const [inBox, kept, features] of [
      [of(10), 4, 4],
      [of(1), 1, 1],
      [of(1), 0, 0],
      [of(0), 0, 0],
    ] as const) {
      const around = counts({ bldg: inBox });
      const sum = featuresOfAreas([area([file('bldg', kept, 50)], around)]).get('bldg')!;
      const all = featuresOf(around).get('bldg')!.tables!;
      assert.equal(sum.features, features);
      const share = inBox.features === 0 ? 0 : kept / inBox.features;
      assert.ok(Math.abs(sum.tables!.csv - all.csv * share) < 1e-6, `${sum.tables!.csv}`);
    }
  });
});

test('a zip is called by its place, types, years and meshes, as far as they are few', () => {
  const area = (text: string, years: readonly number[], types = ['bldg']): AreaCounts => ({
    ...{ text, area: parseArea(text)!, condition: text, files: null },
    counts: {
      ...{ meshes: 0, meshes_km2: 0 },
      cities: years.map((year) => ({
        ...{ cityCode: '99999', year },
        types: Object.fromEntries(types.map((type) => [type, {}])),
      })),
    } as unknown as FileCounts,
  });
  const box = 'b:1,2,3,4';
  for (const [areas, chosen, expected] of [
    [[area(box, [2023])], ['bldg'], '99999_bldg_2023'],
    [[area(box, [2023], ['bldg', 'tran'])], null, '99999_bldg-tran_2023'],
    [[area(box, [2023])], ['a', 'b', 'c'], '99999_a-b-c_2023'],
    [[area(box, [2023])], ['a', 'b', 'c', 'd'], '99999_all_2023'],
    [[area(box, [2024, 2020, 2022])], ['a'], '99999_a_2020-2024'],
    [[area(box, [])], ['a'], 'citygml_a'],
    [[area('m:53394509', [2023])], ['a'], '99999_a_2023_53394509'],
    [[area('m:53394509,53394519,53394529', [2023])], ['a'], '99999_a_2023_53394509-and-2'],
    [[area('m:53394509', [2023]), area('m:53394519', [2023])], ['a'], '99999_a_2023_53394509-and-1'],
  ] as const)
    assert.equal(packName(areas, chosen), expected);
});

test('a corner of a box takes its neighbours along: each pair of them has a side in common', () => {
  for (const text of ['b:1,20,3,40', 'b:20,1,40,3', 'b:1,1,2,2']) {
    for (const index of [0, 1, 2, 3]) {
      const corners = cornersOf(parseArea(text)!)!;
      const { positions } = moveCorner(corners, index, [50, 60]);
      for (const [i, [lng, lat]] of positions.entries()) {
        const [before, after] = [corners.positions[i]!, corners.positions[(i + 1) % 4]!];
        const next = positions[(i + 1) % 4]!;
        assert.equal(lng === next[0], before[0] === after[0], `${text} ${index} ${i}`);
        assert.equal(lat === next[1], before[1] === after[1], `${text} ${index} ${i}`);
      }
    }
  }
});

test('a building has up to 24 rows of windows, of five pixels and more', () => {
  const rowsOf = (storeys: number, height = 60) => {
    const { windows } = drawHouse({ height, storeys, width: 40, isPitched: false, depths: [] });
    return new Set(windows.map(([, y]) => y)).size;
  };
  const { ground, top } = drawHouse({ height: 60, storeys: 1, width: 40, isPitched: false, depths: [] });
  const most = Math.min(24, Math.floor((ground - top) / 5));
  assert.ok(most > 10, `${most}`);
  for (const storeys of [1, 2, most - 1, most]) assert.equal(rowsOf(storeys), storeys);
  assert.equal(rowsOf(most + 1), 0);
});

test('a low building without water is drawn as large as one of four metres', () => {
  const scaleOf = (height: number, depths: number[] = []) =>
    drawHouse({ height, storeys: 1, width: 4, isPitched: false, depths }).scale;
  assert.equal(scaleOf(1), scaleOf(4));
  assert.equal(scaleOf(1, [3.9]), scaleOf(4));
  assert.ok(scaleOf(4.1) < scaleOf(4));
  assert.equal(scaleOf(1, [0.5, 8]), scaleOf(8));
});

describe('code to paste', () => {
  const base = row({ name: "A <b> & 'c'", composite_url: 'https://a.example/c/tileset.json' });
  const vector = row({
    ...{ format: 'MVT', url: 'https://a.example/{z}/{x}/{y}.mvt', layers: ['a"b', 'c'] },
    composite_url: 'https://a.example/c/tilejson.json',
  });

  test('is for the programs that show the format, and shows its addresses', () => {
    const of = (one: typeof base) => snippetsFor(one, 'https://p.example');
    const shown = (one: typeof base) => of(one).map(({ kind, place }) => `${kind} ${place.split(' ')[0]}`);
    assert.deepEqual(shown(base), ['CesiumJS index.html', 'QGIS Plugins', 'Python Python', 'curl sh,']);
    assert.deepEqual(shown(vector), ['MapLibre index.html', 'QGIS Plugins', 'Python Python', 'curl sh,']);
    const [cesium, qgis, python, curl] = of(base).map(({ text }) => text);
    assert.match(cesium!, /fromUrl\('https:\/\/a\.example\/c\/tileset\.json'\)/);
    assert.match(cesium!, /<title>A &lt;b> &amp; 'c'<\/title>/);
    assert.ok(qgis!.includes("'A <b> & \\'c\\''"), qgis);
    assert.ok(
      python!.includes('https://p.example/datacatalog/citymodel-datasets?fields=datasets&city_code=13101'),
    );
    assert.ok(curl!.includes(`"${base.url}"`));
    const alone = { ...base, composite_url: null };
    assert.ok(of(alone)[0]!.text.includes(`fromUrl('${base.url}')`));
    assert.ok(of({ ...base, ward_code: '13109' })[2]!.text.includes('city_code=13109&type_en=bldg'));
    const [map] = of(vector).map(({ text }) => text);
    assert.ok(map!.includes('["a\\"b", "c"].flatMap'), map);
    assert.ok(map!.includes('bounds: [139.7, 35.6, 139.8, 35.7]'));
    const whole = { ...vector, composite_url: null, url: 'https://a.example/own.json' };
    for (const [i, own] of [
      [0, whole.url],
      [1, ''],
      [3, whole.url],
    ] as const) {
      const [asComposite, alone] = [of(vector)[i]!.text, of(whole)[i]!.text];
      assert.ok(asComposite.includes('https://a.example/c/tilejson.json'), asComposite);
      assert.ok(!alone.includes("tilejson.json'") && alone.includes(own), alone);
    }
    assert.ok(of({ ...vector, bbox: null })[0]!.text.includes('bounds: [122, 24, 149, 46]'));
  });

  test('asks for a tile that holds the whole dataset, as small as one is from zoom 9 to 12', () => {
    const tileOf = (bbox: [number, number, number, number] | null) => {
      const text = snippetsFor({ ...vector, bbox }, '').at(-1)!.text;
      const [, z, x, y] = /a\.example\/(\d+)\/(\d+)\/(\d+)\.mvt/.exec(text)!.map(Number);
      return { z: z!, x: x!, y: y! };
    };
    const side = fc.double({ min: 0, max: 0.5, noNaN: true });
    const lng = fc.double({ min: 123, max: 148, noNaN: true });
    const lat = fc.double({ min: 24, max: 45, noNaN: true });
    fc.assert(
      fc.property(lng, lat, side, side, (west, south, wide, high) => {
        const [east, north] = [west + wide, south + high];
        const { z, x, y } = tileOf([west, south, east, north]);
        const holds = (at: number) => {
          const [one, two] = [spatialIdOf(west, north, null, at), spatialIdOf(east, south, null, at)];
          return one.x === two.x && one.y === two.y;
        };
        const expected = [12, 11, 10, 9].find(holds);
        assert.equal(z, expected ?? 8);
        const within = spatialIdOf((west + east) / 2, (south + north) / 2, null, z);
        assert.deepEqual([x, y], [within.x, within.y]);
      }),
    );
    const nowhere = spatialIdOf(135, 35, null, 12);
    assert.deepEqual(tileOf(null), { z: 12, x: nowhere.x, y: nowhere.y });
  });
});

test('kinds of models are called by their type, and parts by their names', () => {
  const kind = { key: 'bldg', type: 'bldg', sub: null, name: '建築物モデル' };
  const flood = { key: 'fld_natl_a_l2', type: 'fld', sub: 'natl_a_l2', name: '洪水浸水想定区域モデル 甲川' };
  for (const language of ['ja', 'en'] as const) {
    const words = wordsOf(language);
    assert.equal(kindName(kind, words), words.type('bldg'));
    assert.ok(kindName(flood, words).startsWith(`${words.type('fld')} `), kindName(flood, words));
    assert.notEqual(kindName(flood, words), kindName({ ...flood, sub: null }, words));
  }
  assert.ok(kindName(flood, wordsOf('ja')).endsWith('甲川'));
});

describe('places', () => {
  const places = new Places(areaTable(), [city({})]);

  test('that are written nearly like a text come by their errors, then by data', () => {
    const ranks = (text: string) => places.similar(text, 50).map(({ rank }) => rank);
    let several = 0;
    for (const text of ['yokohema', 'kawasali', 'sapporu', 'hiroshina', 'kitakyushi']) {
      const found = ranks(text);
      assert.deepEqual(
        found,
        found.toSorted((a, b) => a - b),
      );
      several = Math.max(several, new Set(found).size);
    }
    assert.ok(several > 1);
    const [first] = places.similar('yokohema', 1);
    // Behind what begins so, and what has such a part.
    assert.deepEqual([first!.name, first!.rank], ['横浜市', 4]);
  });

  test('of the table have a centre, others none', () => {
    const centre = places.centre('14100');
    assert.ok(centre !== null && Math.hypot(centre[0] - 139.6, centre[1] - 35.45) < 0.2, `${centre}`);
    assert.equal(places.centre('99999'), null);
    const own = new Places(areaTable(), [city({ code: '47900', name: '青凪市' })]);
    assert.equal(own.centre('47900'), null);
  });
});

test('bytes are counted in thousands, with three digits, in the largest unit that has one before the point', () => {
  const { bytes } = wordsOf('en');
  for (const [value, expected] of [
    [0, '0 B'],
    [999, '999 B'],
    [999.4, '999 B'],
    [1_000, '1 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [1_234_567, '1.23 MB'],
    [5e9, '5 GB'],
    [2e12, '2 TB'],
    [3.21e15, '3,210 TB'],
  ] as const)
    assert.equal(bytes(value), expected);
});

test('numbers have two digits behind the point, and in words three', () => {
  const [ja, en] = [wordsOf('ja'), wordsOf('en')];
  assert.deepEqual([ja.number(1234.567), en.number(1234.567)], ['1,234.57', '1,234.57']);
  assert.deepEqual([ja.short(1_234_567), ja.short(456)], ['123万', '456']);
  assert.deepEqual([en.short(1_234_567), en.short(456)], ['1.23 million', '456']);
});

test('the page speaks the first of its languages that a browser prefers', (t) => {
  const { languages } = navigator;
  t.after(() => Object.defineProperty(navigator, 'languages', { value: languages, configurable: true }));
  for (const [tags, expected] of [
    [['fr', 'ja-JP', 'en'], 'ja'],
    [['en-GB', 'ja'], 'en'],
    [['de'], 'en'],
    [[], 'en'],
  ] as const) {
    Object.defineProperty(navigator, 'languages', { value: tags, configurable: true });
    assert.equal(preferredLanguage(), expected);
  }
});

test('facts of water are those of its first risk that is an object, or its own', () => {
  const of = (attributes: Record<string, unknown>) => floodFacts(attributes as never).rank;
  assert.equal(of({ 'uro:rank': 'own' }), 'own');
  const risks = (...list: unknown[]) => ({ 'uro:rank': 'own', 'uro:RiverFloodingRiskAttribute': list });
  assert.equal(of(risks({ 'uro:rank': 'first' }, { 'uro:rank': 'second' })), 'first');
  assert.equal(of(risks('text', null, { 'uro:rank': 'object' })), 'object');
  assert.equal(of(risks('text', null)), 'own');
  assert.equal(of({ attributes: JSON.stringify(risks({ 'urc:rank': 'tile' })) }), 'tile');
  for (const attributes of [5, '5', '{', null]) assert.equal(of({ attributes, 'uro:rank': 'own' }), 'own');
});

test('a number behind the name of an attribute stands in its place, or behind its words', () => {
  for (const [short, en, ja] of [
    ['uro:note', 'Note', '備考'],
    ['note2', 'Note 2', '備考 2'],
    ['srcScaleLod12', 'Map scale of sources, LOD 12', '地図情報レベル（LOD12）'],
    ['nothing3', null, null],
  ] as const)
    assert.deepEqual([attributeName(short, 'en'), attributeName(short, 'ja')], [en, ja], short);
});

test('flat ground is drawn as if it rose by five metres', () => {
  const flat = [0, 100].map((along) => ({ along, ground: 7, top: 7 }));
  const { lines, highest } = drawProfile(flat, 200, 100);
  assert.deepEqual(
    lines.map(({ height, y }) => [height, y]),
    [
      [0, 100],
      [2, 64],
      [4, 28],
    ],
  );
  assert.equal(highest.height, 0);
});

describe('the ground in 3D', () => {
  test('at a place is the middle of the nine nearest samples, wherever they stand in the list', () => {
    const samples = Array.from({ length: 40 }, (_, n) => ({
      lng: 139 + n * 0.001,
      lat: 35,
      low: n < 9 ? 9 - n : 100 + n,
    }));
    for (const order of [samples, samples.toReversed()]) {
      assert.equal(localGround(order as never, 139, 35), 5);
      assert.equal(localGround(order as never, 139.039, 35), 135);
    }
    // Of those that are as far the lowest count.
    const same = [12, 3, 9, 1, 20, 5, 7, 2, 11, 4, 8, 6, 10].map((low) => ({ lng: 139, lat: 35, low }));
    assert.equal(localGround(same as never, 139, 35), 5);
    // Whole numbers of millionths: what fails is soon as small as it can be.
    const from = (degrees: number) => fc.nat({ max: 20_000 }).map((millionths) => degrees + millionths / 1e6);
    const foot = fc.record({ lng: from(139), lat: from(35), low: fc.integer({ min: -40, max: 100 }) });
    fc.assert(
      fc.property(fc.array(foot, { minLength: 1, maxLength: 30 }), foot, (feet, { lng, lat }) => {
        const far = (one: { lng: number; lat: number }) =>
          ((one.lng - lng) * Math.cos((lat * Math.PI) / 180)) ** 2 + (one.lat - lat) ** 2;
        const near = feet.toSorted((a, b) => far(a) - far(b));
        fc.pre(near.every((one, i) => i === 0 || far(one) - far(near[i - 1]!) > 1e-15));
        const lows = Float64Array.from(near.slice(0, 9), ({ low }) => low).sort();
        assert.equal(localGround(feet, lng, lat), lows[Math.floor(lows.length / 2)]);
      }),
    );
    // A degree of longitude is shorter than one of latitude.
    const two = [
      ...Array.from({ length: 5 }, () => ({ lng: 10, lat: 60.9, low: 1 })),
      ...Array.from({ length: 9 }, () => ({ lng: 11, lat: 60, low: 2 })),
    ];
    assert.equal(localGround(two as never, 10, 60), 2);
  });

  test('is drawn of the newest dataset of a type and ward, of the lowest LOD, the first of equals', () => {
    const map = { format: 'MVT', type_en: 'tran' } as const;
    const rows = [
      row({ ...map, id: 'old', year: 2020 }),
      row({ ...map, id: 'fine', year: 2023, lod: '2' }),
      row({ ...map, id: 'coarse', year: 2023, lod: '1' }),
      row({ ...map, id: 'equal', year: 2023, lod: '1' }),
      row({ ...map, id: 'ward', ward_code: '13102', year: 2019 }),
      row({ ...map, id: 'other', ward_code: '13103', year: 2018 }),
      row({ id: 'tiles', type_en: 'tran' }),
      row({ ...map, id: 'use', type_en: 'luse' }),
      row({ ...map, id: 'flood', type_en: 'fld' }),
    ];
    assert.deepEqual(
      groundDatasets(rows).map(({ id }) => id),
      ['use', 'coarse', 'ward', 'other'],
    );
    const { uses, land } = PAPER.light;
    assert.equal(landColour({ code: 211, 'luse:class': '住宅用地' }, 'light'), uses.at(-2)![1]);
    assert.equal(landColour({ code: 211 }, 'light'), land);
    assert.equal(landColour({ note: 'x', 'luse:class': '住宅用地' }, 'light'), uses.at(-2)![1]);
  });

  test('fades at the corner of a map as far as at both of its borders', () => {
    const bounds = { west: 0, south: 0, east: 1, north: 1 };
    const border = { extent: bounds, soft: [0.5, 0.5] as const };
    const length = PICTURE_SIZE * PICTURE_SIZE * 4;
    const nothing = { colours: new Uint8ClampedArray(length), shade: new Uint8ClampedArray(length) };
    const { arrayBufferView: picture } = groundPicture(bounds, nothing, border, [1, 0, 0], 'light');
    const red = (part: number, other: number) => {
      const [column, line] = [part, other].map((one) => Math.floor(one * PICTURE_SIZE));
      return picture[(line! * PICTURE_SIZE + column!) * 4]!;
    };
    const plain = red(0.5, 0.5);
    const insideAt = (part: number, other: number) => (255 - red(part, other)) / (255 - plain);
    for (const [part, other] of [
      [0.25, 0.5],
      [0.25, 0.25],
      [0.125, 0.25],
    ] as const) {
      const expected = Math.min(1, part / 0.5) * Math.min(1, other / 0.5);
      assert.ok(Math.abs(insideAt(part, other) - expected) < 0.05, `${part}, ${other}`);
    }
  });

  describe('is drawn from vector tiles', () => {
    type Place = readonly [number, number];
    interface Drawn {
      what: 'fill' | 'stroke';
      paths: Place[][];
      isClosed: boolean;
      rule?: string;
      style: Record<string, unknown>;
    }
    /** What `drawGround` draws of features: on the map, and in the shade. */
    const drawnOf = (
      t: TestContext,
      features: Array<{ type: 1 | 2 | 3; path: number[]; properties?: Record<string, unknown> }>,
      part: Partial<TilePart> & { metres?: number },
    ) => {
      class Path {
        paths: Place[][] = [];
        isClosed = false;
        moveTo(x: number, y: number) {
          this.paths.push([[x, y]]);
        }
        lineTo(x: number, y: number) {
          this.paths.at(-1)!.push([x, y]);
        }
        closePath() {
          this.isClosed = true;
        }
      }
      const canvases: Array<{ size: unknown; drawn: Drawn[]; transform: number[]; shadows: unknown[] }> = [];
      const createElement = () => {
        const canvas = { width: 0, height: 0, getContext };
        function getContext() {
          const own = {
            size: null as unknown,
            drawn: [] as Drawn[],
            transform: [] as number[],
            shadows: [] as unknown[],
          };
          own.size = [canvas.width, canvas.height];
          canvases.push(own);
          const style: Record<string, unknown> = {};
          const put = (what: 'fill' | 'stroke', { paths, isClosed }: Path, rule?: string) =>
            own.drawn.push({ what, paths, isClosed, ...(rule && { rule }), style: { ...style } });
          return new Proxy(style, {
            get: (_, name) =>
              ({
                setTransform: (...numbers: number[]) => (own.transform = numbers),
                getImageData: (...box: number[]) => ({ data: { canvas: canvases.indexOf(own), box } }),
                fill: (path: Path, rule: string) => put('fill', path, rule),
                stroke: (path: Path) => put('stroke', path),
              })[name as string],
            set: (_, name, value) => {
              style[name as string] = value;
              if (name === 'shadowColor') own.shadows.push(value);
              return true;
            },
          });
        }
        return canvas;
      };
      Object.assign(globalThis, { document: { createElement }, Path2D: Path });
      t.after(() => {
        for (const name of ['document', 'Path2D']) delete (globalThis as Record<string, unknown>)[name];
      });
      const records = features.map(({ type, path, properties = {} }, id) => ({
        ...{ tile: 0, id, weight: 1, type, layer: 'a' },
        properties: new TextEncoder().encode(JSON.stringify(Object.entries(properties).flat())),
        commands: encode([[path]], type, 0, 0)!.commands,
      }));
      const { metres = 2, ...rest } = part;
      const tile = { type: 'bldg', left: 0, top: 0, size: 1, ...rest, bytes: encodeTile(records).bytes };
      const { colours, shade } = drawGround([tile], 'light', metres);
      const whole = [0, 0, PICTURE_SIZE, PICTURE_SIZE];
      assert.deepEqual(
        [colours, shade],
        [0, 1].map((canvas) => ({ canvas, box: whole })),
      );
      for (const { size } of canvases) assert.deepEqual(size, [PICTURE_SIZE, PICTURE_SIZE]);
      return canvases;
    };
    const SQUARE = [1_000, 2_000, 1_400, 2_000, 1_400, 2_400, 1_000, 2_400];
    const placesOf = (path: number[]) =>
      Array.from({ length: path.length / 2 }, (_, i) => path.slice(2 * i, 2 * i + 2));
    const paper = PAPER.light;

    test('of which a part is wanted, at its place', (t) => {
      const [map, shade] = drawnOf(t, [{ type: 3, path: SQUARE }], { left: 0.25, top: 0.5, size: 0.25 });
      for (const { transform } of [map!, shade!]) assert.deepEqual(transform, [0.5, 0, 0, 0.5, -512, -1_024]);
    });

    test('each type in its colours, ways as lines and as areas with an edge', (t) => {
      const line = SQUARE.slice(0, 6);
      const features = [
        { type: 1 as const, path: SQUARE.slice(0, 2) },
        { type: 2 as const, path: line },
        { type: 3 as const, path: SQUARE, properties: { class: '水面' } },
      ];
      for (const [type, lineColour, wide, area] of [
        ['tran', paper.road, 4, paper.road],
        ['squr', paper.road, 4, paper.road],
        ['rwy', paper.rail, 1.5, paper.rail],
        ['wtr', paper.water, 4, paper.water],
        ['luse', paper.road, 4, paper.uses[0]![1]],
      ] as const) {
        const [map, shade] = drawnOf(t, features, { type, size: 0.25 });
        const [stroke, fill, edge, ...more] = map!.drawn;
        assert.deepEqual(
          [stroke!.what, stroke!.paths, stroke!.isClosed],
          ['stroke', [placesOf(line)], false],
          type,
        );
        assert.deepEqual([stroke!.style.lineWidth, stroke!.style.strokeStyle], [2 * wide, lineColour], type);
        assert.deepEqual([fill!.what, fill!.rule, fill!.style.fillStyle], ['fill', 'evenodd', area], type);
        assert.deepEqual(
          [fill!.paths, fill!.isClosed],
          [[placesOf([...SQUARE, ...SQUARE.slice(0, 2)])], true],
        );
        if (type === 'tran') {
          assert.deepEqual(
            [edge!.what, edge!.style.lineWidth, edge!.style.strokeStyle],
            ['stroke', 2, paper.roadEdge],
          );
        } else assert.equal(edge, undefined);
        assert.deepEqual([more, shade!.drawn], [[], []], type);
      }
    });

    test('buildings with the dark around their feet, as far as it is a pixel and no wider than eight', (t) => {
      for (const [metres, colour, blur] of [
        [2, paper.shadow, 1.25],
        [2.5, paper.shadow, 1],
        [2.6, 'transparent', 2.5 / 2.6],
        [0.1, paper.shadow, 8],
      ] as const) {
        const [map] = drawnOf(t, [{ type: 3, path: SQUARE }], { metres });
        const [{ style, rule, what }, ...more] = map!.drawn as [Drawn, ...Drawn[]];
        assert.deepEqual([more.length, what, rule, style.fillStyle], [0, 'fill', 'evenodd', paper.building]);
        assert.deepEqual([style.shadowColor, style.shadowBlur], [colour, blur]);
        assert.equal(map!.shadows.at(-1), 'transparent', 'nothing else throws one');
      }
    });

    test('and their shade is each wall, moved along the shadow, all turned the same way', (t) => {
      const SLANTED = [1_000, 2_000, 1_300, 2_100, 1_500, 2_500, 1_100, 2_300];
      const shadesOf = (properties: Record<string, unknown>, type = 'bldg') =>
        drawnOf(t, [{ type: 3, path: SLANTED, properties }], { type, size: 0.25, metres: 0.5 })[1]!.drawn;
      // A metre is two pixels, of two units each.
      for (const [properties, height] of [
        [{ 'bldg:measuredHeight': 10 }, 10],
        [{ measuredHeight: '12.5' }, 12.5],
        [{ bldg_measuredHeight: 0.5, height: 99 }, 0.5],
        [{ measuredHeight: 0, height: 61 }, 60],
      ] as const) {
        const [{ paths, isClosed, rule }, ...more] = shadesOf(properties) as [Drawn, ...Drawn[]];
        assert.deepEqual([more.length, isClosed, rule], [0, true, 'nonzero']);
        const walls = new Set<string>();
        for (const [a, b, c, d] of paths as Array<[Place, Place, Place, Place]>) {
          // The last corner of a ring is its first one again.
          if (String(a) === String(b)) continue;
          const area = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
          assert.ok(area > 0, 'all the same way');
          for (const [from, to] of [
            [b, c],
            [a, d],
          ] as const) {
            assert.ok(Math.abs(to[0] - from[0] + 4 * 0.58 * height) < 1e-9, `${height}`);
            assert.ok(Math.abs(to[1] - from[1] + 4 * 0.71 * height) < 1e-9);
          }
          walls.add([a, b].map(String).sort().join(' '));
        }
        const corners = placesOf(SLANTED);
        const edges = corners.map((corner, i) => [corner, corners[(i + 1) % 4]].map(String).sort().join(' '));
        assert.deepEqual([...walls].sort(), edges.sort());
      }
      assert.deepEqual(shadesOf({ height: -3 }), []);
      assert.deepEqual(shadesOf({ height: 10 }, 'tran'), []);
      const lines = drawnOf(t, [{ type: 2, path: SLANTED, properties: { height: 10 } }], {});
      assert.deepEqual(lines[1]!.drawn, []);
    });
  });

  test('around a map takes on its colours by how much of its border is covered', () => {
    // A tile whose extent lies within the soft border of a larger one.
    const tile = { z: 10, x: 909, y: 403 };
    const bounds = boundsOfTile(tile);
    const [wide, high] = [bounds.east - bounds.west, bounds.north - bounds.south];
    const border = { extent: bounds, soft: [wide, high] as const };
    const filled = (alpha: number) => {
      const colours = new Uint8ClampedArray(PICTURE_SIZE * PICTURE_SIZE * 4);
      for (let at = 0; at < colours.length; at += 4) colours.set([255, 0, 0, alpha], at);
      return { colours, shade: new Uint8ClampedArray(colours.length) };
    };
    const land = (alpha: number) => landAround([[tile, filled(alpha)]], border, 'light');
    const plain = land(0);
    const taken = (alpha: number) => (plain[1] - land(alpha)[1]) / plain[1];
    // From two fifths on all that it takes.
    for (const [share, expected] of [
      [0.2, 0.85 / 2],
      [0.4, 0.85],
      [1, 0.85],
    ] as const)
      assert.ok(
        Math.abs(taken(Math.round(255 * share)) - expected) < 0.01,
        `${share}: ${taken(255 * share)}`,
      );
  });

  describe('beside a slow way to colour it', () => {
    const tile = { z: 12, x: 3_638, y: 1_612 };
    const bounds = boundsOfTile(tile);
    const [wide, high] = [bounds.east - bounds.west, bounds.north - bounds.south];
    const border = {
      extent: {
        west: bounds.west + 0.1 * wide,
        south: bounds.south - high,
        east: bounds.east - 0.2 * wide,
        north: bounds.north - 0.15 * high,
      },
      soft: [0.3 * wide, 0.4 * high] as const,
    };
    /** Bytes that look as if they came by chance. */
    const drawing = (salt: number, of = (byte: number) => byte) => {
      const colours = new Uint8ClampedArray(PICTURE_SIZE * PICTURE_SIZE * 4);
      for (let at = 0; at < colours.length; at++)
        colours[at] = of(Math.imul(at + salt, 2_654_435_761) >>> 24);
      return { colours, shade: colours.map((byte) => 255 - (byte >> 1)) };
    };
    const clamp = (value: number) => Math.min(1, Math.max(0, value));
    /** Part of the way from the border inwards, across and down. */
    const insideOf = (row: number, column: number): [number, number] => {
      const [lng, lat] = [
        bounds.west + (wide * (column + 0.5)) / PICTURE_SIZE,
        bounds.north - (high * (row + 0.5)) / PICTURE_SIZE,
      ];
      const { west, south, east, north } = border.extent;
      return [
        clamp(Math.min(lng - west, east - lng) / border.soft[0]),
        clamp(Math.min(lat - south, north - lat) / border.soft[1]),
      ];
    };
    const plain = rgbOf(PAPER.light.land);

    test('around a map it has the mean of the colours that lie at its border', () => {
      const [first, second] = [drawing(0), drawing(7, (byte) => byte >> 2)];
      const sum = [0, 0, 0];
      let [covered, count] = [0, 0];
      for (let row = 8; row < PICTURE_SIZE; row += 16) {
        for (let column = 8; column < PICTURE_SIZE; column += 16) {
          const inside = Math.min(...insideOf(row, column));
          if (inside <= 0 || inside >= 1) continue;
          for (const { colours } of [first, second]) {
            const [red, green, blue, alpha] = colours.subarray((row * PICTURE_SIZE + column) * 4);
            for (const [i, part] of [red!, green!, blue!].entries()) sum[i]! += (part / 255) * (alpha! / 255);
            covered += alpha! / 255;
            count++;
          }
        }
      }
      const share = covered / count;
      assert.ok(share > 0.1 && share < 0.39, 'less than all is taken');
      const drawings = [first, second].map((one) => [tile, one] as const);
      const found = landAround(drawings, border, 'light');
      for (const i of [0, 1, 2] as const) {
        const expected = plain[i] + 0.85 * (share / 0.4) * (sum[i]! / covered - plain[i]);
        assert.ok(Math.abs(found[i] - expected) < 1e-9, `${found[i]}, not ${expected}`);
      }
      const within = { extent: { west: -180, south: -85, east: 180, north: 85 }, soft: [1, 1] as const };
      for (const none of [landAround([], border, 'light'), landAround(drawings, within, 'light')])
        assert.deepEqual(none, plain);
    });

    test('on a map it has the colours that were drawn, over plain land that fades', () => {
      const { colours, shade } = drawing(3, (byte) => (byte < 60 ? 0 : byte > 200 ? 255 : byte));
      const before = colours.slice();
      const land = [0.9, 0.1, 0.3] as const;
      const { arrayBufferView, width, height } = groundPicture(
        bounds,
        { colours, shade },
        border,
        land,
        'light',
      );
      assert.deepEqual([width, height, arrayBufferView.length], [PICTURE_SIZE, PICTURE_SIZE, colours.length]);
      for (let pixel = 0; pixel < PICTURE_SIZE ** 2; pixel += pixel < 600 ? 1 : 97) {
        const [row, column, at] = [Math.floor(pixel / PICTURE_SIZE), pixel % PICTURE_SIZE, 4 * pixel];
        const [across, down] = insideOf(row, column);
        const covered = before[at + 3]! / 255;
        for (const i of [0, 1, 2] as const) {
          const below = 255 * (land[i] + across * down * (plain[i] - land[i]));
          const expected = covered * before[at + i]! + (1 - covered) * below;
          assert.ok(Math.abs(arrayBufferView[at + i]! - expected) <= 0.5 + 1e-9, `${row} ${column} ${i}`);
        }
        assert.equal(arrayBufferView[at + 3], 255 - shade[at + 3]!);
      }
    });

    test('a map ends where its colours do, if these cover it and lie within its pictures', () => {
      const box = (west: number, south: number, east: number, north: number) => ({
        west,
        south,
        east,
        north,
      });
      const pictured = box(0, 0, 10, 10);
      const extentOf = (type: string, bounds: Bounds) => borderOf(pictured, [{ type, bounds }]).extent;
      const inner = box(2, 3, 20, 9);
      assert.deepEqual(extentOf('luse', inner), box(2, 3, 10, 9));
      assert.deepEqual(extentOf('tran', inner), pictured);
      for (const nothing of [box(11, 2, 12, 9), box(2, 11, 9, 12), box(10, 2, 12, 9), box(2, 10, 9, 12)])
        assert.deepEqual(extentOf('luse', nothing), pictured);
      const { soft } = borderOf(pictured, [{ type: 'luse', bounds: inner }]);
      assert.ok(Math.abs(soft[0] - 0.96) < 1e-9 && Math.abs(soft[1] - 0.72) < 1e-9);
    });
  });

  test('has an air that is as bright as its sky, and haze that begins beyond what is shown', () => {
    const NIGHT = 0.16;
    const white = [1, 1, 1] as const;
    for (const theme of ['light', 'dark'] as const) {
      const day = airOf(theme, 1, white, 500);
      const close = (found: readonly number[], expected: readonly number[]) => {
        for (const [i, part] of found.entries())
          assert.ok(Math.abs(part - expected[i]!) < 1e-9, `${found} ${expected}`);
      };
      close(day.zenith, rgbOf(SKY_COLOURS[theme].zenith));
      close(day.horizon, rgbOf(SKY_COLOURS[theme].horizon));
      close(day.land, rgbOf(PAPER[theme].land));
      close(day.tint, white);
      for (const [ambient, shown] of [
        [0.3, NIGHT],
        [0.1, NIGHT],
        [0.65, (1 + NIGHT) / 2],
      ] as const) {
        const glow = [1, 0.5, 0] as const;
        const air = airOf(theme, ambient, glow, 500);
        const warm = glow.map((part) => 0.45 + 0.55 * part);
        const tint = warm.map((part) => shown * (0.7 + 0.3 * part));
        close(
          air.zenith,
          day.zenith.map((part) => part * shown),
        );
        close(
          air.horizon,
          day.horizon.map((part, i) => part * shown * warm[i]!),
        );
        close(air.tint, tint);
        close(
          air.land,
          day.land.map((part, i) => part * tint[i]!),
        );
      }
      for (const colour of [day.sky, day.bounce]) {
        const [red, green, blue] = colour;
        assert.ok(Math.max(red, green, blue) < 1 && Math.min(red, green, blue) > 0.2);
        assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) < 0.1, 'nearly grey');
      }
    }
    const hazeOf = (size: number) => {
      const { hazeFrom, hazeTo } = airOf('light', 1, white, size);
      return [hazeFrom, hazeTo];
    };
    assert.deepEqual(
      [hazeOf(100), hazeOf(10_000)],
      [
        [1_500, 9_000],
        [8_000, 40_000],
      ],
    );
  });

  test('has a horizon with each of the colours of the sun', () => {
    const horizon = (glow: [number, number, number]) => airOf('light', 1, glow, 500).horizon;
    const white = horizon([1, 1, 1]);
    for (const i of [0, 1, 2] as const) {
      const glow: [number, number, number] = [1, 1, 1];
      glow[i] = 0;
      const changed = horizon(glow);
      for (const n of [0, 1, 2] as const) assert.equal(changed[n] < white[n] * 0.9, n === i, `${i} ${n}`);
    }
  });
});
