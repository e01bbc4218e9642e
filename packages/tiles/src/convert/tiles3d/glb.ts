/**
 * Tiles as GLB (glTF 2.0, section 4). It is written here because chunks begin and end on 8 bytes, which tables and b3dm
 * ask for, and because general writers take many times longer.
 */

import type { Vec3 } from '@citymodel/geo';
import type { EncoderModule } from 'draco3d';
import { BufferBuilder, padded, ViewTarget } from '../mesh/buffer-builder.ts';
import { encodeDraco, gridOf, type PositionGrid } from '../mesh/draco.ts';
import type { TriangleMesh } from '../mesh/mesh-builder.ts';
import { encodeMeshopt, type MeshoptEncoder } from '../mesh/meshopt.ts';
import type { FeatureTable, TableColumn } from './feature-table.ts';
import { structuralMetadata } from './structural-metadata.ts';

/** An image of a tile. */
export interface TileImage {
  bytes: Uint8Array;
  mimeType: 'image/webp' | 'image/png' | 'image/jpeg';
  /** True for one that repeats beyond 0 to 1. */
  repeats: boolean;
  /** True for one with transparency. */
  seeThrough: boolean;
}

export interface TilePrimitive {
  mesh: TriangleMesh;
  /** Number of the image; null for none. */
  image: number | null;
  /** True when colours are see-through. */
  blend: boolean;
  /** True when triangles are seen from both sides. */
  isTwoSided: boolean;
  /** Number of the table that `mesh.features` counts rows of. */
  table: number;
}

export interface TileModel {
  /** Of the node, with y up. */
  translation: Vec3;
  primitives: TilePrimitive[];
  images: TileImage[];
  tables: FeatureTable[];
  /** Table and row of each feature. */
  places: ReadonlyArray<readonly [table: number, row: number]>;
}

export interface GlbOptions {
  compression:
    | { kind: 'draco'; module: EncoderModule }
    | { kind: 'meshopt'; encoder: MeshoptEncoder }
    | { kind: 'none' };
  /** Most that a position may be moved along an axis, metres. */
  error: number;
  /** Most that a texture coordinate may be moved. */
  uvError: number;
  /** True: `_FEATURE_ID_0` and tables in the glTF; false: `_BATCHID`, tables lie around it. */
  tables: boolean;
  /** KHR_materials_unlit where there is an image. */
  unlit: boolean;
  /** Gets the columns of each table that the file has. */
  stored?: TableColumn[][];
}

const COMPONENT = { ubyte: 5121, ushort: 5123, uint: 5125, float: 5126 } as const;

/**
 * The bytes of a tile's GLB; null when nothing of it can be drawn. Throws EncoderFailed when a mesh cannot be
 * compressed.
 */
export function writeTileGlb(model: TileModel, options: GlbOptions): Uint8Array | null {
  if (model.primitives.length === 0) return null;
  const writer = new GlbWriter(options);
  return writer.write(model);
}

class GlbWriter {
  readonly #options: GlbOptions;
  readonly #buffer = new BufferBuilder();
  readonly #accessors: object[] = [];
  readonly #used = new Set<string>();
  readonly #required = new Set<string>();
  readonly #featureAttribute: string;

  constructor(options: GlbOptions) {
    this.#options = options;
    this.#featureAttribute = options.tables ? '_FEATURE_ID_0' : '_BATCHID';
  }

