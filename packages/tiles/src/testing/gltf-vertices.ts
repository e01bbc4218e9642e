import { multiply, type Vec3 } from '@citymodel/geo';
import { type Matrix4, transformPoint } from '@citymodel/geo/testing';
import { isObject } from '../read-json.ts';
import type { Glb } from '../tile-content.ts';

type Json = Record<string, unknown>;

const IDENTITY: Matrix4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** glTF has y up, 3D Tiles z (3D Tiles 1.1, section 6.7.1.6): x, y, z becomes x, -z, y. */
const Y_UP_TO_Z_UP: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

/** What a component type is (glTF 2.0, section 3.6.2.2): its bytes, how it is read, and what 1 is when normalised. */
const COMPONENTS: Record<number, { size: number; read: (v: DataView, at: number) => number; one: number }> = {
  5120: { size: 1, read: (v, at) => v.getInt8(at), one: 127 },
  5121: { size: 1, read: (v, at) => v.getUint8(at), one: 255 },
  5122: { size: 2, read: (v, at) => v.getInt16(at, true), one: 32767 },
  5123: { size: 2, read: (v, at) => v.getUint16(at, true), one: 65535 },
  5125: { size: 4, read: (v, at) => v.getUint32(at, true), one: 4294967295 },
  5126: { size: 4, read: (v, at) => v.getFloat32(at, true), one: 1 },
};

/**
 * All vertices of the default scene of a binary glTF in the frame of the tile that holds it: node transforms,
 * CESIUM_RTC and the change of the up axis applied. Geometry that is compressed, or outside the binary chunk, is
 * left out.
 */
export function* gltfVertices(glb: Glb): Generator<Vec3> {
  const { json } = glb;
  const rtc = objects(json.extensions).CESIUM_RTC;
  const centre = isObject(rtc) && Array.isArray(rtc.center) ? (rtc.center as number[]) : [0, 0, 0];
  const scene = list(json.scenes)[typeof json.scene === 'number' ? json.scene : 0];
  const stack = list<number>(scene?.nodes).map((node) => ({ node, matrix: Y_UP_TO_Z_UP }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const node = list(json.nodes)[next.node] ?? {};
    const matrix = multiply(next.matrix, nodeMatrix(node));
    for (const child of list<number>(node.children)) stack.push({ node: child, matrix });
    const mesh = typeof node.mesh === 'number' ? list(json.meshes)[node.mesh] : undefined;
    for (const primitive of list(mesh?.primitives)) {
      const position = objects(primitive.attributes).POSITION;
      if (typeof position !== 'number') continue;
      for (const p of readAccessor(glb, position, 3)) {
        const [x, y, z] = transformPoint(matrix, p);
        yield [x + centre[0]!, y + centre[1]!, z + centre[2]!];
      }
    }
  }
}

/** All values of a vertex attribute, whatever node they belong to; empty where they cannot be read. */
export function* attributeValues(glb: Glb, name: string): Generator<number> {
  for (const mesh of list(glb.json.meshes)) {
    for (const primitive of list(mesh.primitives)) {
      const accessor = objects(primitive.attributes)[name];
      if (typeof accessor === 'number') for (const [value] of readAccessor(glb, accessor, 1)) yield value!;
    }
  }
}

function* readAccessor({ json, bin }: Glb, index: number, width: number): Generator<number[]> {
  const accessor = list(json.accessors)[index];
  const bufferView =
    typeof accessor?.bufferView === 'number' ? list(json.bufferViews)[accessor.bufferView] : undefined;
  const component = COMPONENTS[Number(accessor?.componentType)];
  if (
    accessor === undefined ||
    bufferView === undefined ||
    component === undefined ||
    bufferView.buffer !== 0
  )
    return;
  const view = new DataView(bin.buffer, bin.byteOffset, bin.byteLength);
  const start = number(bufferView.byteOffset) + number(accessor.byteOffset);
  const stride = number(bufferView.byteStride) || component.size * width;
  const scale = accessor.normalized === true ? 1 / component.one : 1;
  for (let i = 0; i < number(accessor.count); i++) {
    const at = start + i * stride;
    if (at + component.size * width > view.byteLength) return;
    yield Array.from({ length: width }, (_, k) => component.read(view, at + k * component.size) * scale);
  }
}

/** A node's own matrix, or translation · rotation · scale (glTF 2.0, section 3.5.2). */
function nodeMatrix(node: Json): Matrix4 {
  if (Array.isArray(node.matrix)) return node.matrix as number[];
  const [tx, ty, tz] = (node.translation ?? [0, 0, 0]) as Vec3;
  const [x, y, z, w] = (node.rotation ?? [0, 0, 0, 1]) as [number, number, number, number];
  const [sx, sy, sz] = (node.scale ?? [1, 1, 1]) as Vec3;
  if (node.translation === undefined && node.rotation === undefined && node.scale === undefined)
    return IDENTITY;
  return [
    (1 - 2 * (y * y + z * z)) * sx,
    2 * (x * y + w * z) * sx,
    2 * (x * z - w * y) * sx,
    0,
    2 * (x * y - w * z) * sy,
    (1 - 2 * (x * x + z * z)) * sy,
    2 * (y * z + w * x) * sy,
    0,
    2 * (x * z + w * y) * sz,
    2 * (y * z - w * x) * sz,
    (1 - 2 * (x * x + y * y)) * sz,
    0,
    tx,
    ty,
    tz,
    1,
  ];
}

const list = <T = Json>(value: unknown): T[] => (Array.isArray(value) ? value : []);
const objects = (value: unknown): Json => (isObject(value) ? value : {});
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
