/** glTF 2.0 as a binary file (section 4), and the b3dm of 3D Tiles 1.0 around it. */

/** One draw call. Positions and normals have y up, as glTF wants. */
export interface GlbPrimitive {
  positions: Float32Array;
  normals: Float32Array;
  /** From the upper left, as glTF counts them; null for a material without picture. */
  uvs: Float32Array | null;
  /** Index of the feature that each vertex belongs to. */
  featureIds: Float32Array;
  indices: Uint32Array;
  material: GlbMaterial;
}

export interface GlbMaterial {
  name: string;
  /** Linear red, green, blue. */
  color: [number, number, number];
  /** JPEG bytes. */
  image: Uint8Array | null;
}

/** A column of a property table (EXT_structural_metadata). */
export interface PropertyColumn {
  /** Identifier in the schema. */
  id: string;
  /** Name for people. */
  name: string;
  values: string[] | { uint16: number[] } | { float32: number[]; noData: number };
}

export interface GlbOptions {
  /** `_BATCHID` inside b3dm, `_FEATURE_ID_0` with a property table. */
  featureIdAttribute: '_BATCHID' | '_FEATURE_ID_0';
  /** Name of the schema's class, and its columns; null for none. */
  table: { className: string; count: number; columns: PropertyColumn[] } | null;
}

const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;
const FLOAT = 5126;

/**
 * A GLB whose chunks begin and end on 8 bytes, which property tables and b3dm ask for beyond glTF's own 4.
 * That is why it is written here: general writers align to 4.
 */
export function writeGlb(primitives: readonly GlbPrimitive[], options: GlbOptions): Uint8Array {
  const buffer = new BufferBuilder();
  const accessors: object[] = [];
  const accessor = (
    array: Float32Array | Uint16Array | Uint32Array,
    type: string,
    bounds = false,
  ): number => {
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3 }[type]!;
    const index = !(array instanceof Float32Array);
    accessors.push({
      bufferView: buffer.view(array, index ? ELEMENT_ARRAY_BUFFER : ARRAY_BUFFER),
      componentType: array instanceof Uint16Array ? 5123 : index ? 5125 : FLOAT,
      count: array.length / width,
      type,
      ...(bounds ? extremes(array, width) : {}),
    });
    return accessors.length - 1;
  };

  const materials: GlbMaterial[] = [];
  const meshPrimitives = primitives.map((primitive) => {
    if (!materials.includes(primitive.material)) materials.push(primitive.material);
    const few = primitive.positions.length / 3 <= 65_535;
    return {
      attributes: {
        POSITION: accessor(primitive.positions, 'VEC3', true),
        NORMAL: accessor(primitive.normals, 'VEC3'),
        ...(primitive.uvs === null ? {} : { TEXCOORD_0: accessor(primitive.uvs, 'VEC2') }),
        [options.featureIdAttribute]: accessor(primitive.featureIds, 'SCALAR'),
      },
      indices: accessor(few ? new Uint16Array(primitive.indices) : primitive.indices, 'SCALAR'),
      material: materials.indexOf(primitive.material),
      ...(options.table === null
        ? {}
        : {
            extensions: {
              EXT_mesh_features: {
                featureIds: [
                  { featureCount: new Set(primitive.featureIds).size, attribute: 0, propertyTable: 0 },
                ],
              },
            },
          }),
    };
  });
  const pictured = materials.filter((material) => material.image !== null);
  const images = pictured.map(({ image }) => ({ bufferView: buffer.view(image!), mimeType: 'image/jpeg' }));
  const metadata = options.table === null ? null : structuralMetadata(options.table, buffer);
  const gltf = {
    asset: { version: '2.0' },
    ...(metadata === null
      ? {}
      : {
          extensionsUsed: ['EXT_mesh_features', 'EXT_structural_metadata'],
          extensions: { EXT_structural_metadata: metadata },
        }),
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: meshPrimitives }],
    materials: materials.map(({ name, color, image }) => ({
      name,
      pbrMetallicRoughness: {
        ...(image === null
          ? { baseColorFactor: [...color, 1] }
          : { baseColorTexture: { index: pictured.findIndex((entry) => entry.image === image) } }),
        metallicFactor: 0,
        roughnessFactor: 0.9,
      },
    })),
    ...(pictured.length === 0
      ? {}
      : {
          samplers: [{ magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 }],
          textures: pictured.map((_, source) => ({ sampler: 0, source })),
          images,
        }),
    accessors,
    bufferViews: buffer.views,
    buffers: [{ byteLength: buffer.length }],
  };
  const json = new TextEncoder().encode(JSON.stringify(gltf));
  // 28 bytes of headers come before the binary chunk's data.
  const jsonLength = padTo(28 + json.length, 8) - 28;
  const glb = new Uint8Array(28 + jsonLength + buffer.length);
  const view = new DataView(glb.buffer);
  glb.set(new TextEncoder().encode('glTF'));
  view.setUint32(4, 2, true);
  view.setUint32(8, glb.length, true);
  view.setUint32(12, jsonLength, true);
  glb.set(new TextEncoder().encode('JSON'), 16);
  glb.fill(0x20, 20, 20 + jsonLength);
  glb.set(json, 20);
  view.setUint32(20 + jsonLength, buffer.length, true);
  glb.set(new TextEncoder().encode('BIN\0'), 24 + jsonLength);
  buffer.copyTo(glb, 28 + jsonLength);
  return glb;
}

