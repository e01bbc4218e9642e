/**
 * Reads converted tiles with the libraries of others alone: glTF-Transform for geometry, the parsers of CesiumJS for
 * tables, for b3dm and for places. Nothing of this program takes part, so that a fault cannot cancel itself.
 */
import { createRequire } from 'node:module';
import { type Document, Logger, NodeIO, type Primitive } from '@gltf-transform/core';
import {
  EXTMeshoptCompression,
  EXTTextureWebP,
  KHRDracoMeshCompression,
  KHRMeshQuantization,
} from '@gltf-transform/extensions';
import draco from 'draco3d';
import { MeshoptDecoder } from 'meshoptimizer';

/** Degrees, and metres above the ellipsoid. */
export type Place = [lng: number, lat: number, height: number];

export interface ForeignTile {
  path: string;
  /** Vertices of each feature. */
  features: Array<{ row: Record<string, unknown>; places: Place[]; triangles: number }>;
}

/** What is used of CesiumJS, whose declarations leave out what reads files. */
interface Cesium {
  B3dmParser: {
    parse(bytes: ArrayBuffer): {
      featureTableJson: { BATCH_LENGTH: number };
      batchTableJson: Record<string, unknown[]>;
      gltf: Uint8Array;
    };
  };
  MetadataSchema: { fromJson(json: unknown): { classes: Record<string, MetadataClass> } };
  MetadataTable: new (options: object) => { getProperty(row: number, id: string): unknown };
  Cartographic: {
    fromCartesian(position: object): { longitude: number; latitude: number; height: number };
  };
  Cartesian3: new (x: number, y: number, z: number) => object;
}

interface MetadataClass {
  properties: Record<string, { name?: string }>;
}

interface Table {
  class: string;
  count: number;
  properties: Record<string, object>;
}

interface Gltf {
  meshes: Array<{ primitives: Array<{ extensions?: { EXT_mesh_features?: MeshFeatures } }> }>;
  extensions?: { EXT_structural_metadata?: { schema: object; propertyTables: Table[] } };
  bufferViews: Array<{ buffer: number; byteOffset?: number; byteLength: number }>;
}

interface MeshFeatures {
  featureIds: Array<{ featureCount: number; attribute: number; propertyTable: number }>;
}

const cesium = createRequire(import.meta.url)('cesium') as Cesium;

/** The tile of a `.glb` or `.b3dm` file. */
export async function readForeignTile(path: string, bytes: Uint8Array): Promise<ForeignTile> {
  const b3dm = path.endsWith('.b3dm') ? cesium.B3dmParser.parse(Uint8Array.from(bytes).buffer) : null;
  const glb = b3dm?.gltf ?? bytes;
  const io = await reader();
  const { json, resources } = await io.binaryToJSON(glb);
  const gltf = json as unknown as Gltf;
  const tables =
    b3dm === null
      ? metadataTables(gltf, Object.values(resources)[0]!)
      : [rowsOfBatches(b3dm.batchTableJson, b3dm.featureTableJson.BATCH_LENGTH)];
  const features = tables.map((rows) =>
    rows.map((row): ForeignTile['features'][number] => ({ row, places: [], triangles: 0 })),
  );
  const document = await io.readBinary(glb);
  for (const { primitive, point, mesh, at } of primitivesOf(document)) {
    const ids = gltf.meshes[mesh]!.primitives[at]!.extensions?.EXT_mesh_features?.featureIds[0];
    const table = features[ids?.propertyTable ?? 0]!;
    const id = primitive.getAttribute(ids === undefined ? '_BATCHID' : `_FEATURE_ID_${ids.attribute}`)!;
    const indices = primitive.getIndices()!;
    for (let i = 0; i < id.getCount(); i++) table[id.getScalar(i)]!.places.push(point(i));
    for (let i = 0; i < indices.getCount(); i += 3) table[id.getScalar(indices.getScalar(i))]!.triangles++;
  }
  return { path, features: features.flat() };
}

/** Texture coordinates of all vertices that have any, of a `.glb`. */
export async function foreignCoordinates(glb: Uint8Array): Promise<Array<[u: number, v: number]>> {
  const document = await (await reader()).readBinary(glb);
  return [...primitivesOf(document)].flatMap(({ primitive }) => {
    const coordinates = primitive.getAttribute('TEXCOORD_0');
    return Array.from(
      { length: coordinates?.getCount() ?? 0 },
      (_, i) => coordinates!.getElement(i, [0, 0]) as [number, number],
    );
  });
}

async function reader(): Promise<NodeIO> {
  return (
    new NodeIO()
      // It would warn of extensions that CesiumJS reads here.
      .setLogger(new Logger(Logger.Verbosity.SILENT))
      .registerExtensions([
        KHRDracoMeshCompression,
        EXTMeshoptCompression,
        EXTTextureWebP,
        KHRMeshQuantization,
      ])
      .registerDependencies({
        'draco3d.decoder': await draco.createDecoderModule({}),
        'meshopt.decoder': MeshoptDecoder,
      })
  );
}

function* primitivesOf(document: Document): Generator<{
  primitive: Primitive;
  mesh: number;
  at: number;
  point(vertex: number): Place;
}> {
  const root = document.getRoot();
  const meshes = root.listMeshes();
  for (const node of root.listNodes()) {
    const own = node.getMesh();
    if (own === null) continue;
    const matrix = node.getWorldMatrix();
    for (const [at, primitive] of own.listPrimitives().entries()) {
      const positions = primitive.getAttribute('POSITION')!;
      const point = (vertex: number) => {
        const [x, y, z] = positions.getElement(vertex, [0, 0, 0]) as Place;
        const on = (axis: number) =>
          matrix[axis]! * x + matrix[4 + axis]! * y + matrix[8 + axis]! * z + matrix[12 + axis]!;
        // Tiles turn y, which points up in glTF, to z (3D Tiles 1.1, section 6.7.1.6.2.1).
        return placeOf(on(0), -on(2), on(1));
      };
      yield { primitive, mesh: meshes.indexOf(own), at, point };
    }
  }
}

function placeOf(x: number, y: number, z: number): Place {
  const { longitude, latitude, height } = cesium.Cartographic.fromCartesian(new cesium.Cartesian3(x, y, z));
  return [(longitude * 180) / Math.PI, (latitude * 180) / Math.PI, height];
}

function metadataTables(gltf: Gltf, bin: Uint8Array): Array<Array<Record<string, unknown>>> {
  const { schema, propertyTables } = gltf.extensions!.EXT_structural_metadata!;
  const { classes } = cesium.MetadataSchema.fromJson(schema);
  const bufferViews = gltf.bufferViews.map(({ byteOffset = 0, byteLength }) =>
    bin.slice(byteOffset, byteOffset + byteLength),
  );
  return propertyTables.map(({ class: name, count, properties }) => {
    const known = classes[name]!;
    const table = new cesium.MetadataTable({ count, properties, class: known, bufferViews });
    return Array.from({ length: count }, (_, row) => {
      const values = Object.entries(known.properties).map(([id, property]) => [
        property.name ?? id,
        table.getProperty(row, id),
      ]);
      return Object.fromEntries(values);
    });
  });
}

function rowsOfBatches(columns: Record<string, unknown[]>, count: number): Array<Record<string, unknown>> {
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[row]])),
  );
}
