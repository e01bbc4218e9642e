/** Tiles of the ground of one zoom, as they are drawn. */
import type { Bounds } from '@citymodel/geo';
import {
  type Geometry,
  GeometryInstance,
  type MaterialAppearance,
  Primitive,
  type PrimitiveCollection,
  type Scene,
  ShadowMode,
} from 'cesium';
import { appearanceOf, textureOf } from './ground-material.ts';
import { meshOf } from './ground-mesh.ts';
import type { GroundPicture } from './ground-picture.ts';
import type { Relief } from './ground-relief.ts';
import { boundsAround, boundsOfTile, isSameBox, type TileAddress } from './ground-tiles.ts';
import type { Texture } from './private-cesium.ts';

/** Squares along a side of a tile's mesh: on hills a power of two, so that finer tiles end at the edge of one. */
const SQUARES = 20;
export const SQUARES_OF_HILLS = 64;
/** A square of which less than this is outside of a hole lies in it. */
const OUTSIDE = 0.01;
/** Metres below a terrain that one sees through: its triangles are others than those of the ground. */
const BELOW_TERRAIN = 2;
/** Metres by which the ground has to be another one before it is laid anew. */
const MOVED = 0.3;

/** Whether the terrain is drawn itself, as a model: not, so that one sees through it, or wholly. */
export type TerrainLook = 'hidden' | 'see-through' | 'opaque';

/** What is above the ground: a finer ground in a box, and a terrain. */
export interface Above {
  hole: Bounds | null;
  terrain: TerrainLook;
}

interface Drawn {
  address: TileAddress;
  texture: InstanceType<typeof Texture>;
  appearance: MaterialAppearance;
  /** What lies there now, if anything of it is seen, with some of its heights, and what was above it. */
  laid: { primitive: Primitive | null; heights: number[]; hasSkirts: boolean; above: Above } | null;
}

export class GroundLayer {
  readonly #scene: Scene;
  readonly #into: PrimitiveCollection;
  readonly #below: number;
  readonly #drawn = new Map<string, Drawn>();

  /** @param below metres below the feet of buildings */
  constructor(scene: Scene, into: PrimitiveCollection, below: number) {
    this.#scene = scene;
    this.#into = into;
    this.#below = below;
  }

  /** Of the tiles; null without any. */
  get zoom(): number | null {
    const [first] = this.#drawn.values();
    return first?.address.z ?? null;
  }

  /** The box of all tiles; null without any. */
  get bounds(): Bounds | null {
    const boxes = [...this.#drawn.values()].map(({ address }) => boundsOfTile(address));
    return boxes.length === 0 ? null : boundsAround(boxes);
  }

  has(address: TileAddress): boolean {
    return this.#drawn.has(keyOf(address));
  }

  /** Takes away the tiles that are not among these. */
  keep(addresses: readonly TileAddress[]): void {
    const kept = new Set(addresses.map(keyOf));
    for (const [key, { texture, laid }] of this.#drawn) {
      if (kept.has(key)) continue;
      if (laid !== null) this.#take(laid);
      texture.destroy();
      this.#drawn.delete(key);
    }
  }

  /** Takes a picture for a tile, which `place` lays down. */
  add(address: TileAddress, picture: GroundPicture): void {
    const texture = textureOf(this.#scene, picture);
    this.#drawn.set(keyOf(address), { address, texture, appearance: appearanceOf(texture), laid: null });
  }

  /** Changes how each tile looks. */
  dress(change: (appearance: MaterialAppearance, bounds: Bounds) => void): void {
    for (const { appearance, address } of this.#drawn.values()) change(appearance, boundsOfTile(address));
  }

  /** Lays the tiles whose ground has moved; the others stay as they are, for each takes time. */
  place(relief: Relief, above: Above): void {
    for (const tile of this.#drawn.values()) {
      const bounds = boundsOfTile(tile.address);
      const { heights, isRugged } = relief.looksOf(bounds);
      const { laid } = tile;
      const hasSkirts = relief.hasTerrain;
      if (laid !== null) {
        const isLevel =
          heights.length === laid.heights.length &&
          heights.every((height, i) => Math.abs(height - laid.heights[i]!) < MOVED);
        if (isLevel && hasSkirts === laid.hasSkirts && isSame(above, laid.above)) continue;
        this.#take(laid);
      }
      const geometry = meshOf(bounds, relief.heightAt, {
        squares: isRugged ? SQUARES_OF_HILLS : SQUARES,
        below: this.#below + (above.terrain === 'see-through' ? BELOW_TERRAIN : 0),
        slopes: isRugged ? relief.shareAt : () => 0,
        hasSkirts,
        isLeftOut: (square) =>
          (above.hole !== null && isWithin(square, above.hole)) ||
          (above.terrain === 'opaque' && cornersOf(square).every(([lng, lat]) => relief.isTerrain(lng, lat))),
      });
      const primitive = geometry === null ? null : this.#lay(geometry, tile.appearance);
      tile.laid = { primitive, heights, hasSkirts, above };
    }
  }

  #lay(geometry: Geometry, appearance: MaterialAppearance): Primitive {
    const primitive = new Primitive({
      geometryInstances: new GeometryInstance({ geometry }),
      appearance,
      asynchronous: false,
      allowPicking: false,
      shadows: ShadowMode.RECEIVE_ONLY,
    });
    this.#into.add(primitive);
    return primitive;
  }

  #take({ primitive }: NonNullable<Drawn['laid']>): void {
    if (primitive !== null) this.#into.remove(primitive);
  }
}

function keyOf({ z, x, y }: TileAddress): string {
  return `${z}/${x}/${y}`;
}

function isSame(a: Above, b: Above): boolean {
  const isSameHole = a.hole === null || b.hole === null ? a.hole === b.hole : isSameBox(a.hole, b.hole);
  return isSameHole && a.terrain === b.terrain;
}

function isWithin(square: Bounds, hole: Bounds): boolean {
  const wide = (square.east - square.west) * OUTSIDE;
  const high = (square.north - square.south) * OUTSIDE;
  return (
    square.west > hole.west - wide &&
    square.east < hole.east + wide &&
    square.south > hole.south - high &&
    square.north < hole.north + high
  );
}

function cornersOf({ west, south, east, north }: Bounds): Array<[lng: number, lat: number]> {
  return [
    [west, south],
    [east, south],
    [west, north],
    [east, north],
  ];
}
