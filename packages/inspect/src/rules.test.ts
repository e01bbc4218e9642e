/** The rules of each type on shapes that follow and break them, by the official counting. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { box, idOf, type Point, type Ring, rectangle } from './testing/clean-package.ts';
import {
  BENT,
  BOW,
  boxOf,
  cityModel,
  composite,
  countsOf,
  DOUBLED,
  flipped,
  inspected,
  multiSurface,
  pathOf,
  polygon,
  posList,
  reversed,
  solid,
  without,
} from './testing/typed-files.ts';

const GOOD = rectangle([0, 0, 5], 10, 10);
const square = (east: number, north: number, size: number) => rectangle([east, north, 5], size, size);

/** Words, the features of the file of a folder, and the errors that are found. */
type Case = readonly [words: string, folder: string, features: string[], Record<string, number>];

function hold(cases: readonly Case[]): void {
  for (const [words, folder, features, expected] of cases) {
    test(`${folder}: ${words}`, async () => {
      assert.deepEqual(countsOf(await inspected({ [pathOf(folder)]: cityModel(features) })), expected);
    });
  }
}

const feature = (name: string, folder: string, content: string, number = 1) =>
  `<${name} gml:id="${idOf(folder, number)}">${content}</${name}>`;
const property = (name: string, content: string) => `<${name}>${content}</${name}>`;

describe('transportation', () => {
  const lod = (level: number, ...polygons: string[]) =>
    property(`tran:lod${level}MultiSurface`, multiSurface(...polygons));
  for (const [folder, name] of [
    ['tran', 'tran:Road'],
    ['rwy', 'tran:Railway'],
    ['trk', 'tran:Track'],
    ['squr', 'tran:Square'],
  ] as const) {
    const one = (content: string) => [feature(name, folder, content)];
    hold([
      ['a surface holds', folder, one(lod(1, polygon(GOOD))), {}],
      ['a surface crosses itself', folder, one(lod(2, polygon(BOW))), { [`${folder}.surface`]: 1 }],
      [
        'a surface looks down',
        folder,
        one(lod(3, polygon(reversed(GOOD)))),
        { [`${folder}.orientation`]: 1 },
      ],
    ]);
  }
  const area = (kind: string, number: number, level: number, ...polygons: string[]) =>
    property(
      `tran:${kind[0]!.toLowerCase()}${kind.slice(1)}`,
      feature(`tran:${kind}`, 'area', lod(level, ...polygons), number),
    );
  const referring = (level: number, ...ids: string[]) =>
    property(
      `tran:lod${level}MultiSurface`,
      `<gml:MultiSurface>${ids.map((id) => `<gml:surfaceMember xlink:href="#${id}"/>`).join('')}</gml:MultiSurface>`,
    );
  const areas =
    area('TrafficArea', 11, 3, polygon(GOOD, [], 'a'), polygon(square(20, 0, 5), [], 'b')) +
    area('AuxiliaryTrafficArea', 12, 3, polygon(square(40, 0, 5), [], 'c'));
  const road = (content: string, number = 1) => feature('tran:Road', 'tran', content, number);
  const lane = (number: number, ring: Ring) =>
    road(
      area('TrafficArea', 10 + number, 2, polygon(ring, [], `lane${number}`)) + referring(2, `lane${number}`),
      number,
    );
  hold([
    ['a road refers to all areas', 'tran', [road(areas + referring(3, 'a', 'b', 'c'))], {}],
    ['a road refers to one of three', 'tran', [road(areas + referring(3, 'a'))], { 'L-tran-03': 2 }],
    ['a road refers at another level', 'tran', [road(areas + referring(2, 'a'))], {}],
    ['a road has no surface of its own', 'tran', [road(areas)], {}],
    [
      'roads that refer to their areas overlap',
      'tran',
      [lane(1, rectangle([0, 0, 5], 12, 10)), lane(2, rectangle([10, 0, 5], 10, 10))],
      { 'L-tran-02': 2 },
    ],
    ['neighbours touch', 'tran', [lane(1, GOOD), lane(2, rectangle([10, 0, 5], 10, 10))], {}],
  ]);
});

