/** What a picture is drawn of. */
import type { Texture } from './texture.ts';

/** Triangles in metres east, north and up of the place in the middle of the picture. */
export interface Surface {
  positions: Float32Array;
  indices: Uint32Array;
  uvs: Float32Array | null;
  /** Linear red, green, blue, opacity of each vertex; null for white. */
  colours: Float32Array | null;
  factor: readonly [number, number, number, number];
  texture: Texture | null;
  /** True where grey means nothing, so that roofs and walls may be painted. */
  isPlain: boolean;
  /** True for the ground that is drawn under a model: it has the colour of land. */
  isGround: boolean;
}
