/** The triangles of a tile (GLB, glTF 2.0), compressed or not. What it looks like is not read. */
import { ecefToGeodetic } from '@citymodel/geo';
import { MeshoptDecoder } from 'meshoptimizer/decoder';

/** Triangles by their corners. */
export interface Surface {
  /** Longitude, latitude (degrees) and height (metres above the ellipsoid) by turns. */
  places: Float64Array;
  indices: ArrayLike<number>;
}

/** Decodes a mesh of Draco. @param position number of the attribute that has the positions */
export type DracoDecoder = (
  bytes: Uint8Array<ArrayBuffer>,
  position: number,
) => Promise<{ positions: ArrayLike<number>; indices: ArrayLike<number> }>;

interface View {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride?: number;
  extensions?: { EXT_meshopt_compression?: MeshoptView };
}
interface MeshoptView {
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: 'ATTRIBUTES' | 'TRIANGLES' | 'INDICES';
  filter?: 'NONE' | 'OCTAHEDRAL' | 'QUATERNION' | 'EXPONENTIAL';
}
interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
}
interface MeshPrimitive {
  attributes: { POSITION?: number };
  indices?: number;
  mode?: number;
  extensions?: {
    KHR_draco_mesh_compression?: { bufferView: number; attributes: { POSITION: number } };
  };
}
interface Gltf {
  nodes?: Array<{ mesh?: number; translation?: [number, number, number] } & Record<string, unknown>>;
  meshes?: Array<{ primitives: MeshPrimitive[] }>;
  accessors?: Accessor[];
  bufferViews?: View[];
}

const [MAGIC, JSON_CHUNK] = [0x46546c67, 0x4e4f534a];
/** Types of components: unsigned bytes, shorts and ints, and floats. */
const [UBYTE, USHORT, UINT, FLOAT] = [5121, 5123, 5125, 5126];
const TRIANGLES = 4;

/**
 * Reads the triangles of a tile, whose nodes are moved and neither turned nor scaled. Throws for other ones, and for
 * bytes that are no GLB.
 */
export async function readSurfaces(glb: ArrayBuffer, draco: DracoDecoder): Promise<Surface[]> {
  const { gltf, binary } = chunksOf(glb);
  const surfaces: Surface[] = [];
  for (const { mesh, translation = [0, 0, 0], ...more } of gltf.nodes ?? []) {
    if (mesh === undefined) continue;
    if (['rotation', 'scale', 'matrix'].some((name) => name in more)) throw new Error('A node is turned.');
    for (const primitive of gltf.meshes![mesh]!.primitives) {
      if ((primitive.mode ?? TRIANGLES) !== TRIANGLES) continue;
      const { positions, indices } = await trianglesOf(primitive, gltf, binary, draco);
      surfaces.push({ places: placesOf(positions, translation), indices });
    }
  }
  return surfaces;
}

/** The two chunks of a GLB. */
function chunksOf(glb: ArrayBuffer): { gltf: Gltf; binary: Uint8Array<ArrayBuffer> } {
  const view = new DataView(glb);
  if (glb.byteLength < 20 || view.getUint32(0, true) !== MAGIC || view.getUint32(16, true) !== JSON_CHUNK) {
    throw new Error('No GLB.');
  }
  const length = view.getUint32(12, true);
  const gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(glb, 20, length))) as Gltf;
  return { gltf, binary: new Uint8Array(glb, Math.min(glb.byteLength, 28 + length)) };
}

async function trianglesOf(
  { attributes, indices, extensions }: MeshPrimitive,
  gltf: Gltf,
  binary: Uint8Array<ArrayBuffer>,
  draco: DracoDecoder,
): Promise<{ positions: ArrayLike<number>; indices: ArrayLike<number> }> {
  const compressed = extensions?.KHR_draco_mesh_compression;
  if (compressed !== undefined) {
    const { byteOffset = 0, byteLength } = gltf.bufferViews![compressed.bufferView]!;
    // Of its own: it goes to a worker.
    const bytes = binary.slice(byteOffset, byteOffset + byteLength);
    return draco(bytes, compressed.attributes.POSITION);
  }
  const positions = await valuesOf(gltf.accessors![attributes.POSITION!]!, 3, gltf, binary);
  return {
    positions,
    indices:
      indices === undefined
        ? Uint32Array.from({ length: positions.length / 3 }, (_, i) => i)
        : await valuesOf(gltf.accessors![indices]!, 1, gltf, binary),
  };
}

/** The values of an accessor, `width` to an element. Throws for types that neither positions nor indices have. */
async function valuesOf(
  { bufferView, byteOffset = 0, componentType, count }: Accessor,
  width: number,
  { bufferViews }: Gltf,
  binary: Uint8Array,
): Promise<ArrayLike<number>> {
  const { bytes, stride } = await bytesOf(bufferViews![bufferView!]!, binary);
  const view = new DataView(bytes.buffer, bytes.byteOffset + byteOffset, bytes.byteLength - byteOffset);
  const [size, read] = readerOf(view, componentType);
  const values = componentType === FLOAT ? new Float32Array(count * width) : new Uint32Array(count * width);
  const step = stride ?? size * width;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < width; k++) values[i * width + k] = read(i * step + k * size);
  }
  return values;
}

function readerOf(view: DataView, componentType: number): [size: number, read: (at: number) => number] {
  if (componentType === FLOAT) return [4, (at) => view.getFloat32(at, true)];
  if (componentType === UINT) return [4, (at) => view.getUint32(at, true)];
  if (componentType === USHORT) return [2, (at) => view.getUint16(at, true)];
  if (componentType === UBYTE) return [1, (at) => view.getUint8(at)];
  throw new Error(`Components of type ${componentType} are not read.`);
}

async function bytesOf(
  view: View,
  binary: Uint8Array,
): Promise<{ bytes: Uint8Array; stride: number | undefined }> {
  const packed = view.extensions?.EXT_meshopt_compression;
  const { byteOffset = 0, byteLength } = packed ?? view;
  const bytes = binary.subarray(byteOffset, byteOffset + byteLength);
  if (packed === undefined) return { bytes, stride: view.byteStride };
  await MeshoptDecoder.ready;
  const { count, byteStride, mode, filter } = packed;
  const target = new Uint8Array(count * byteStride);
  MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, bytes, mode, filter);
  return { bytes: target, stride: byteStride };
}

/** From positions of glTF, whose y is up and z is south, which are tiles' z and negative y. */
function placesOf(positions: ArrayLike<number>, [east, up, south]: readonly number[]): Float64Array {
  const places = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const [lng, lat, height] = ecefToGeodetic([
      positions[i]! + east!,
      -(positions[i + 2]! + south!),
      positions[i + 1]! + up!,
    ]);
    places[i] = (lng * 180) / Math.PI;
    places[i + 1] = (lat * 180) / Math.PI;
    places[i + 2] = height;
  }
  return places;
}