describe('areas', () => {
  for (const [folder, name] of [
    ['luse', 'luse:LandUse'],
    ['urf', 'urf:UseDistrict'],
    ['area', 'urf:ScenicDistrict'],
    ['lsld', 'urf:SedimentDisasterProneArea'],
  ] as const) {
    const prefix = name.split(':')[0];
    const one = (ring: Ring, ...holes: Ring[]) => [
      feature(name, folder, property(`${prefix}:lod1MultiSurface`, multiSurface(polygon(ring, holes)))),
    ];
    const hole = (east: number, north: number, size: number) => reversed(square(east, north, size));
    const surface = (errors: number) => ({ [`${folder}.surface`]: errors });
    hold([
      ['it holds', folder, one(GOOD, hole(2, 2, 2)), {}],
      ['it looks down', folder, one(reversed(GOOD)), { [`${folder}.orientation`]: 1 }],
      ['it is bent', folder, one(BENT), surface(1)],
      ['two holes reach out', folder, one(GOOD, hole(-1, 1, 2), hole(9, 5, 2)), surface(2)],
      [
        'two of three holes overlap',
        folder,
        one(GOOD, hole(1, 1, 2), hole(2, 2, 2), hole(6, 6, 1)),
        surface(1),
      ],
      ['three holes overlap', folder, one(GOOD, hole(1, 1, 3), hole(2, 2, 3), hole(3, 3, 3)), surface(3)],
      ['two holes run as the border', folder, one(GOOD, square(1, 1, 2), square(6, 6, 2)), surface(2)],
    ]);
  }
});

describe('furniture and plants', () => {
  for (const [folder, name] of [
    ['frn', 'frn:CityFurniture'],
    ['veg', 'veg:PlantCover'],
    ['veg', 'veg:SolitaryVegetationObject'],
  ] as const) {
    const prefix = name.split(':')[0];
    const one = (named: string, geometry: string) => [
      feature(name, folder, property(`${prefix}:${named}`, geometry)),
    ];
    const kind = { 'L-frn-01': 1, [`${folder}.geometry-type`]: 1 };
    const many = `<gml:MultiSolid><gml:solidMember>${solid(without(boxOf(), 1))}</gml:solidMember></gml:MultiSolid>`;
    hold([
      [`${name} may look down`, folder, one('lod2Geometry', multiSurface(polygon(reversed(GOOD)))), {}],
      [
        `${name} has a point twice`,
        folder,
        one('lod3Geometry', multiSurface(polygon(DOUBLED))),
        { [`${folder}.surface`]: 1 },
      ],
      [`${name} is a solid`, folder, one('lod1Geometry', solid(boxOf())), {}],
      [
        `${name} is open`,
        folder,
        one('lod1Geometry', solid(without(boxOf(), 2))),
        { [`${folder}.closed`]: 1 },
      ],
      [
        `${name} is turned`,
        folder,
        one('lod1Geometry', solid(flipped(boxOf(), 2))),
        { [`${folder}.solid`]: 1 },
      ],
      [`${name} is a polygon`, folder, one('lod1Geometry', polygon(GOOD)), kind],
      [`${name} is a composite surface`, folder, one('lod2Geometry', composite(polygon(GOOD))), kind],
      [`${name} has an open solid of many`, folder, one('lod2MultiSolid', many), { [`${folder}.closed`]: 1 }],
    ]);
  }
});

