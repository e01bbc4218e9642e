/**
 * The plan of the invented place: districts that grow block by block from a centre, so that a larger city
 * holds the smaller one, and what stands on each block. Everything follows from the seed.
 */
import type { Building, Footprint, Material } from './building.ts';
import { footprintArea, footprintCentre, highestOf } from './building.ts';
import type { Point2 } from './place.ts';
import { groundAltitude, MESH_HEIGHT, thirdMesh } from './place.ts';
import { hash32, Random } from './random.ts';

/** Blocks lie this far apart and leave a street of 12 m on their west and south sides. */
export const PITCH: Point2 = [110, 90];
export const STREET = 12;

export type Zone = 'centre' | 'commercial' | 'mixed' | 'residential' | 'works' | 'park';

export interface District {
  /** Ward code, or the municipality's where it has no wards. */
  code: string;
  cityCode: string;
  /** Prefecture, city and ward, as addresses begin. */
  address: string;
  towns: string[];
  /** South-west corner of the first block. */
  corner: Point2;
  /** Columns that exist on either side of the first one. */
  columns: [west: number, east: number];
  /** Rows grow to the south (-1) or to the north (1). */
  towards: 1 | -1;
  /** Part of all buildings that stand here. */
  share: number;
}

export interface Block {
  district: District;
  column: number;
  row: number;
  zone: Zone;
  /** South-west corner of the built-up part, which is `PITCH` less the street in size. */
  corner: Point2;
  town: string;
  /** Buildings on it. */
  count: number;
}

const PREFECTURE = '沖縄県';

/** How the wards are read, as names of packages have it. */
export const SAMPLE_WARD_NAMES = { 47901: 'minatomi-ku', 47902: 'okate-ku' } as const;

/** Two wards of one city, and another city whose first blocks lie in a third mesh of the first. */
export const DISTRICTS: District[] = [
  {
    code: '47901',
    cityCode: '47900',
    address: `${PREFECTURE}青凪市港見区`,
    towns: ['白帆町一丁目', '白帆町二丁目', '灯台通', '藍浜一丁目', '千鳥町'],
    corner: [-PITCH[0] / 2, MESH_HEIGHT - 8 - PITCH[1]],
    columns: [Number.POSITIVE_INFINITY, 4],
    towards: -1,
    share: 0.45,
  },
  {
    code: '47902',
    cityCode: '47900',
    address: `${PREFECTURE}青凪市丘手区`,
    towns: ['風見台一丁目', '風見台二丁目', '椎坂', '若葉が丘'],
    corner: [-PITCH[0] - 12, MESH_HEIGHT + 10],
    columns: [Number.POSITIVE_INFINITY, 0],
    towards: 1,
    share: 0.25,
  },
  {
    code: '47950',
    cityCode: '47950',
    address: `${PREFECTURE}汐見野市`,
    towns: ['塩焼町', '本浦一丁目', '本浦二丁目', '貝寄'],
    corner: [1100, MESH_HEIGHT - 8 - PITCH[1]],
    columns: [0, Number.POSITIVE_INFINITY],
    towards: -1,
    share: 0.3,
  },
];

/** Lots across and deep, by zone; the centre's buildings are placed one by one. */
const LOTS: Record<Exclude<Zone, 'centre'>, [number, number]> = {
  commercial: [3, 2],
  mixed: [4, 2],
  residential: [6, 2],
  works: [2, 1],
  park: [0, 0],
};
const CENTRE_BUILDINGS = 5;
/** Blocks up to this distance from the first have LOD2. */
const LOD2_RINGS = 2;

/** The blocks of a district in the order in which it grows, until they hold `buildings`; the last is cut to fit. */
export function* blocksOf(district: District, seed: number, buildings: number): Generator<Block> {
  let left = buildings;
  for (let ring = 0; left > 0; ring++) {
    const [west, east] = [Math.min(ring, district.columns[0]), Math.min(ring, district.columns[1])];
    for (let column = -west; column <= east && left > 0; column++) {
      const wholeColumn = Math.abs(column) === ring;
      for (let row = wholeColumn ? 0 : ring; row <= ring && left > 0; row++) {
        const block = blockAt(district, seed, column, row);
        block.count = Math.min(block.count, left);
        left -= block.count;
        yield block;
      }
    }
  }
}

/** How many of `size` buildings stand in the district. */
export function buildingsIn(district: District, size: number): number {
  return Math.max(CENTRE_BUILDINGS, Math.round(size * district.share));
}

function blockAt(district: District, seed: number, column: number, row: number): Block {
  const ring = Math.max(Math.abs(column), row);
  const hash = hash32(`${seed}/${district.code}/${column}/${row}`);
  const zone = zoneAt(district, ring, hash);
  const [across, deep] = zone === 'centre' ? [CENTRE_BUILDINGS, 1] : LOTS[zone];
  return {
    district,
    column,
    row,
    zone,
    corner: [
      district.corner[0] + column * PITCH[0] + STREET,
      district.corner[1] + row * PITCH[1] * district.towards + STREET,
    ],
    town: district.towns[ring === 0 ? 0 : (hash >>> 8) % district.towns.length]!,
    count: across * deep,
  };
}

