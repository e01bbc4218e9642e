/** A mesh that an encoder does not compress. */
import type { TriangleMesh } from './mesh-builder.ts';

/** The encoder refused the mesh, or ended at it; the mesh can be written as it is. */
export class EncoderFailed extends Error {
  constructor(encoder: string, { features, indices }: TriangleMesh, cause: unknown) {
    super(`${encoder} failed at a mesh of ${features.length} vertices and ${indices.length / 3} triangles.`, {
      cause,
    });
    this.name = 'EncoderFailed';
  }
}
