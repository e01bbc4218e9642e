import type { BoundingVolume } from '@citymodel/geo';

/** The parts of a tileset JSON that this service reads or writes (3D Tiles 1.1, section 7; 1.0 has a subset). */
export interface Tileset {
  asset: { version: string; tilesetVersion?: string; extras?: unknown };
  /** Statistics of per-feature properties by name (1.0; deprecated in 1.1). */
  properties?: Record<string, { minimum: number; maximum: number }>;
  /** Metres: the error when the tileset is not drawn at all. */
  geometricError: number;
  root: Tile;
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  extras?: unknown;
}

export interface Tile {
  boundingVolume: BoundingVolume;
  /** Metres: the error when this tile is drawn and its children are not. */
  geometricError: number;
  /** Required on the root; inherited below. */
  refine?: 'ADD' | 'REPLACE';
  /** 4×4, column-major, from the tile's frame to its parent's. */
  transform?: number[];
  content?: Content;
  /** 1.1: several contents; excludes `content`. */
  contents?: Content[];
  /** 1.1: the tiles below are given by subtree files. */
  implicitTiling?: { subdivisionScheme: string; subtrees: { uri: string } };
  children?: Tile[];
  extras?: unknown;
}

export interface Content {
  uri: string;
  boundingVolume?: BoundingVolume;
  extras?: unknown;
}