function zoneAt(district: District, ring: number, hash: number): Zone {
  if (ring === 0) return district.code === '47901' ? 'centre' : 'commercial';
  if (ring === 1) return district.code === '47901' ? 'commercial' : 'mixed';
  const draw = hash % 10;
  if (draw < 6) return 'residential';
  if (draw < 8) return 'mixed';
  return draw === 8 ? 'park' : 'works';
}

/** The buildings of a block, always the same ones for the same seed. */
export function buildingsOn(block: Block, seed: number): Building[] {
  const key = `${seed}/${block.district.code}/${block.column}/${block.row}`;
  const random = new Random(key);
  if (block.zone === 'centre') return centreBuildings(block, random).slice(0, block.count);
  const [across, deep] = LOTS[block.zone];
  const lot: Point2 = [(PITCH[0] - STREET) / across, (PITCH[1] - STREET) / deep];
  const buildings: Building[] = [];
  for (let i = 0; i < block.count; i++) {
    const corner: Point2 = [
      block.corner[0] + (i % across) * lot[0],
      block.corner[1] + Math.floor(i / across) * lot[1],
    ];
    buildings.push(
      block.zone === 'residential' ? house(block, random, corner, lot) : hall(block, random, corner, lot),
    );
  }
  return buildings;
}

/** A detached house with a gable roof. */
function house(block: Block, random: Random, corner: Point2, lot: Point2): Building {
  const [width, depth] = [random.between(7, lot[0] - 3), random.between(8, 13)];
  const [west, south] = [
    corner[0] + random.between(1, lot[0] - width - 1),
    corner[1] + random.between(2, lot[1] - depth - 2),
  ];
  const outer = turned(rectangle(west, south, west + width, south + depth), random.between(-0.12, 0.12));
  if (depth > width) outer.push(outer.shift()!);
  const base = baseOf(outer);
  const storeys = random.int(1, 3);
  const eaves = mm(base + 0.4 + storeys * random.between(2.7, 3.1));
  const ridge = mm(eaves + Math.min(width, depth) * random.between(0.2, 0.35));
  return building(block, random, {
    footprint: { outer, holes: [] },
    base,
    lod1Top: mm((eaves + ridge) / 2),
    roof: { kind: 'gable', eaves, ridge },
    storeys,
    usage: random.pick(['411', '411', '411', '412', '413']),
    wall: 'house',
  });
}

/** A block-like building with a flat roof, some of them L-shaped. */
function hall(block: Block, random: Random, corner: Point2, lot: Point2): Building {
  const margin = random.between(2, 4);
  const [west, south] = [corner[0] + margin, corner[1] + margin];
  const [east, north] = [corner[0] + lot[0] - margin, corner[1] + lot[1] - random.between(2, 6)];
  let outer = rectangle(west, south, east, north);
  if (random.int(0, 2) === 0) {
    const [cutEast, cutNorth] = [
      east - (east - west) * random.between(0.3, 0.6),
      south + (north - south) * random.between(0.4, 0.7),
    ];
    outer = [
      [west, south],
      [east, south],
      [east, cutNorth],
      [cutEast, cutNorth],
      [cutEast, north],
      [west, north],
    ];
  }
  outer = turned(outer, random.between(-0.03, 0.03));
  const base = baseOf(outer);
  const storeys =
    block.zone === 'commercial' ? random.int(3, 14) : block.zone === 'works' ? 1 : random.int(2, 6);
  const top = mm(
    base + (block.zone === 'works' ? random.between(7, 12) : storeys * random.between(3.1, 3.9) + 1),
  );
  const usages = { commercial: ['401', '402', '403', '404'], works: ['431', '441'] }[block.zone as string];
  return building(block, random, {
    footprint: { outer, holes: [] },
    base,
    lod1Top: mm(top - random.between(0, 0.6)),
    roof: { kind: 'flat', top },
    storeys,
    usage: random.pick(usages ?? ['401', '412', '414', '422']),
    wall: 'office',
  });
}

interface Shape {
  footprint: Footprint;
  base: number;
  lod1Top: number;
  roof: Building['bodies'][number]['roof'];
  storeys: number;
  usage: string;
  wall: Material;
}

