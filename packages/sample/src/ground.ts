/** What lies on the ground between and under the buildings: streets, land use, zoning, floods, terrain. */
import type { Point2, Point3 } from './place.ts';
import { groundAltitude, MESH_HEIGHT, thirdMesh } from './place.ts';
import { Random } from './random.ts';
import type { Block, Zone } from './town.ts';
import { PITCH, STREET } from './town.ts';

/** Counter-clockwise corners. */
export type Ring2 = Point2[];

export interface Road {
  id: string;
  /** Ids of the carriageway and the two pavements that LOD2 tells apart. */
  partIds: [carriageway: string, pavement: string, pavement: string];
  mesh: string;
  areaCode: string;
  cityCode: string;
  outline: Ring2;
  carriageway: Ring2;
  pavements: [Ring2, Ring2];
}

/** A piece of land with one use, and with the zone that planning gives it. */
export interface Parcel {
  id: string;
  mesh: string;
  areaCode: string;
  cityCode: string;
  /** Code of `Common_landUseType` or of `Common_districtsAndZonesType`. */
  code: string;
  ring: Ring2;
  squareMetres: number;
}

export type FloodScale = 'l1' | 'l2';

export interface River {
  code: string;
  admin: 'natl' | 'pref';
  name: string;
  scales: FloodScale[];
  /** Metres from the river's middle. */
  distance(point: Point2): number;
  /** Box in which its floods lie: west, south, east, north. */
  box: [number, number, number, number];
}

export interface Flood {
  id: string;
  river: River;
  scale: FloodScale;
  mesh: string;
  /** Code of the depth class. */
  rank: string;
  /** At the altitude of the water's surface. */
  triangles: Point3[][];
}

const LAND_USE: Record<Zone, string> = {
  centre: '212',
  commercial: '212',
  mixed: '211',
  residential: '211',
  works: '213',
  park: '217',
};
const ZONING: Record<Zone, string> = {
  centre: '10',
  commercial: '10',
  mixed: '9',
  residential: '5',
  works: '11',
  park: '5',
};
const ROAD_LAND_USE = '215';

/** The streets on the west and the south side of a block. */
export function roadsOf(block: Block, seed: number): Road[] {
  const [x, y] = block.corner;
  const random = blockRandom('road', block, seed);
  const make = (axis: 0 | 1, west: number, south: number, east: number, north: number): Road => {
    const across = (from: number, to: number): Ring2 =>
      axis === 0 ? box(west, south + from, east, south + to) : box(west + from, south, west + to, north);
    return {
      id: `tran_${random.uuid()}`,
      partIds: [`traf_${random.uuid()}`, `auxt_${random.uuid()}`, `auxt_${random.uuid()}`],
      mesh: thirdMesh((west + east) / 2, (south + north) / 2),
      areaCode: block.district.code,
      cityCode: block.district.cityCode,
      outline: box(west, south, east, north),
      carriageway: across(2, STREET - 2),
      pavements: [across(0, 2), across(STREET - 2, STREET)],
    };
  };
  return [
    make(0, x - STREET, y - STREET, x + PITCH[0] - STREET, y),
    make(1, x - STREET, y, x, y + PITCH[1] - STREET),
  ];
}

/** Land use of a block: the block itself and its two streets. */
export function landUseOf(block: Block, seed: number): Parcel[] {
  const [x, y] = block.corner;
  const random = blockRandom('luse', block, seed);
  return [
    parcel('luse', block, random, LAND_USE[block.zone], x, y, x + PITCH[0] - STREET, y + PITCH[1] - STREET),
    ...roadsOf(block, seed).map(({ outline: [a, , c] }) =>
      parcel('luse', block, random, ROAD_LAND_USE, a![0], a![1], c![0], c![1]),
    ),
  ];
}

/** The use district of a block with its streets. */
export function zoningOf(block: Block, seed: number): Parcel {
  const [x, y] = [block.corner[0] - STREET, block.corner[1] - STREET];
  const random = blockRandom('urf', block, seed);
  return parcel('urf', block, random, ZONING[block.zone], x, y, x + PITCH[0], y + PITCH[1]);
}

