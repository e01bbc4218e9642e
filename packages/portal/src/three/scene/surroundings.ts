/**
 * What lies around a model: land that runs to the horizon, and a sky over it, in place of an edge. Both fade into the
 * same haze as the model does.
 */
import type { Bounds } from '@citymodel/geo';
import {
  BoundingSphere,
  Cartesian3,
  ComponentDatatype,
  Geometry,
  GeometryAttribute,
  GeometryInstance,
  Material,
  MaterialAppearance,
  Primitive,
  type PrimitiveCollection,
  PrimitiveType,
  ShadowMode,
} from 'cesium';
import type { Air, Rgb } from './air.ts';
import { METRES_PER_DEGREE } from './ground-tiles.ts';

/** Models are shown on land up to this extent, degrees; larger ones curve away. */
const UP_TO = 0.6;
/** Steps outwards from the edge of the pictures of the ground, metres. */
const OUTWARDS = [0, 60, 250, 800, 2_500, 8_000, 25_000, 60_000];
/** Pieces along a side of the pictures, without hills and with them. */
const [PIECES, PIECES_OF_HILLS] = [24, 96];
/** Metres outwards on which hills become as high as the border is on average. */
const FALL = 3_000;
/** Land of hills begins with a piece so wide and so steep that it shows nothing of the sky below it, metres. */
const [HEM, HEM_DOWN] = [1, 60];
/** Below the pictures of the ground, metres; where there are none the land takes their place. */
const BELOW = 0.8;
/** The sky is a wall around everything, so far from the model and so high, metres. */
const FAR = 70_000;
const HIGH = 60_000;
const SIDES = 48;

