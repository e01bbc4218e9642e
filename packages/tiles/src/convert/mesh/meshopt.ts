/** Meshes for EXT_meshopt_compression: larger than Draco's, decoded many times faster. */
import type { MeshoptEncoder as Encoder } from 'meshoptimizer';
import { type CompressedViews, ViewTarget } from './buffer-builder.ts';
import { EncoderFailed } from './encoder-failed.ts';
import type { TriangleMesh } from './mesh-builder.ts';
import { stepOf } from './steps.ts';

export type MeshoptEncoder = typeof Encoder;

/** Loads the encoder. */
export async function loadMeshopt(): Promise<MeshoptEncoder> {
  const { MeshoptEncoder } = await import('meshoptimizer');
  await MeshoptEncoder.ready;
  return MeshoptEncoder;
}

export interface MeshoptOptions {
  /** Most that a position may be moved along an axis, metres. */
  error: number;
  /** Most that a texture coordinate may be moved. */
  uvError: number;
  /** Name of the attribute with the row of the property table. */
  featureAttribute: string;
}

const NORMAL_BITS = 8;
const MAX_MANTISSA = 2 ** 23 - 1;

/** Accessors of glTF over the views of a mesh. */
interface MeshoptMesh {
  attributes: Array<[name: string, accessor: object]>;
  indices: object;
}

/** Writes the views of a mesh. Throws EncoderFailed when the encoder refuses the mesh; some views are written then. */
export function encodeMeshopt(
  encoder: MeshoptEncoder,
  mesh: TriangleMesh,
  options: MeshoptOptions,
  buffer: CompressedViews,
): MeshoptMesh {
  try {
    return encode(encoder, mesh, options, buffer);
  } catch (error) {
    throw new EncoderFailed('meshoptimizer', mesh, error);
  }
}

function encode(
  encoder: MeshoptEncoder,
  mesh: TriangleMesh,
  { error, uvError, featureAttribute }: MeshoptOptions,
  buffer: CompressedViews,
): MeshoptMesh {
  // Vertices in the order in which triangles first use them: neighbours in space become neighbours in the file.
  const indices = mesh.indices.slice();
  const [remap, count] = encoder.reorderMesh(indices, true, true);
  const vertices = (bytes: Uint8Array, byteStride: number, filter?: 'OCTAHEDRAL' | 'EXPONENTIAL'): number =>
    buffer.compressedView(encoder.encodeGltfBuffer(bytes, count, byteStride, 'ATTRIBUTES'), {
      count,
      byteStride,
      mode: 'ATTRIBUTES',
      ...(filter === undefined ? {} : { filter }),
      target: ViewTarget.vertices,
    });
  const positions = inSteps(reordered(mesh.positions, remap, count, 3), error);
  const view = vertices(positions, 12, 'EXPONENTIAL');
  const attributes: Array<[string, object]> = [
    ['POSITION', { bufferView: view, componentType: 5126, count, type: 'VEC3', ...boundsOf(positions) }],
  ];
  const normals = new Float32Array(4 * count);
  const own = reordered(mesh.normals, remap, count, 3);
  for (let i = 0; i < count; i++) normals.set(own.subarray(3 * i, 3 * i + 3), 4 * i);
  const oct = encoder.encodeFilterOct(normals, count, 4, NORMAL_BITS);
  attributes.push([
    'NORMAL',
    {
      bufferView: vertices(oct, 4, 'OCTAHEDRAL'),
      componentType: 5120,
      normalized: true,
      count,
      type: 'VEC3',
    },
  ]);
  if (mesh.uvs !== null) {
    const uvs = inSteps(reordered(mesh.uvs, remap, count, 2), uvError);
    attributes.push([
      'TEXCOORD_0',
      { bufferView: vertices(uvs, 8, 'EXPONENTIAL'), componentType: 5126, count, type: 'VEC2' },
    ]);
  }
  if (mesh.colours !== null) {
    const colours = reordered(mesh.colours, remap, count, 4);
    attributes.push([
      'COLOR_0',
      { bufferView: vertices(colours, 4), componentType: 5121, normalized: true, count, type: 'VEC4' },
    ]);
  }
  const features = new Uint16Array(2 * count);
  for (const [from, to] of remap.entries()) if (to < count) features[2 * to] = mesh.features[from]!;
  attributes.push([
    featureAttribute,
    { bufferView: vertices(new Uint8Array(features.buffer), 4), componentType: 5123, count, type: 'SCALAR' },
  ]);
  return { attributes, indices: indexAccessor(encoder, indices, count, buffer) };
}

function indexAccessor(
  encoder: MeshoptEncoder,
  indices: Uint32Array,
  vertices: number,
  buffer: CompressedViews,
): object {
  const few = vertices <= 65_535;
  const byteStride = few ? 2 : 4;
  const array = few ? Uint16Array.from(indices) : indices;
  const bytes = encoder.encodeGltfBuffer(
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    indices.length,
    byteStride,
    'TRIANGLES',
  );
  const bufferView = buffer.compressedView(bytes, {
    count: indices.length,
    byteStride,
    mode: 'TRIANGLES',
    target: ViewTarget.indices,
  });
  return { bufferView, componentType: few ? 5123 : 5125, count: indices.length, type: 'SCALAR' };
}

/** Values of vertices in the order of `remap`, which has the new place of each. */
function reordered<T extends Float32Array | Uint8Array>(
  values: T,
  remap: Uint32Array,
  count: number,
  width: number,
): T {
  const target = new (values.constructor as new (length: number) => T)(width * count);
  for (const [from, to] of remap.entries()) {
    if (to < count) for (let k = 0; k < width; k++) target[width * to + k] = values[width * from + k]!;
  }
  return target;
}

/**
 * Values as the filter EXPONENTIAL has them: a mantissa of 24 bits times 2 to the power of the 8 bits above it. Here
 * the power is one for all, the step for `error`, unless a value would not fit.
 */
function inSteps(values: Float32Array, error: number): Uint8Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  const power = Math.max(Math.log2(stepOf(error)), Math.ceil(Math.log2(largest / MAX_MANTISSA)));
  const words = Int32Array.from(
    values,
    (value) => (power << 24) | (Math.round(value / 2 ** power) & 0xffffff),
  );
  return new Uint8Array(words.buffer);
}

/** Of what readers decode. */
function boundsOf(filtered: Uint8Array): { min: number[]; max: number[] } {
  const values = new Int32Array(filtered.slice().buffer);
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (const [i, value] of values.entries()) {
    const decoded = ((value << 8) >> 8) * 2 ** (value >> 24);
    min[i % 3] = Math.min(min[i % 3]!, decoded);
    max[i % 3] = Math.max(max[i % 3]!, decoded);
  }
  return { min, max };
}
