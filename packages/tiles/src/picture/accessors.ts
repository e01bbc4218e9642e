/** Numbers in the buffer of a binary glTF (glTF 2.0, section 3.6), also where meshopt compressed them. */
import { isObject } from '../read-json.ts';
import { ContentError } from '../tile-content.ts';

type Json = Record<string, unknown>;

/** Vertices or indices of one accessor, and bytes of a compressed view. */
const MAX_COUNT = 5_000_000;
const MAX_VIEW = 64 << 20;

const BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const SCALES: Record<number, number> = { 5120: 127, 5121: 255, 5122: 32_767, 5123: 65_535 };
const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

export interface Accessors {
  /** Bytes of a buffer view. Throws a ContentError when there is none. */
  view(number: unknown): Uint8Array;
  isNormalized(number: unknown): boolean;
  /** Values of an accessor, `width` for each; null when there is none of at least that width. */
  floats(number: unknown, width: number): Float32Array | null;
  /** Red, green, blue, opacity of each; null when there are none. */
  colours(number: unknown): Float32Array | null;
  indices(number: unknown): Uint32Array | null;
}

/** Opens the accessors of a file. Throws a ContentError where lengths contradict each other. */
export async function openAccessors(json: Json, bin: Uint8Array): Promise<Accessors> {
  const views = objects(json.bufferViews);
  const accessors = objects(json.accessors);
  const isPacked = views.some(({ extensions }) => isObject(extensions) && isObject(meshoptOf(extensions)));
  const meshopt = isPacked ? (await import('meshoptimizer')).MeshoptDecoder : null;
  await meshopt?.ready;
  const unpacked = new Map<number, Uint8Array>();

  function view(number: unknown): Uint8Array {
    const json = typeof number === 'number' ? views[number] : undefined;
    if (json === undefined) throw new ContentError('The glTF names a buffer view that it lacks.');
    const packed = isObject(json.extensions) ? meshoptOf(json.extensions) : undefined;
    if (!isObject(packed)) return slice(json);
    let bytes = unpacked.get(number as number);
    if (bytes === undefined) {
      const [count, stride] = [size(packed.count), size(packed.byteStride)];
      if (count * stride > MAX_VIEW) throw new ContentError('A compressed view of the glTF is too large.');
      bytes = new Uint8Array(count * stride);
      try {
        meshopt!.decodeGltfBuffer(
          bytes,
          count,
          stride,
          slice(packed),
          String(packed.mode),
          typeof packed.filter === 'string' ? packed.filter : 'NONE',
        );
      } catch (error) {
        throw new ContentError(`A compressed view cannot be read (${(error as Error).message}).`);
      }
      unpacked.set(number as number, bytes);
    }
    return bytes;
  }

  function slice(json: Json): Uint8Array {
    if ((json.buffer ?? 0) !== 0) throw new ContentError('The glTF has its data in another file.');
    const [from, length] = [size(json.byteOffset ?? 0), size(json.byteLength)];
    if (from + length > bin.length)
      throw new ContentError('A buffer view of the glTF reaches beyond its bytes.');
    return bin.subarray(from, from + length);
  }

  function read(number: unknown): { values: Float64Array; width: number; normalized: boolean } | null {
    const json = typeof number === 'number' ? accessors[number] : undefined;
    if (json === undefined || json.bufferView === undefined) return null;
    const width = WIDTHS[String(json.type)];
    const component = Number(json.componentType);
    const bytes = BYTES[component];
    if (width === undefined || bytes === undefined) return null;
    const count = size(json.count);
    if (count > MAX_COUNT) throw new ContentError('An accessor of the glTF is too long.');
    const source = view(json.bufferView);
    const stride = size(views[json.bufferView as number]!.byteStride ?? 0) || width * bytes;
    const from = size(json.byteOffset ?? 0);
    if (count > 0 && from + (count - 1) * stride + width * bytes > source.length) {
      throw new ContentError('An accessor of the glTF reaches beyond its view.');
    }
    const data = new DataView(source.buffer, source.byteOffset, source.byteLength);
    const values = new Float64Array(count * width);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < width; k++)
        values[i * width + k] =
          component === 5126
            ? data.getFloat32(from + i * stride + 4 * k, true)
            : integer(data, component, from + i * stride + bytes * k);
    }
    if (json.normalized === true) {
      const scale = SCALES[component] ?? 1;
      for (let i = 0; i < values.length; i++) values[i] = Math.max(-1, values[i]! / scale);
    }
    return { values, width, normalized: json.normalized === true };
  }

  return {
    view,
    isNormalized: (number) => typeof number === 'number' && accessors[number]?.normalized === true,
    floats(number, width) {
      const found = read(number);
      if (found === null || found.width < width) return null;
      return cut(found.values, found.width, width);
    },
    colours(number) {
      const found = read(number);
      if (found === null || found.width < 3) return null;
      if (found.width === 4) return Float32Array.from(found.values);
      const count = found.values.length / 3;
      const colours = new Float32Array(4 * count).fill(1);
      for (let i = 0; i < count; i++) colours.set(found.values.subarray(3 * i, 3 * i + 3), 4 * i);
      return colours;
    },
    indices(number) {
      const found = read(number);
      return found === null ? null : Uint32Array.from(found.values);
    },
  };
}

function meshoptOf(extensions: Json): unknown {
  return extensions.EXT_meshopt_compression ?? extensions.KHR_meshopt_compression;
}

function integer(data: DataView, component: number, at: number): number {
  if (component === 5120) return data.getInt8(at);
  if (component === 5121) return data.getUint8(at);
  if (component === 5122) return data.getInt16(at, true);
  return component === 5123 ? data.getUint16(at, true) : data.getUint32(at, true);
}

function cut(values: Float64Array, width: number, wanted: number): Float32Array {
  if (width === wanted) return Float32Array.from(values);
  const cut = new Float32Array((values.length / width) * wanted);
  for (let i = 0; i < cut.length; i++) cut[i] = values[Math.floor(i / wanted) * width + (i % wanted)]!;
  return cut;
}

function size(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new ContentError('A length in the glTF is no whole number.');
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}