/** A Batched 3D Model (3D Tiles 1.0, section 10): batch ids 0 to `batchLength` - 1, JSON batch table, GLB. */
export function writeB3dm(
  glb: Uint8Array,
  batchLength: number,
  batchTable: Record<string, unknown[]>,
  rtcCenter: readonly number[] | null,
): Uint8Array {
  const encoder = new TextEncoder();
  const feature = encoder.encode(
    JSON.stringify({ BATCH_LENGTH: batchLength, ...(rtcCenter === null ? {} : { RTC_CENTER: rtcCenter }) }),
  );
  const batch = encoder.encode(JSON.stringify(batchTable));
  const featureLength = padTo(28 + feature.length, 8) - 28;
  const batchTableLength = padTo(batch.length, 8);
  const start = 28 + featureLength + batchTableLength;
  const bytes = new Uint8Array(padTo(start + glb.length, 8));
  const view = new DataView(bytes.buffer);
  bytes.set(encoder.encode('b3dm'));
  for (const [i, value] of [1, bytes.length, featureLength, 0, batchTableLength, 0].entries()) {
    view.setUint32(4 + i * 4, value, true);
  }
  bytes.fill(0x20, 28, start);
  bytes.set(feature, 28);
  bytes.set(batch, 28 + featureLength);
  bytes.set(glb, start);
  return bytes;
}

/** The one buffer of a GLB, its views aligned to 8 bytes. */
class BufferBuilder {
  readonly views: object[] = [];
  length = 0;
  #parts: Array<[offset: number, bytes: Uint8Array]> = [];

  /** Index of a new view over the bytes of the array. */
  view(array: Float32Array | Uint16Array | Uint32Array | Uint8Array, target?: number): number {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    this.#parts.push([this.length, bytes]);
    this.views.push({
      buffer: 0,
      byteOffset: this.length,
      byteLength: bytes.length,
      ...(target === undefined ? {} : { target }),
    });
    this.length = padTo(this.length + bytes.length, 8);
    return this.views.length - 1;
  }

  copyTo(target: Uint8Array, at: number): void {
    for (const [offset, bytes] of this.#parts) target.set(bytes, at + offset);
  }
}

/** EXT_structural_metadata: a schema of one class and one property table. */
function structuralMetadata(table: NonNullable<GlbOptions['table']>, buffer: BufferBuilder): object {
  const schema: Record<string, object> = {};
  const properties: Record<string, object> = {};
  for (const { id, name, values } of table.columns) {
    if (Array.isArray(values)) {
      const encoded = values.map((value) => Buffer.from(value));
      const offsets = new Uint32Array(values.length + 1);
      for (const [i, bytes] of encoded.entries()) offsets[i + 1] = offsets[i]! + bytes.length;
      // A view may not be empty. A table may lack a column of its class, but readers exist that expect every one.
      if (offsets.at(-1) === 0) continue;
      schema[id] = { name, type: 'STRING', noData: '' };
      properties[id] = { values: buffer.view(Buffer.concat(encoded)), stringOffsets: buffer.view(offsets) };
    } else if ('uint16' in values) {
      schema[id] = { name, type: 'SCALAR', componentType: 'UINT16', required: true };
      properties[id] = { values: buffer.view(new Uint16Array(values.uint16)) };
    } else {
      schema[id] = { name, type: 'SCALAR', componentType: 'FLOAT32', noData: values.noData };
      properties[id] = { values: buffer.view(new Float32Array(values.float32)) };
    }
  }
  return {
    schema: { id: 'sample', version: '1.0.0', classes: { [table.className]: { properties: schema } } },
    propertyTables: [{ class: table.className, count: table.count, properties }],
  };
}

function extremes(array: ArrayLike<number>, width: number): { min: number[]; max: number[] } {
  const min = new Array<number>(width).fill(Number.POSITIVE_INFINITY);
  const max = new Array<number>(width).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < array.length; i++) {
    min[i % width] = Math.min(min[i % width]!, array[i]!);
    max[i % width] = Math.max(max[i % width]!, array[i]!);
  }
  return { min, max };
}

function padTo(length: number, multiple: number): number {
  return Math.ceil(length / multiple) * multiple;
}