describe('bridges, tunnels and what is underground', () => {
  for (const [folder, name, prefix] of [
    ['brid', 'brid:Bridge', 'brid'],
    ['tun', 'tun:Tunnel', 'tun'],
    ['ubld', 'uro:UndergroundBuilding', 'bldg'],
  ] as const) {
    const one = (content: string, number = 1) => feature(name, folder, content, number);
    const solidOf = (level: number, geometry: string) => [
      one(property(`${prefix}:lod${level}Solid`, geometry)),
    ];
    const footprint = (ring: Ring) => property(`${prefix}:lod0FootPrint`, multiSurface(polygon(ring)));
    const wall = feature(
      `${prefix}:WallSurface`,
      'wall',
      property(`${prefix}:lod2MultiSurface`, multiSurface(polygon(BENT), polygon(BOW))),
    );
    const hollow = rectangle([3, 3, 7], 2, 2);
    const shell = [hollow, reversed(hollow)];
    hold([
      ['a solid holds', folder, solidOf(1, solid(boxOf())), {}],
      ['a shell of a hollow is not looked at', folder, solidOf(2, solid(boxOf(), shell)), {}],
      ['a face is missing', folder, solidOf(1, solid(without(boxOf(), 0))), { [`${folder}.lod1.closed`]: 1 }],
      ['a face is turned', folder, solidOf(3, solid(flipped(boxOf(), 0))), { [`${folder}.lod3.solid`]: 1 }],
      [
        'walls are bent and cross themselves',
        folder,
        [one(property(`${prefix}:boundedBy`, wall))],
        { [`${folder}.lod2.boundary`]: 2 },
      ],
      [
        'footprints overlap',
        folder,
        [one(footprint(GOOD)), one(footprint(square(5, 5, 10)), 2)],
        { [`${folder}.lod0.overlap`]: 1 },
      ],
      [
        'a footprint looks down',
        folder,
        [one(footprint(reversed(GOOD)))],
        { [`${folder}.lod0.orientation`]: 1 },
      ],
    ]);
  }
});

describe('constructions, water, pipes and generic objects', () => {
  const geometry = (
    name: string,
    folder: string,
    lod: number,
    shape: string,
    prefix = name.split(':')[0],
  ) => [feature(name, folder, property(`${prefix}:lod${lod}Geometry`, shape))];
  const cons = (lod: number, shape: string) => geometry('uro:OtherConstruction', 'cons', lod, shape);
  const water = (named: string, shape: string) => [
    feature('wtr:WaterBody', 'wtr', property(`wtr:${named}`, shape)),
  ];
  const pipe = (lod: number, shape: string) => geometry('uro:SewerPipe', 'unf', lod, shape);
  const generic = (lod: number, shape: string) => geometry('gen:GenericCityObject', 'gen', lod, shape);
  const point = '<gml:Point><gml:pos>35.687 139.692 5</gml:pos></gml:Point>';
  const curve = property(
    'gml:MultiCurve',
    property('gml:curveMember', property('gml:LineString', posList(GOOD))),
  );
  const dented = boxOf().map((ring) =>
    ring.map((corner): Point => (String(corner) === '10,10,10' ? [10, 10, 10.2] : corner)),
  );
  const pieces = (...rings: Ring[]) => multiSurface(composite(...rings.map((ring) => polygon(ring))));
  const apart = rectangle([10.005, 0, 5], 5, 10);
  hold([
    [
      'a surface looks down',
      'cons',
      cons(0, multiSurface(polygon(reversed(GOOD)))),
      { 'cons.orientation': 1 },
    ],
    ['a surface crosses itself', 'cons', cons(2, multiSurface(polygon(BOW))), { 'cons.surface': 1 }],
    ['a solid is open', 'cons', cons(1, solid(without(boxOf(), 1))), { 'cons.closed': 1 }],
    ['a face is turned', 'cons', cons(3, solid(flipped(boxOf(), 1))), { 'cons.solid': 1 }],
    ['LOD 1 is a solid', 'wtr', water('lod1Solid', solid(boxOf())), { 'wtr.geometry-type': 1 }],
    ['LOD 1 is a curve', 'wtr', water('lod1MultiCurve', curve), { 'wtr.geometry-type': 1 }],
    [
      'surfaces are faulty',
      'wtr',
      water('lod1MultiSurface', multiSurface(polygon(BOW), polygon(BENT))),
      { 'wtr.surface': 2 },
    ],
    ['a face is turned', 'wtr', water('lod2Solid', solid(flipped(boxOf(), 1))), { 'wtr.solid': 1 }],
    ['the top is bent', 'wtr', water('lod3Solid', solid(dented)), { 'wtr.boundary': 1 }],
    ['LOD 1 is a surface', 'unf', pipe(1, multiSurface(polygon(GOOD))), { 'unf.geometry-type': 1 }],
    ['LOD 3 is a solid', 'unf', pipe(3, solid(boxOf())), { 'unf.geometry-type': 1 }],
    ['a face is turned', 'unf', pipe(2, solid(flipped(boxOf(), 1))), { 'unf.solid': 1 }],
    ['a face of LOD 3 is turned', 'unf', pipe(3, solid(flipped(boxOf(), 1))), { 'unf.geometry-type': 1 }],
    ['a solid of LOD 2 is open', 'unf', pipe(2, solid(without(boxOf(), 1))), { 'unf.closed': 1 }],
    ['a solid of LOD 3 is open', 'unf', pipe(3, solid(without(boxOf(), 1))), { 'unf.geometry-type': 1 }],
    ['the top is bent at LOD 2', 'unf', pipe(2, solid(dented)), { 'unf.boundary': 1 }],
    ['the top is bent at LOD 3', 'unf', pipe(3, solid(dented)), { 'unf.geometry-type': 1 }],
    ['pieces of a MultiSurface are apart', 'unf', pipe(3, multiSurface(polygon(GOOD), polygon(apart))), {}],
    ['pieces are 5 mm apart', 'unf', pipe(3, pieces(GOOD, apart)), { 'unf.discontinuous': 1 }],
    ['pieces share an edge', 'unf', pipe(3, pieces(GOOD, rectangle([10, 0, 5], 5, 10))), {}],
    ['LOD 0 is a point', 'gen', generic(0, point), {}],
    ['LOD 1 is a point', 'gen', generic(1, point), { 'L-frn-01': 1 }],
    ['LOD 0 looks down', 'gen', generic(0, multiSurface(polygon(reversed(GOOD)))), { 'gen.orientation': 1 }],
    ['a solid is open', 'gen', generic(2, solid(without(boxOf(), 1))), { 'gen.closed': 1 }],
    ['a point is there twice', 'gen', generic(3, multiSurface(polygon(DOUBLED))), { 'gen.surface': 1 }],
    [
      'two names are no codes',
      'gen',
      [feature('gen:GenericCityObject', 'gen', '<gml:name>a</gml:name><gml:name>b</gml:name>')],
      { 'gen.name': 2 },
    ],
  ]);
});

