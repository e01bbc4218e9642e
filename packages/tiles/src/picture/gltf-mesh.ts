/** The triangles of a binary glTF 2.0, whatever they are compressed with, in metres of a frame of their own. */
import { multiply } from '@citymodel/geo';
import type { DecoderModule } from 'draco3d';
import { isObject } from '../read-json.ts';
import { ContentError, type Glb } from '../tile-content.ts';
import { type Accessors, openAccessors } from './accessors.ts';
import { decodeDraco } from './draco-decoder.ts';

/** Nodes of one file, and how deep they may lie in each other. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

export interface Primitive {
  /** Of each vertex, with z up, under the transforms of all nodes. */
  positions: Float64Array;
  indices: Uint32Array;
  /** Texture coordinates from the upper left; null for none, or no image. */
  uvs: Float32Array | null;
  /** Linear red, green, blue, opacity of each vertex, 0 to 1; null for white. */
  colours: Float32Array | null;
  /** Linear red, green, blue, opacity that all are multiplied by. */
  factor: readonly [number, number, number, number];
  /** Number of the image in the file; null for none. */
  image: number | null;
}

type Json = Record<string, unknown>;

/** From y up, as glTF has it, to z up (3D Tiles 1.1, section 6.7.1.6.2). */
const Y_TO_Z = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

/**
 * Reads all triangles of the scene. What is no triangle is left out. Throws a ContentError for a file that is broken
 * or needs an extension that is not known here.
 *
 * @param isZUp true for files of legacy tilesets that have z up already
 */
export async function readPrimitives(
  { json, bin }: Glb,
  draco: () => Promise<DecoderModule>,
  isZUp: boolean,
): Promise<Primitive[]> {
  const accessors = await openAccessors(json, bin);
  const nodes = list(json.nodes);
  const meshes = list(json.meshes);
  const primitives: Primitive[] = [];
  const scene = list(json.scenes)[typeof json.scene === 'number' ? json.scene : 0];
  const roots = scene === undefined ? [...nodes.keys()] : numbers(scene.nodes);
  const start = isZUp ? null : Y_TO_Z;
  const waiting = roots.map((node) => ({ node, matrix: start, depth: 0 }));
  for (let count = 0, at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const node = nodes[at.node];
    if (node === undefined) continue;
    if (++count > MAX_NODES || at.depth > MAX_DEPTH) throw new ContentError('The glTF has too many nodes.');
    const own = matrixOf(node);
    const matrix = own === null ? at.matrix : at.matrix === null ? own : multiply(at.matrix, own);
    const { depth } = at;
    for (const child of numbers(node.children)) waiting.push({ node: child, matrix, depth: depth + 1 });
    const mesh = typeof node.mesh === 'number' ? meshes[node.mesh] : undefined;
    for (const primitive of list(mesh?.primitives)) {
      if ((primitive.mode ?? 4) !== 4) continue;
      const read = await readPrimitive(primitive, json, accessors, draco);
      if (read !== null) primitives.push(placed(read, matrix));
    }
  }
  return primitives;
}

type Local = Omit<Primitive, 'positions'> & { positions: Float32Array };

