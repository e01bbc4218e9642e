/**
 * Smallest writers of tile contents for tests: binary glTF and the tiles around it, laid out as the standards want
 * (glTF 2.0, section 4.4; 3D Tiles 1.0, sections 10 and 13).
 */

/** Bytes, padded at the end with `fill` to a multiple of `to`, counted from `start`. */
function padded(bytes: Uint8Array, to: number, fill: number, start = 0): Uint8Array {
  const rest = (start + bytes.length) % to;
  if (rest === 0) return bytes;
  const out = new Uint8Array(bytes.length + to - rest).fill(fill);
  out.set(bytes);
  return out;
}

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const concat = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

/** A 1×1 PNG. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

export interface TriangleOptions {
  /** Positions of the corners in the glTF's own y-up frame, metres: 9 numbers. */
  positions?: number[];
  /** Puts an image on it. */
  textured?: boolean;
}

/** A binary glTF of one triangle. */
export function writeGlb(options: TriangleOptions = {}): Uint8Array {
  const positions = new Float32Array(options.positions ?? [0, 0, 0, 10, 0, 0, 0, 10, 0]);
  const uv = new Float32Array([0, 0, 1, 0, 0, 1]);
  const views: Uint8Array[] = [new Uint8Array(positions.buffer)];
  const corners = [0, 3, 6].map((i) => [...positions.subarray(i, i + 3)]);
  const accessor = (bufferView: number, type: string) => ({
    bufferView,
    componentType: 5126,
    count: 3,
    type,
  });
  const gltf: Record<string, unknown> = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    materials: [{}],
    accessors: [
      {
        ...accessor(0, 'VEC3'),
        min: [0, 1, 2].map((a) => Math.min(...corners.map((c) => c[a]!))),
        max: [0, 1, 2].map((a) => Math.max(...corners.map((c) => c[a]!))),
      },
    ],
  };
  const attributes: Record<string, number> = { POSITION: 0 };
  if (options.textured === true) {
    views.push(new Uint8Array(uv.buffer), PIXEL);
    attributes.TEXCOORD_0 = 1;
    (gltf.accessors as unknown[]).push(accessor(1, 'VEC2'));
    gltf.images = [{ bufferView: 2, mimeType: 'image/png' }];
    gltf.textures = [{ source: 0 }];
    gltf.materials = [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }];
  }
  gltf.meshes = [{ primitives: [{ attributes, material: 0 }] }];
  let offset = 0;
  gltf.bufferViews = views.map((view) => {
    const target = view === PIXEL ? {} : { target: 34962 };
    const at = { buffer: 0, byteOffset: offset, byteLength: view.length, ...target };
    offset += Math.ceil(view.length / 4) * 4;
    return at;
  });
  gltf.buffers = [{ byteLength: offset }];
  const bin = concat(...views.map((view) => padded(view, 4, 0)));
  // The JSON is padded so far that the whole is aligned to eight bytes, which a tile around it needs.
  const text = padded(json(gltf), 8, 0x20, 28 + bin.length);
  const total = 28 + text.length + bin.length;
  const header = new DataView(new ArrayBuffer(20));
  header.setUint32(0, 0x46546c67, true);
  header.setUint32(4, 2, true);
  header.setUint32(8, total, true);
  header.setUint32(12, text.length, true);
  header.setUint32(16, 0x4e4f534a, true);
  const chunk = new DataView(new ArrayBuffer(8));
  chunk.setUint32(0, bin.length, true);
  chunk.setUint32(4, 0x004e4942, true);
  return concat(new Uint8Array(header.buffer), text, new Uint8Array(chunk.buffer), bin);
}

/** A batched 3D model around a binary glTF; `batch` holds one array per property. */
export function writeB3dm(
  glb: Uint8Array,
  batch: Record<string, unknown[]> | null = null,
  batchLength = 0,
): Uint8Array {
  const feature = padded(json({ BATCH_LENGTH: batchLength }), 8, 0x20, 28);
  const table = batch === null ? new Uint8Array() : padded(json(batch), 8, 0x20);
  const body = padded(glb, 8, 0);
  const header = new DataView(new ArrayBuffer(28));
  new Uint8Array(header.buffer).set(new TextEncoder().encode('b3dm'));
  header.setUint32(4, 1, true);
  header.setUint32(8, 28 + feature.length + table.length + body.length, true);
  header.setUint32(12, feature.length, true);
  header.setUint32(20, table.length, true);
  return concat(new Uint8Array(header.buffer), feature, table, body);
}

/** Several tiles in one. */
export function writeCmpt(tiles: Uint8Array[]): Uint8Array {
  const header = new DataView(new ArrayBuffer(16));
  new Uint8Array(header.buffer).set(new TextEncoder().encode('cmpt'));
  header.setUint32(4, 1, true);
  header.setUint32(8, 16 + tiles.reduce((sum, tile) => sum + tile.length, 0), true);
  header.setUint32(12, tiles.length, true);
  return concat(new Uint8Array(header.buffer), ...tiles);
}