/** A river south of the first ward, and a smaller one beside the second. */
export const RIVERS: River[] = [
  {
    code: 'sumimigawa',
    admin: 'natl',
    name: '澄見川水系澄見川',
    scales: ['l1', 'l2'],
    distance: ([east, north]) => Math.abs(north - 590 - 22 * Math.sin(east / 120)),
    box: [-240, 420, 480, 760],
  },
  {
    code: 'ashibegawa',
    admin: 'pref',
    name: '葦辺川水系葦辺川',
    scales: ['l2'],
    distance: ([east, north]) => Math.abs(east + 330 - 15 * Math.sin(north / 80)),
    box: [-500, Math.ceil(MESH_HEIGHT / 20) * 20, -160, 1240],
  },
];

const CELL = 20;
/** Upper end in metres of the depth classes 1 to 3 of `RiverFloodingRiskAttribute_rank`; 4 lies above. */
const RANK_DEPTHS = [0.5, 3, 5];
const REACH: Record<FloodScale, { metres: number; depth: number }> = {
  l1: { metres: 80, depth: 2.6 },
  l2: { metres: 150, depth: 5.8 },
};

/** The flooded area of a river by third mesh and depth class, as triangles of a grid. */
export function floodsOf(river: River, scale: FloodScale, seed: number): Flood[] {
  const floods = new Map<string, Flood>();
  const [west, south, east, north] = river.box;
  const { metres, depth } = REACH[scale];
  for (let x = west; x < east; x += CELL) {
    for (let y = south; y < north; y += CELL) {
      const middle: Point2 = [x + CELL / 2, y + CELL / 2];
      const away = river.distance(middle);
      if (away >= metres) continue;
      const water = depth * (1 - away / metres);
      const rank = String(1 + RANK_DEPTHS.filter((limit) => water >= limit).length);
      const mesh = thirdMesh(...middle);
      const key = `${mesh}/${rank}`;
      let flood = floods.get(key);
      if (flood === undefined) {
        const id = `fld_${new Random(`${seed}/fld/${river.code}/${scale}/${key}`).uuid()}`;
        flood = { id, river, scale, mesh, rank, triangles: [] };
        floods.set(key, flood);
      }
      const at = (e: number, n: number): Point3 => {
        const above = Math.max(0.05, depth * (1 - river.distance([e, n]) / metres));
        return [e, n, Math.round((groundAltitude(e, n) + above) * 100) / 100];
      };
      flood.triangles.push(
        [at(x, y), at(x + CELL, y), at(x + CELL, y + CELL)],
        [at(x, y), at(x + CELL, y + CELL), at(x, y + CELL)],
      );
    }
  }
  return [...floods.values()].sort((a, b) => (a.mesh + a.rank < b.mesh + b.rank ? -1 : 1));
}

/** Triangles of the terrain around the centre of the first city, 100 m wide, in the second mesh 382955. */
export function terrainTriangles(): Point3[][] {
  const at = (e: number, n: number): Point3 => [e, n, Math.round(groundAltitude(e, n) * 100) / 100];
  const triangles: Point3[][] = [];
  for (let x = -500; x < 500; x += 100) {
    for (let y = 400; y < 1300; y += 100) {
      triangles.push(
        [at(x, y), at(x + 100, y), at(x + 100, y + 100)],
        [at(x, y), at(x + 100, y + 100), at(x, y + 100)],
      );
    }
  }
  return triangles;
}

function parcel(
  type: 'luse' | 'urf',
  block: Block,
  random: Random,
  code: string,
  west: number,
  south: number,
  east: number,
  north: number,
): Parcel {
  return {
    id: `${type}_${random.uuid()}`,
    mesh: thirdMesh((west + east) / 2, (south + north) / 2),
    areaCode: block.district.code,
    cityCode: block.district.cityCode,
    code,
    ring: box(west, south, east, north),
    squareMetres: Math.round((east - west) * (north - south)),
  };
}

function blockRandom(kind: string, block: Block, seed: number): Random {
  return new Random(`${seed}/${kind}/${block.district.code}/${block.column}/${block.row}`);
}

function box(west: number, south: number, east: number, north: number): Ring2 {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
}