describe('floods and relief', () => {
  const triangle: Ring = [
    [0, 0, 5],
    [10, 0, 5],
    [10, 10, 5],
    [0, 0, 5],
  ];
  for (const folder of ['fld', 'tnm', 'htd', 'ifld', 'rfld']) {
    const water = (...rings: Ring[]) => [
      feature(
        'wtr:WaterBody',
        folder,
        property('wtr:lod1MultiSurface', multiSurface(...rings.map((ring) => polygon(ring)))),
      ),
    ];
    const errors = (...faults: string[]) =>
      Object.fromEntries(faults.map((fault) => [`${folder}.${fault}`, fault === 'unshared-edge' ? 2 : 1]));
    const moved = triangle.map(([east, north, up]): Point => [10.05 - east, 10 - north, up]);
    hold([
      ['a triangle holds', folder, water(triangle), {}],
      ['three positions', folder, water(triangle.slice(0, 3)), errors('vertices', 'unclosed', 'degenerate')],
      [
        'the end is a millimetre higher',
        folder,
        water([...triangle.slice(0, 3), [0, 0, 5.001]]),
        errors('unclosed', 'orientation'),
      ],
      ['one place', folder, water(triangle.map((): Point => [0, 0, 5])), errors('orientation', 'degenerate')],
      ['an edge is 5 cm from another', folder, water(triangle, moved), errors('unshared-edge')],
    ]);
  }
  const relief = (...rings: Ring[]) => [
    feature(
      'dem:ReliefFeature',
      'dem',
      `<dem:lod>1</dem:lod><dem:reliefComponent><dem:TINRelief gml:id="tin"><dem:lod>1</dem:lod><dem:tin>` +
        `<gml:TriangulatedSurface><gml:trianglePatches>${rings
          .map((ring) => polygon(ring).replaceAll('gml:Polygon', 'gml:Triangle'))
          .join(
            '',
          )}</gml:trianglePatches></gml:TriangulatedSurface></dem:tin></dem:TINRelief></dem:reliefComponent>`,
    ),
  ];
  const grid: Ring[] = [];
  for (let x = 0; x < 4; x++) {
    for (let y = 0; y < 4; y++) {
      const [a, b, c, d] = rectangle([10 * x, 10 * y, 5], 10, 10) as [Point, Point, Point, Point];
      if (x !== 1 || y !== 1) grid.push([a, b, c, a], [a, c, d, a]);
    }
  }
  const flat: Ring = [
    [0, 0, 5],
    [5, 0, 5],
    [10, 0, 5],
    [0, 0, 5],
  ];
  hold([
    ['a hole', 'dem', relief(...grid), { 'dem.holes': 1 }],
    ['a hole beside a flat triangle', 'dem', relief(...grid, flat), { 'dem.degenerate': 1 }],
    ['it looks down', 'dem', relief(reversed(triangle)), { 'dem.orientation': 1 }],
    ['five positions', 'dem', relief(GOOD), { 'dem.vertices': 1 }],
    ['the end is higher', 'dem', relief([...triangle.slice(0, 3), [0, 0, 5.1]]), { 'dem.unclosed': 1 }],
  ]);
});

