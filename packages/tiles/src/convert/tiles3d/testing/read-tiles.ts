/** Reads converted tiles back, by Draco's own decoder and the words of the standards. */

import type { Region, Vec3 } from '@citymodel/geo';
import draco, { type Decoder, type DecoderModule, type Mesh } from 'draco3d';
import { MeshoptDecoder } from 'meshoptimizer';
import { readGlb, readTableTile } from '../../../tile-content.ts';
import type { Tile, Tileset } from '../../../tileset.ts';
import type { PackageFilesInMemory } from './convert-gml.ts';

// biome-ignore lint/suspicious/noExplicitAny: glTF is read as it comes.
type Json = any;

export interface ReadFeature {
  /** Columns by published name. */
  row: Record<string, string | number | null>;
  /** ECEF. */
  vertices: Vec3[];
  /** Of its triangles, square metres. */
  area: number;
}

export interface ReadTile {
  path: string;
  /** Of the content, else of the tile. */
  region: Region;
  tileRegion: Region;
  geometricError: number;
  refine: 'ADD' | 'REPLACE';
  parent: ReadTile | null;
  isLeaf: boolean;
  bytes: Uint8Array;
  json: Json;
  features: ReadFeature[];
}

let decoderModule: Promise<DecoderModule> | null = null;

/** All tiles with glTF, external tilesets followed, parents before children. */
export async function readTiles(files: PackageFilesInMemory): Promise<ReadTile[]> {
  await MeshoptDecoder.ready;
  decoderModule ??= draco.createDecoderModule({});
  const module = await decoderModule;
  const tiles: ReadTile[] = [];
  const visit = (tile: Tile, folder: string, refine: 'ADD' | 'REPLACE', parent: ReadTile | null) => {
    const own = tile.refine ?? refine;
    const region = (tile.boundingVolume as { region: Region }).region;
    const read: ReadTile = {
      path: '',
      region: (tile.content?.boundingVolume as { region: Region } | undefined)?.region ?? region,
      tileRegion: region,
      geometricError: tile.geometricError,
      refine: own,
      parent,
      isLeaf: (tile.children ?? []).length === 0,
      bytes: new Uint8Array(),
      json: null,
      features: [],
    };
    const uri = tile.content?.uri;
    if (uri?.endsWith('.json')) {
      const path = folder + uri;
      const inner = JSON.parse(Buffer.from(files.get(path)!).toString()) as Tileset;
      visit(inner.root, path.slice(0, path.lastIndexOf('/') + 1), own, read);
      tiles.push({ ...read, isLeaf: false });
    } else {
      tiles.push(read);
      if (uri !== undefined) {
        read.path = folder + uri;
        read.bytes = files.get(read.path)!;
        readContent(module, read);
      }
    }
    for (const child of tile.children ?? []) visit(child, folder, own, read);
  };
  const tileset = JSON.parse(Buffer.from(files.get('tileset.json')!).toString()) as Tileset;
  visit(tileset.root, '', 'ADD', null);
  return tiles;
}

function readContent(module: DecoderModule, tile: ReadTile): void {
  const isTable = tile.path.endsWith('.b3dm');
  const table = isTable ? readTableTile(tile.bytes) : null;
  const { json, bin } = readGlb(table?.payload ?? tile.bytes) as { json: Json; bin: Uint8Array };
  tile.json = json;
  const tables = table === null ? metadataRows(json, bin) : [batchRows(table.batchTable!)];
  const features = tables.map((rows) => rows.map((row): ReadFeature => ({ row, vertices: [], area: 0 })));
  // Published tiles have the translation on a node above that of the mesh.
  const [tx, ty, tz] = json.nodes.find((node: Json) => node.translation !== undefined).translation as Vec3;
  for (const primitive of json.meshes[0].primitives) {
    const featureTable = primitive.extensions?.EXT_mesh_features?.featureIds[0].propertyTable ?? 0;
    const { positions, ids, indices } = decodePrimitive(module, primitive, json, bin);
    const points = ids.map(
      (_, i): Vec3 => [positions[3 * i]! + tx, -(positions[3 * i + 2]! + tz), positions[3 * i + 1]! + ty],
    );
    for (let i = 0; i < indices.length; i += 3) {
      const corners = [indices[i]!, indices[i + 1]!, indices[i + 2]!];
      features[featureTable]![ids[corners[0]!]!]!.area += areaOf(corners.map((corner) => points[corner]!));
    }
    for (const [i, id] of ids.entries()) features[featureTable]![id]!.vertices.push(points[i]!);
  }
  tile.features = features.flat();
}