async function readPrimitive(
  primitive: Json,
  json: Json,
  accessors: Accessors,
  draco: () => Promise<DecoderModule>,
): Promise<Local | null> {
  const attributes = isObject(primitive.attributes) ? primitive.attributes : {};
  const look = materialOf(json, primitive.material);
  const extensions = isObject(primitive.extensions) ? primitive.extensions : {};
  const packed = extensions.KHR_draco_mesh_compression;
  if (isObject(packed)) {
    const ids = isObject(packed.attributes) ? packed.attributes : {};
    const bytes = accessors.view(packed.bufferView);
    return decodeDraco(await draco(), bytes, (mesh) => {
      const floats = (name: string, width: number) =>
        typeof ids[name] === 'number' ? mesh.floats(ids[name], width) : null;
      const positions = floats('POSITION', 3);
      if (positions === null) return null;
      const colours = floats('COLOR_0', 4);
      // Draco gives numbers as they are kept: bytes for colours.
      const isBytes = accessors.isNormalized(attributes.COLOR_0);
      return {
        positions,
        indices: mesh.indices,
        uvs: look.image === null ? null : floats(look.coordinates, 2),
        colours: colours === null || !isBytes ? colours : colours.map((value) => value / 255),
        factor: look.factor,
        image: look.image,
      };
    });
  }
  const positions = accessors.floats(attributes.POSITION, 3);
  if (positions === null) return null;
  const indices =
    accessors.indices(primitive.indices) ?? Uint32Array.from(positions.keys()).slice(0, positions.length / 3);
  const vertices = positions.length / 3;
  for (const index of indices)
    if (index >= vertices) throw new ContentError('An index of the glTF has no vertex.');
  return {
    positions,
    indices,
    uvs: look.image === null ? null : accessors.floats(attributes[look.coordinates], 2),
    colours: accessors.colours(attributes.COLOR_0),
    factor: look.factor,
    image: look.image,
  };
}

function placed(local: Local, m: readonly number[] | null): Primitive {
  const from = local.positions;
  if (m === null) return { ...local, positions: Float64Array.from(from) };
  const positions = new Float64Array(from.length);
  for (let i = 0; i + 2 < from.length; i += 3) {
    const [x, y, z] = [from[i]!, from[i + 1]!, from[i + 2]!];
    positions[i] = m[0]! * x + m[4]! * y + m[8]! * z + m[12]!;
    positions[i + 1] = m[1]! * x + m[5]! * y + m[9]! * z + m[13]!;
    positions[i + 2] = m[2]! * x + m[6]! * y + m[10]! * z + m[14]!;
  }
  return { ...local, positions };
}

interface Material {
  factor: Primitive['factor'];
  image: number | null;
  /** Name of the attribute with its texture coordinates. */
  coordinates: string;
}

function materialOf(json: Json, number: unknown): Material {
  const material = typeof number === 'number' ? list(json.materials)[number] : undefined;
  const pbr = isObject(material?.pbrMetallicRoughness) ? material.pbrMetallicRoughness : {};
  const own = numbers(pbr.baseColorFactor);
  const factor: Primitive['factor'] = own.length === 4 ? (own as never) : [1, 1, 1, 1];
  const info = isObject(pbr.baseColorTexture) ? pbr.baseColorTexture : null;
  const texture = typeof info?.index === 'number' ? list(json.textures)[info.index] : undefined;
  const extensions = isObject(texture?.extensions) ? texture.extensions : {};
  const webp = extensions.EXT_texture_webp;
  const source = (isObject(webp) ? webp.source : undefined) ?? texture?.source;
  const coordinates = `TEXCOORD_${typeof info?.texCoord === 'number' ? info.texCoord : 0}`;
  return { factor, image: typeof source === 'number' ? source : null, coordinates };
}

/** The matrix of a node by columns (glTF 2.0, section 3.5.3); null for the identity. */
function matrixOf(node: Json): number[] | null {
  const matrix = numbers(node.matrix);
  if (matrix.length === 16) return matrix;
  const [x = 0, y = 0, z = 0] = numbers(node.translation);
  const [sx = 1, sy = 1, sz = 1] = numbers(node.scale);
  const [i = 0, j = 0, k = 0, w = 1] = numbers(node.rotation);
  const of = [node.translation, node.scale, node.rotation];
  if (of.every((part) => part === undefined)) return null;
  return [
    (1 - 2 * (j * j + k * k)) * sx,
    2 * (i * j + k * w) * sx,
    2 * (i * k - j * w) * sx,
    0,
    2 * (i * j - k * w) * sy,
    (1 - 2 * (i * i + k * k)) * sy,
    2 * (j * k + i * w) * sy,
    0,
    2 * (i * k + j * w) * sz,
    2 * (j * k - i * w) * sz,
    (1 - 2 * (i * i + j * j)) * sz,
    0,
    x,
    y,
    z,
    1,
  ];
}

/** The objects of a list; an empty one for what is none. */
export function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) && value.every(Number.isFinite) ? (value as number[]) : [];
}