export class Surroundings {
  readonly #into: PrimitiveCollection;
  readonly #land = flat(
    'mix(colour.rgb, haze.rgb, smoothstep(reach.x, reach.y, length(materialInput.positionToEyeEC)))',
  );
  readonly #sky = flat('mix(haze.rgb, colour.rgb, smoothstep(0.12, 0.5, materialInput.st.t))');

  constructor(into: PrimitiveCollection) {
    this.#into = into;
  }

  /** @param land its colour, as it is shown */
  shade(air: Air, land: Rgb): void {
    for (const [material, colour] of [
      [this.#land, land],
      [this.#sky, air.zenith],
    ] as const) {
      material.uniforms.colour = vector(colour);
      material.uniforms.haze = vector(air.horizon);
      material.uniforms.reach = { x: air.hazeFrom, y: air.hazeTo };
    }
  }

  /**
   * Lays land and sky anew.
   *
   * @param box of the model
   * @param pictured the box that pictures of the ground cover; null without pictures
   * @param heightAt metres above the ellipsoid
   * @param hasHills whether the pictures lie on a terrain
   */
  lay(
    box: Bounds,
    pictured: Bounds | null,
    heightAt: (lng: number, lat: number) => number,
    hasHills: boolean,
  ): void {
    this.#into.removeAll();
    if (Math.max(box.east - box.west, box.north - box.south) > UP_TO) return;
    const land =
      pictured !== null && hasHills
        ? landAroundHills(pictured, heightAt)
        : landOf(pictured ?? box, pictured !== null, heightAt);
    this.#into.add(primitiveOf(land, this.#land));
    this.#into.add(primitiveOf(skyOf(box), this.#sky));
  }
}

/** A material of the colours above, which the light of the scene does not change. */
function flat(diffuse: string): Material {
  return new Material({
    fabric: {
      uniforms: {
        colour: { x: 1, y: 1, z: 1, w: 1 },
        haze: { x: 1, y: 1, z: 1, w: 1 },
        reach: { x: 1, y: 2 },
      },
      components: { diffuse },
    },
    translucent: false,
  });
}

function vector([x, y, z]: readonly number[]): { x: number; y: number; z: number; w: number } {
  return { x: x!, y: y!, z: z!, w: 1 };
}

function primitiveOf(geometry: Geometry, material: Material): Primitive {
  return new Primitive({
    geometryInstances: new GeometryInstance({ geometry }),
    appearance: new MaterialAppearance({
      flat: true,
      translucent: false,
      materialSupport: MaterialAppearance.MaterialSupport.TEXTURED,
      material,
    }),
    asynchronous: false,
    allowPicking: false,
    shadows: ShadowMode.DISABLED,
  });
}

/** Coordinates along one axis: outwards in growing steps, and pieces between. */
function line(low: number, high: number, perMetre: number, pieces: number): number[] {
  const before = OUTWARDS.toReversed().map((metres) => low - metres * perMetre);
  const after = OUTWARDS.map((metres) => high + metres * perMetre);
  const between = Array.from({ length: pieces - 1 }, (_, i) => low + ((high - low) * (i + 1)) / pieces);
  return [...before, ...between, ...after];
}

/**
 * Land from the border of pictures of hills to the horizon. It begins as high as they end, with a hem that hangs down
 * within, and becomes level.
 */
function landAroundHills(
  { west, south, east, north }: Bounds,
  heightAt: (lng: number, lat: number) => number,
): Geometry {
  const perMetre = 1 / METRES_PER_DEGREE;
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const [wide, high] = [(HEM * perMetre) / shrink, HEM * perMetre];
  const columns = line(west, east, perMetre / shrink, PIECES_OF_HILLS);
  const rows = line(south, north, perMetre, PIECES_OF_HILLS);
  // Lines of the border, and next to them within those of the hem
  const [first, last] = [OUTWARDS.length - 1, columns.length - OUTWARDS.length];
  [columns[first + 1], columns[last - 1]] = [west + wide, east - wide];
  [rows[first + 1], rows[last - 1]] = [south + high, north - high];
  const isWithin = (line: number) => line > first && line < last;
  const isHem = (line: number) => line === first + 1 || line === last - 1;
  const edges = new Map<number, number>();
  const edgeAt = (column: number, row: number) => {
    const [i, j] = [clamp(column, first, last), clamp(row, first, last)];
    const key = j * columns.length + i;
    const height = edges.get(key) ?? heightAt(columns[i]!, rows[j]!);
    edges.set(key, height);
    return height;
  };
  for (let i = first; i <= last; i++) {
    for (const side of [first, last]) {
      edgeAt(i, side);
      edgeAt(side, i);
    }
  }
  const level = [...edges.values()].reduce((sum, height) => sum + height) / edges.size;
  return gridOf(
    columns,
    rows,
    (i, j) => {
      const [lng, lat] = [columns[i]!, rows[j]!];
      if (isWithin(i) && isWithin(j)) return isHem(i) || isHem(j) ? heightAt(lng, lat) - HEM_DOWN : level;
      const away = Math.hypot(
        (lng - clamp(lng, west, east)) * METRES_PER_DEGREE * shrink,
        (lat - clamp(lat, south, north)) * METRES_PER_DEGREE,
      );
      return level + (edgeAt(i, j) - level) * Math.exp(-away / FALL) - BELOW;
    },
    (i, j) => isWithin(i) && isWithin(i + 1) && isWithin(j) && isWithin(j + 1),
  );
}

/** A grid to the horizon; the middle is left out where pictures lie. */
function landOf(
  { west, south, east, north }: Bounds,
  isPictured: boolean,
  heightAt: (lng: number, lat: number) => number,
): Geometry {
  const perMetre = 1 / METRES_PER_DEGREE;
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const columns = line(west, east, perMetre / shrink, PIECES);
  const rows = line(south, north, perMetre, PIECES);
  // One piece lies below the pictures: no sky shows between them and the land.
  const inside = (at: number) => at >= OUTWARDS.length && at < OUTWARDS.length - 2 + PIECES;
  return gridOf(
    columns,
    rows,
    // Beyond the edge the land goes on as high as there.
    (i, j) => heightAt(clamp(columns[i]!, west, east), clamp(rows[j]!, south, north)) - BELOW,
    (i, j) => isPictured && inside(i) && inside(j),
  );
}

/**
 * A surface over the crossings of lines.
 *
 * @param height metres above the ellipsoid, of a column and a row
 * @param isLeftOut of the piece to the north-east of a crossing
 */
function gridOf(
  columns: readonly number[],
  rows: readonly number[],
  height: (column: number, row: number) => number,
  isLeftOut: (column: number, row: number) => boolean,
): Geometry {
  const positions = new Float64Array(columns.length * rows.length * 3);
  const point = new Cartesian3();
  const indices: number[] = [];
  for (const [j, lat] of rows.entries()) {
    for (const [i, lng] of columns.entries()) {
      Cartesian3.fromDegrees(lng, lat, height(i, j), undefined, point);
      const at = j * columns.length + i;
      positions.set([point.x, point.y, point.z], at * 3);
      if (i + 1 === columns.length || j + 1 === rows.length || isLeftOut(i, j)) continue;
      const above = at + columns.length;
      indices.push(at, at + 1, above + 1, at, above + 1, above);
    }
  }
  return geometryOf(positions, new Float32Array((positions.length / 3) * 2), indices);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** A wall and a lid around a box; `t` of its texture is 0.12 at the horizon and 1 above. */
function skyOf({ west, south, east, north }: Bounds): Geometry {
  const [lng, lat] = [(west + east) / 2, (south + north) / 2];
  const positions = new Float64Array((SIDES * 2 + 1) * 3);
  const st = new Float32Array((SIDES * 2 + 1) * 2);
  const point = new Cartesian3();
  const put = (at: number, degrees: [number, number], height: number, t: number) => {
    Cartesian3.fromDegrees(...degrees, height, undefined, point);
    positions.set([point.x, point.y, point.z], at * 3);
    st.set([0, t], at * 2);
  };
  const indices: number[] = [];
  for (let side = 0; side < SIDES; side++) {
    const angle = (2 * Math.PI * side) / SIDES;
    const away: [number, number] = [
      lng + (Math.cos(angle) * FAR) / METRES_PER_DEGREE / Math.cos((lat * Math.PI) / 180),
      lat + (Math.sin(angle) * FAR) / METRES_PER_DEGREE,
    ];
    // From below what the land hides
    put(side, away, -8_000, 0);
    put(SIDES + side, away, HIGH, 1);
    const next = (side + 1) % SIDES;
    indices.push(
      side,
      next,
      SIDES + next,
      side,
      SIDES + next,
      SIDES + side,
      SIDES + side,
      SIDES + next,
      SIDES * 2,
    );
  }
  put(SIDES * 2, [lng, lat], HIGH, 1);
  return geometryOf(positions, st, indices);
}

function geometryOf(positions: Float64Array, st: Float32Array, indices: number[]): Geometry {
  const up = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) up[i + 2] = 1;
  const attribute = (values: Float64Array | Float32Array, datatype: ComponentDatatype, parts: number) =>
    new GeometryAttribute({ componentDatatype: datatype, componentsPerAttribute: parts, values });
  return new Geometry({
    attributes: {
      position: attribute(positions, ComponentDatatype.DOUBLE, 3),
      normal: attribute(up, ComponentDatatype.FLOAT, 3),
      st: attribute(st, ComponentDatatype.FLOAT, 2),
    } as never,
    indices: new Uint16Array(indices),
    primitiveType: PrimitiveType.TRIANGLES,
    boundingSphere: BoundingSphere.fromVertices([...positions]),
  });
}