  write(model: TileModel): Uint8Array {
    const materials = new Map<string, { number: number; json: object }>();
    const grid = gridOf(
      model.primitives.map(({ mesh }) => mesh),
      this.#options.error,
    );
    const primitives = model.primitives.map((primitive) => ({
      ...this.#primitive(primitive.mesh, grid),
      material: this.#material(materials, primitive, model.images),
      ...this.#features(primitive),
    }));
    const json: Record<string, unknown> = {
      asset: { version: '2.0', generator: 'citymodel' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0, translation: model.translation }],
      meshes: [{ primitives: primitives.map(mergeExtensions) }],
      materials: [...materials.values()].map((material) => material.json),
      accessors: this.#accessors,
      ...this.#textures(model.images),
    };
    if (this.#options.tables) {
      this.#used.add('EXT_structural_metadata').add('EXT_mesh_features');
      json.extensions = {
        EXT_structural_metadata: structuralMetadata(model.tables, this.#buffer, this.#options.stored),
      };
    }
    json.bufferViews = this.#buffer.views;
    json.buffers = [{ byteLength: this.#buffer.length }];
    if (this.#buffer.fallbackLength > 0) {
      json.buffers = [
        { byteLength: this.#buffer.length },
        {
          byteLength: this.#buffer.fallbackLength,
          extensions: { EXT_meshopt_compression: { fallback: true } },
        },
      ];
    }
    if (this.#used.size > 0) json.extensionsUsed = [...this.#used].sort();
    if (this.#required.size > 0) json.extensionsRequired = [...this.#required].sort();
    return glbOf(json, this.#buffer);
  }

  #primitive(
    mesh: TriangleMesh,
    grid: PositionGrid,
  ): { attributes: object; indices: number; extensions?: object } {
    const { compression } = this.#options;
    if (compression.kind === 'draco') return this.#dracoPrimitive(mesh, grid, compression.module);
    if (compression.kind === 'meshopt') return this.#meshoptPrimitive(mesh, compression.encoder);
    const accessor = (
      array: ArrayBufferView,
      componentType: number,
      count: number,
      type: string,
      more = {},
    ) => this.#accessor({ bufferView: this.#buffer.view(array, more), componentType, count, type });
    const count = mesh.features.length;
    const target = { target: ViewTarget.vertices };
    const attributes: Record<string, number> = {
      POSITION: this.#accessor({
        bufferView: this.#buffer.view(mesh.positions, target),
        componentType: COMPONENT.float,
        count,
        type: 'VEC3',
        ...boundsOf(mesh.positions),
      }),
      NORMAL: accessor(mesh.normals, COMPONENT.float, count, 'VEC3', target),
    };
    if (mesh.uvs !== null) attributes.TEXCOORD_0 = accessor(mesh.uvs, COMPONENT.float, count, 'VEC2', target);
    if (mesh.colours !== null) {
      attributes.COLOR_0 = this.#accessor({
        bufferView: this.#buffer.view(mesh.colours, target),
        componentType: COMPONENT.ubyte,
        normalized: true,
        count,
        type: 'VEC4',
      });
    }
    // Vertices of a view are 4 bytes apart at least: floats hold numbers of features exactly.
    attributes[this.#featureAttribute] = accessor(
      Float32Array.from(mesh.features),
      COMPONENT.float,
      count,
      'SCALAR',
      target,
    );
    const few = count <= 65_535;
    const indices = this.#accessor({
      bufferView: this.#buffer.view(few ? Uint16Array.from(mesh.indices) : mesh.indices, {
        target: ViewTarget.indices,
      }),
      componentType: few ? COMPONENT.ushort : COMPONENT.uint,
      count: mesh.indices.length,
      type: 'SCALAR',
    });
    return { attributes, indices };
  }

  #dracoPrimitive(mesh: TriangleMesh, grid: PositionGrid, module: EncoderModule) {
    this.#used.add('KHR_draco_mesh_compression');
    this.#required.add('KHR_draco_mesh_compression');
    const draco = encodeDraco(module, mesh, {
      grid,
      uvError: this.#options.uvError,
      featureAttribute: this.#featureAttribute,
    });
    const count = draco.vertices;
    const attributes: Record<string, number> = {
      POSITION: this.#accessor({
        componentType: COMPONENT.float,
        count,
        type: 'VEC3',
        ...boundsOf(mesh.positions),
      }),
      NORMAL: this.#accessor({ componentType: COMPONENT.float, count, type: 'VEC3' }),
    };
    if (mesh.uvs !== null)
      attributes.TEXCOORD_0 = this.#accessor({ componentType: COMPONENT.float, count, type: 'VEC2' });
    if (mesh.colours !== null) {
      attributes.COLOR_0 = this.#accessor({
        componentType: COMPONENT.ubyte,
        normalized: true,
        count,
        type: 'VEC4',
      });
    }
    attributes[this.#featureAttribute] = this.#accessor({
      componentType: COMPONENT.ushort,
      count,
      type: 'SCALAR',
    });
    const indices = this.#accessor({
      componentType: count <= 65_535 ? COMPONENT.ushort : COMPONENT.uint,
      count: 3 * draco.triangles,
      type: 'SCALAR',
    });
    const bufferView = this.#buffer.view(draco.bytes);
    return {
      attributes,
      indices,
      extensions: { KHR_draco_mesh_compression: { bufferView, attributes: draco.ids } },
    };
  }

  #meshoptPrimitive(mesh: TriangleMesh, encoder: MeshoptEncoder) {
    this.#used.add('EXT_meshopt_compression').add('KHR_mesh_quantization');
    this.#required.add('EXT_meshopt_compression').add('KHR_mesh_quantization');
    const { attributes, indices } = encodeMeshopt(
      encoder,
      mesh,
      { ...this.#options, featureAttribute: this.#featureAttribute },
      this.#buffer,
    );
    return {
      attributes: Object.fromEntries(attributes.map(([name, accessor]) => [name, this.#accessor(accessor)])),
      indices: this.#accessor(indices),
    };
  }

  #accessor(json: object): number {
    return this.#accessors.push(json) - 1;
  }

  #features({ mesh, table }: TilePrimitive): { features?: object } {
    if (!this.#options.tables) return {};
    const featureCount = new Set(mesh.features).size;
    return { features: { featureIds: [{ featureCount, attribute: 0, propertyTable: table }] } };
  }

  #material(
    materials: Map<string, { number: number; json: object }>,
    { image, blend, isTwoSided }: TilePrimitive,
    images: readonly TileImage[],
  ): number {
    const isMasked = !blend && image !== null && images[image]!.seeThrough;
    // What is seen through shows what is behind it, from inside.
    const doubleSided = isTwoSided || blend || isMasked;
    const key = `${image} ${blend} ${doubleSided}`;
    let material = materials.get(key);
    if (material === undefined) {
      const isUnlit = image !== null && this.#options.unlit;
      if (isUnlit) this.#used.add('KHR_materials_unlit');
      const json = {
        pbrMetallicRoughness: {
          ...(image === null ? {} : { baseColorTexture: { index: image } }),
          metallicFactor: 0,
          roughnessFactor: 1,
        },
        ...(blend ? { alphaMode: 'BLEND' } : isMasked ? { alphaMode: 'MASK' } : {}),
        ...(doubleSided ? { doubleSided } : {}),
        ...(isUnlit ? { extensions: { KHR_materials_unlit: {} } } : {}),
      };
      material = { number: materials.size, json };
      materials.set(key, material);
    }
    return material.number;
  }

  #textures(images: readonly TileImage[]): object {
    if (images.length === 0) return {};
    const isWebp = images.some(({ mimeType }) => mimeType === 'image/webp');
    if (isWebp) {
      this.#used.add('EXT_texture_webp');
      this.#required.add('EXT_texture_webp');
    }
    const [clamped, repeated] = [33071, 10497];
    const repeats = [...new Set(images.map((image) => image.repeats))];
    return {
      samplers: repeats.map((repeat) => {
        const wrap = repeat ? repeated : clamped;
        return { magFilter: 9729, minFilter: 9987, wrapS: wrap, wrapT: wrap };
      }),
      textures: images.map((image, source) => {
        const sampler = repeats.indexOf(image.repeats);
        return image.mimeType === 'image/webp'
          ? { sampler, extensions: { EXT_texture_webp: { source } } }
          : { sampler, source };
      }),
      images: images.map(({ bytes, mimeType }) => ({ bufferView: this.#buffer.view(bytes), mimeType })),
    };
  }
}

/** `features` becomes an extension beside the others. */
function mergeExtensions({
  features,
  extensions,
  ...primitive
}: {
  features?: object;
  extensions?: object;
  [name: string]: unknown;
}): object {
  if (features === undefined && extensions === undefined) return primitive;
  return { ...primitive, extensions: { ...extensions, ...(features && { EXT_mesh_features: features }) } };
}

function boundsOf(positions: Float32Array): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    min[i % 3] = Math.min(min[i % 3]!, positions[i]!);
    max[i % 3] = Math.max(max[i % 3]!, positions[i]!);
  }
  return { min, max };
}

/** Header, JSON chunk and binary chunk. */
function glbOf(json: object, buffer: BufferBuilder): Uint8Array {
  const text = Buffer.from(JSON.stringify(json));
  // 28 bytes of headers come before the data of the binary chunk.
  const textLength = padded(28 + text.length) - 28;
  const glb = new Uint8Array(28 + textLength + buffer.length);
  const view = new DataView(glb.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, glb.length, true);
  view.setUint32(12, textLength, true);
  view.setUint32(16, 0x4e4f534a, true);
  glb.fill(0x20, 20, 20 + textLength);
  glb.set(text, 20);
  view.setUint32(20 + textLength, buffer.length, true);
  view.setUint32(24 + textLength, 0x004e4942, true);
  buffer.copyTo(glb, 28 + textLength);
  return glb;
}