function building(block: Block, random: Random, shape: Shape): Building {
  const { footprint, base, lod1Top, roof } = shape;
  const id = `bldg_${random.uuid()}`;
  const [east, north] = footprintCentre(footprint);
  const highest = highestOf(roof);
  const wooden = shape.wall === 'house';
  const low = base < 4.6 || random.int(0, 9) === 0;
  const planned = low ? mm(random.between(0.05, 1.4)) : 0;
  return {
    id,
    serial: random.int(1, 999_999),
    name: null,
    areaCode: block.district.code,
    cityCode: block.district.cityCode,
    mesh: thirdMesh(east, north),
    town: `${block.district.address}${block.town}`,
    bodies: [{ id, footprint, base, lod1Top, roof }],
    hasLod2: Math.max(Math.abs(block.column), block.row) <= LOD2_RINGS,
    classCode: wooden ? '3001' : '3002',
    usageCode: shape.usage,
    structureCode: wooden ? '601' : random.pick(['602', '603', '604']),
    zoneCode: { centre: '10', commercial: '10', mixed: '9', residential: '5', works: '11', park: '5' }[
      block.zone
    ],
    yearOfConstruction: random.int(1962, 2022),
    measuredHeight: mm(highest - base),
    storeysAbove: shape.storeys,
    storeysBelow: !wooden && footprintArea(footprint) > 500 ? random.int(0, 2) : 0,
    floodDepths: [planned, planned > 0 ? mm(planned + random.between(0.5, 3.5)) : 0],
    wallMaterial: shape.wall,
    genericAttributes: false,
    mast: null,
  };
}

/** The landmarks in the middle of the first ward: what a small town rarely has, but data does. */
function centreBuildings(block: Block, random: Random): Building[] {
  const [x, y] = block.corner;
  const flat = (outer: Point2[], height: number, storeys: number, usage: string, holes: Point2[][] = []) => {
    const base = baseOf(outer);
    const top = mm(base + height);
    const roof = { kind: 'flat', top } as const;
    return building(block, random, {
      footprint: { outer, holes },
      base,
      lod1Top: top,
      roof,
      storeys,
      usage,
      wall: 'office',
    });
  };
  // Block corners are 43 m west of the mesh line, so this hall lies in two meshes.
  const terminal = flat(rectangle(x + 20, y + 4, x + 76, y + 26), 18.4, 3, '431');
  terminal.name = '青凪ターミナル';
  const courtyard = rectangle(x + 11, y + 43, x + 23, y + 65).reverse();
  const cityHall = flat(rectangle(x + 2, y + 34, x + 32, y + 74), 24.2, 6, '421', [courtyard]);
  cityHall.name = '青凪市役所';
  cityHall.genericAttributes = true;
  const tower = flat(rectangle(x + 69, y + 44, x + 93, y + 68), 318.5, 68, '401');
  tower.name = '凪の塔';
  const [towerEast, towerNorth] = footprintCentre(tower.bodies[0]!.footprint);
  const towerTop = tower.bodies[0]!.lod1Top;
  tower.mast = { at: [towerEast, towerNorth], foot: towerTop, tip: mm(towerTop + 21.5) };

  const complex = flat(rectangle(x + 37, y + 34, x + 63, y + 74), 16, 4, '404');
  complex.name = '白帆プラザ';
  const podium = complex.bodies[0]!;
  const upper = rectangle(x + 43, y + 44, x + 57, y + 64);
  const upperTop = mm(podium.lod1Top + 46);
  complex.bodies = [
    { ...podium, id: `bldg_${random.uuid()}`, covered: upper },
    {
      id: `bldg_${random.uuid()}`,
      footprint: { outer: upper, holes: [] },
      base: podium.lod1Top,
      lod1Top: upperTop,
      roof: { kind: 'flat', top: upperTop },
    },
  ];
  complex.measuredHeight = mm(upperTop - podium.base);
  complex.storeysAbove = 17;

  const parking = flat(rectangle(x + 80, y + 4, x + 96, y + 28), 11, 0, '431');
  parking.name = '白帆地下駐車場';
  const body = parking.bodies[0]!;
  parking.bodies = [{ ...body, base: -14.25, lod1Top: -3.25, roof: { kind: 'flat', top: -3.25 } }];
  parking.hasLod2 = false;
  parking.measuredHeight = -9999;
  parking.storeysBelow = 3;
  for (const landmark of [terminal, cityHall, tower, complex, parking]) landmark.floodDepths = [0, 0];
  terminal.floodDepths = [0.62, 2.35];
  return [terminal, cityHall, tower, complex, parking];
}

/** Corners counter-clockwise from the south-west. */
function rectangle(west: number, south: number, east: number, north: number): Point2[] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
}

/** Turned around its middle by an angle in radians: surveyed walls hardly ever lie on the grid. */
function turned(ring: readonly Point2[], angle: number): Point2[] {
  const [east, north] = footprintCentre({ outer: [...ring], holes: [] });
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  return ring.map(([e, n]) => [
    east + (e - east) * cos - (n - north) * sin,
    north + (e - east) * sin + (n - north) * cos,
  ]);
}

function baseOf(outer: readonly Point2[]): number {
  return mm(Math.min(...outer.map(([east, north]) => groundAltitude(east, north))));
}

/** Rounded to a millimetre. */
function mm(metres: number): number {
  return Math.round(metres * 1000) / 1000;
}
