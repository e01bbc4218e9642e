/** Tiles of the ground of one zoom, as they are drawn. */
import type { Bounds } from '@citymodel/geo';
import {
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
import { boundsAround, boundsOfTile, type TileAddress } from './ground-tiles.ts';
import type { Texture } from './private-cesium.ts';

export type HeightAt = (lng: number, lat: number) => number;

/** Metres by which the ground has to be another one before it is laid anew. */
const MOVED = 0.3;

interface Drawn {
  address: TileAddress;
  texture: InstanceType<typeof Texture>;
  appearance: MaterialAppearance;
  /** What lies there now, with its heights at corners and middle, and what was left out. */
  laid: { primitive: Primitive; heights: number[]; hole: Bounds | null } | null;
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
      if (laid !== null) this.#into.remove(laid.primitive);
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

  /**
   * Lays the tiles whose ground has moved; the others stay as they are, for each takes time.
   *
   * @param hole is left out
   */
  place(heightAt: HeightAt, hole: Bounds | null): void {
    for (const tile of this.#drawn.values()) {
      const bounds = boundsOfTile(tile.address);
      const heights = heightsOf(bounds, heightAt);
      const { laid } = tile;
      if (laid !== null) {
        const isSame = heights.every((height, i) => Math.abs(height - laid.heights[i]!) < MOVED);
        if (isSame && isSameBox(laid.hole, hole)) continue;
        this.#into.remove(laid.primitive);
      }
      const geometry = meshOf(bounds, heightAt, this.#below, hole);
      const primitive = new Primitive({
        geometryInstances: new GeometryInstance({ geometry }),
        appearance: tile.appearance,
        asynchronous: false,
        allowPicking: false,
        shadows: ShadowMode.RECEIVE_ONLY,
      });
      this.#into.add(primitive);
      tile.laid = { primitive, heights, hole };
    }
  }
}

function keyOf({ z, x, y }: TileAddress): string {
  return `${z}/${x}/${y}`;
}

function isSameBox(a: Bounds | null, b: Bounds | null): boolean {
  if (a === null || b === null) return a === b;
  return a.west === b.west && a.south === b.south && a.east === b.east && a.north === b.north;
}

/** At the corners of a box and in its middle. */
function heightsOf({ west, south, east, north }: Bounds, heightAt: HeightAt): number[] {
  return [
    heightAt(west, south),
    heightAt(east, south),
    heightAt(west, north),
    heightAt(east, north),
    heightAt((west + east) / 2, (south + north) / 2),
  ];
}