function decodePrimitive(module: DecoderModule, primitive: Json, json: Json, bin: Uint8Array) {
  const featureName = '_FEATURE_ID_0' in primitive.attributes ? '_FEATURE_ID_0' : '_BATCHID';
  const compressed = primitive.extensions?.KHR_draco_mesh_compression;
  if (compressed === undefined) {
    const positions = accessorValues(json, bin, primitive.attributes.POSITION);
    return {
      positions,
      ids: Array.from(accessorValues(json, bin, primitive.attributes[featureName])),
      indices: Array.from(accessorValues(json, bin, primitive.indices)),
    };
  }
  const bytes = viewBytes(json, bin, compressed.bufferView);
  const decoder = new module.Decoder();
  const mesh = new module.Mesh();
  const buffer = new module.DecoderBuffer();
  buffer.Init(new Int8Array(bytes.buffer), bytes.length);
  const status = decoder.DecodeBufferToMesh(buffer, mesh);
  if (!status.ok()) throw new Error(status.error_msg());
  const positions = floats(module, decoder, mesh, compressed.attributes.POSITION);
  const ids = floats(module, decoder, mesh, compressed.attributes[featureName]);
  const indices: number[] = [];
  const face = new module.DracoInt32Array();
  for (let i = 0; i < mesh.num_faces(); i++) {
    decoder.GetFaceFromMesh(mesh, i, face);
    indices.push(face.GetValue(0), face.GetValue(1), face.GetValue(2));
  }
  const expected = json.accessors[primitive.attributes.POSITION].count;
  if (mesh.num_points() !== expected) throw new Error(`${mesh.num_points()} vertices, ${expected} said`);
  if (indices.length !== json.accessors[primitive.indices].count) throw new Error('indices differ');
  for (const object of [face, buffer, mesh, decoder]) module.destroy(object);
  return { positions, ids: Array.from(ids), indices };
}

function floats(module: DecoderModule, decoder: Decoder, mesh: Mesh, id: number): Float32Array {
  const attribute = decoder.GetAttributeByUniqueId(mesh, id);
  const array = new module.DracoFloat32Array();
  decoder.GetAttributeFloatForAllPoints(mesh, attribute, array);
  const values = Float32Array.from({ length: mesh.num_points() * attribute.num_components() }, (_, i) =>
    array.GetValue(i),
  );
  module.destroy(array);
  return values;
}

const ARRAYS: Record<number, Json> = {
  5121: Uint8Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** Values one after the other, however far apart they lie in the file. */
function accessorValues(json: Json, bin: Uint8Array, index: number): Float32Array {
  const { bufferView, byteOffset = 0, componentType, count, type } = json.accessors[index];
  const bytes = viewBytes(json, bin, bufferView);
  const width = WIDTHS[type]!;
  const size = ARRAYS[componentType].BYTES_PER_ELEMENT;
  const meshopt = json.bufferViews[bufferView].extensions?.EXT_meshopt_compression;
  const stride = meshopt?.byteStride ?? json.bufferViews[bufferView].byteStride ?? width * size;
  const packed = new Uint8Array(count * width * size);
  for (let i = 0; i < count; i++) {
    const from = byteOffset + i * stride;
    packed.set(bytes.subarray(from, from + width * size), i * width * size);
  }
  return new ARRAYS[componentType](packed.buffer);
}

const NUMBERS: Record<string, Json> = {
  INT8: Int8Array,
  UINT8: Uint8Array,
  INT16: Int16Array,
  UINT16: Uint16Array,
  INT32: Int32Array,
  UINT32: Uint32Array,
  FLOAT32: Float32Array,
  FLOAT64: Float64Array,
};

/** Rows of the property tables of a glTF, by the names of columns; null for what is not known. */
export function metadataRows(json: Json, bin: Uint8Array): ReadFeature['row'][][] {
  const { schema, propertyTables } = json.extensions.EXT_structural_metadata;
  return propertyTables.map((table: Json) => {
    const rows: ReadFeature['row'][] = Array.from({ length: table.count }, () => ({}));
    for (const [id, property] of Object.entries<Json>(table.properties)) {
      const type = schema.classes[table.class].properties[id];
      const view = (number: number) => viewBytes(json, bin, number);
      const bytes = view(property.values);
      const name = type.name ?? id;
      if (type.type === 'STRING') {
        const offsets = new NUMBERS[property.stringOffsetType ?? 'UINT32'](
          view(property.stringOffsets).buffer,
        );
        for (const [i, row] of rows.entries()) {
          const text = Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString();
          row[name] = text === type.noData ? null : text;
        }
      } else {
        const values = new NUMBERS[type.componentType](bytes.buffer);
        for (const [i, row] of rows.entries()) row[name] = values[i] === type.noData ? null : values[i]!;
      }
    }
    return rows;
  });
}

function batchRows(table: Record<string, unknown>): ReadFeature['row'][] {
  const columns = Object.entries(table) as Array<[string, Array<string | number | null>]>;
  return columns[0]![1].map((_, i) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[i]!])),
  );
}

function areaOf([a, b, c]: Vec3[]): number {
  const u = [0, 1, 2].map((k) => b![k]! - a![k]!) as Vec3;
  const v = [0, 1, 2].map((k) => c![k]! - a![k]!) as Vec3;
  return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
}

/** Decoded where it is compressed; a copy, so that it may be seen as numbers of any width. */
function viewBytes(json: Json, bin: Uint8Array, number: number): Uint8Array<ArrayBuffer> {
  const { byteOffset = 0, byteLength, extensions } = json.bufferViews[number];
  const compressed = extensions?.EXT_meshopt_compression;
  if (compressed !== undefined) {
    const { count, byteStride, mode, filter } = compressed;
    const source = bin.subarray(compressed.byteOffset, compressed.byteOffset + compressed.byteLength);
    const target = new Uint8Array(count * byteStride);
    MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, mode, filter);
    return target;
  }
  return new Uint8Array(bin.subarray(byteOffset, byteOffset + byteLength));
}