describe('all folders', () => {
  test('a feature of another type, also where the official program has no list', async () => {
    const files = ['area', 'rfld', 'luse', 'unf', 'anything'].map((folder) => [
      pathOf(folder),
      cityModel([feature('bldg:Building', folder, '')]),
    ]);
    assert.deepEqual(countsOf(await inspected(Object.fromEntries(files))), { L03: 4 });
  });

  test('a plane system is for pipes alone; their places are told in degrees', async () => {
    const envelope = ['-35000 -9000 0', '-34000 -8000 50'];
    const box = boxOf().map((ring) =>
      ring.map(([east, north, up]) => `${-34_500 + north} ${-8500 + east} ${up}`).join(' '),
    );
    const faces = box
      .slice(1)
      .map((positions) => polygon([]).replace('<gml:posList>', `<gml:posList>${positions}`));
    const open = `<gml:Solid><gml:exterior>${composite(...faces)}</gml:exterior></gml:Solid>`;
    const pipe = feature('uro:SewerPipe', 'unf', property('uro:lod1Geometry', open));
    const report = await inspected({
      [pathOf('unf')]: cityModel([pipe], 10_170, envelope),
      [pathOf('luse')]: cityModel([feature('luse:LandUse', 'luse', '')], 10_170, envelope),
    });
    assert.deepEqual(countsOf(report), { L05: 1, 'unf.closed': 1 });
    const [lng, lat] = report.checks.find(({ code }) => code === 'unf.closed')!.items[0]!.position!;
    // Zone IX: 8.5 km west and 34.5 km south of 36° N, 139°50′ E.
    assert.ok(Math.abs(lng - 139.7394) < 1e-3 && Math.abs(lat - 35.689) < 1e-3, `${lng} ${lat}`);
  });

  test('map symbols may be curves, annotations may not', async () => {
    const symbols = ['DmGeometricAttribute', 'DmAnnotation'].map((name) =>
      property(
        'uro:luseDmAttribute',
        property(`uro:${name}`, property('uro:lod0Geometry', '<gml:MultiCurve/>')),
      ),
    );
    const file = cityModel([feature('luse:LandUse', 'luse', symbols.join(''))]);
    assert.deepEqual(countsOf(await inspected({ [pathOf('luse')]: file })), { 'L-frn-01': 1 });
  });

  test('two levels of one part, a footprint beside the edge of the roof: each building once', async () => {
    const lod0 = (named: string) => property(`bldg:${named}`, multiSurface(polygon(GOOD)));
    const building = feature('bldg:Building', 'bldg', lod0('lod0FootPrint') + lod0('lod0RoofEdge'));
    const found = await inspected({ 'udx/bldg/53394526_bldg_6697_op.gml': cityModel([building]) });
    assert.deepEqual(countsOf(found), { 'bldg.mesh': 1 });
  });

  test('files of another version than that of the rules are said, with their number', async () => {
    const files = {
      [pathOf('luse')]: cityModel([]),
      [pathOf('tran')]: cityModel([]).replace('citygml/2.0', 'citygml/3.0'),
    };
    const { skipped, complete } = await inspected(files, { spec: 6 });
    assert.equal(complete, false);
    assert.deepEqual(
      skipped.filter(({ file }) => file !== null),
      [
        {
          file: pathOf('luse'),
          reason:
            'The file has CityGML 2.0, and was compared with the rules of specification 6, which are for CityGML 3.0.',
          count: 1,
        },
      ],
    );
  });

  test('what features have together has a place: ids, building ids, overlaps, references', async () => {
    const attribute = '<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>13104-bldg-1';
    const closing = '</uro:buildingID></uro:BuildingIDAttribute></uro:buildingIDAttribute>';
    const building = (number: number) =>
      feature(
        'bldg:Building',
        'bldg',
        `${property('bldg:lod0RoofEdge', multiSurface(polygon(GOOD, [], 'same')))}` +
          `${property('bldg:lod1Solid', solid(boxOf()))}${attribute}${closing}`,
        number,
      );
    const group = feature('grp:CityObjectGroup', 'bldg', '<grp:groupMember xlink:href="#nothing"/>', 9);
    const report = await inspected({ [pathOf('bldg')]: cityModel([building(1), building(2), group]) });
    assert.deepEqual(countsOf(report), {
      C01: 2,
      xlink: 1,
      'C-bldg-01': 2,
      'bldg.lod0.overlap': 1,
      'L-bldg-01.lod1': 1,
    });
    const items = report.checks.flatMap(({ code, items: found }) => found.map((item) => ({ code, ...item })));
    const placeless = items.filter(({ position }) => position === null).map(({ code }) => code);
    // A group has no geometry of its own.
    assert.deepEqual(placeless, ['xlink']);
  });

  test('solids of a row, in two files: each is compared with all that reach into it', async () => {
    const building = (number: number, east: number) =>
      feature(
        'bldg:Building',
        'bldg',
        property('bldg:lod1Solid', solid(box([east, 0, 5], 10, 10, 5))),
        number,
      );
    const report = await inspected({
      [pathOf('bldg')]: cityModel([building(1, 0), building(2, 8), building(3, 16)]),
      'udx/bldg/53394526_bldg_6697_op.gml': cityModel([building(4, 4), building(5, 30)]),
    });
    assert.deepEqual(
      countsOf({ ...report, checks: report.checks.filter(({ code }) => code !== 'bldg.mesh') }),
      {
        'L-bldg-01.lod1': 4,
      },
    );
    const items = report.checks.find(({ code }) => code === 'L-bldg-01.lod1')!.items;
    assert.deepEqual(
      items.map(({ id, ref }) => [id, ref]),
      [
        [1, 2],
        [1, 4],
        [2, 3],
        [2, 4],
      ].map((pair) => pair.map((number) => idOf('bldg', number))),
    );
    assert.deepEqual(
      items.map(({ row }) => row!.intersection_id),
      [0, 1, 2, 3].map((n) => `lod1_${n}`),
    );
  });

  test('the check of installations is listed in both specifications, and finds nothing in the sixth', async () => {
    const building = feature('bldg:Building', 'bldg', '');
    for (const spec of [4, 6] as const) {
      const { checks } = await inspected({ [pathOf('bldg')]: cityModel([building]) }, { spec });
      assert.equal(checks.find(({ code }) => code === 'T-bldg-02')?.errors, 0, `specification ${spec}`);
    }
  });
});
