/** Meshes compressed by Draco, for KHR_draco_mesh_compression. */
import { existsSync, readFileSync } from 'node:fs';
import type { Encoder, EncoderModule } from 'draco3d';
import { EncoderFailed } from './encoder-failed.ts';
import type { TriangleMesh } from './mesh-builder.ts';
import { stepOf } from './steps.ts';

/** Attributes of glTF with the numbers that Draco gave them. */
export interface DracoMesh {
  bytes: Uint8Array;
  ids: Record<string, number>;
  /** Vertices and triangles of what decoders make of it. */
  vertices: number;
  triangles: number;
}

/** Bits of a normal (octahedral): 0.7 degrees. */
const NORMAL_BITS = 8;
/** 0 is slowest and smallest, 10 fastest. */
const SPEED = 5;

/** Memory of the encoder from which on the next tile gets a new one, bytes: WebAssembly gives none back. */
const LARGE_MEMORY = 256 << 20;

let loading: Promise<EncoderModule> | null = null;

/** Loads the encoder: the same one for all tiles until it fails, or has taken much memory. */
export function loadDraco(): Promise<EncoderModule> {
  loading ??= import('draco3d').then(({ default: draco }) => draco.createEncoderModule(ownBinary()));
  return loading;
}

/**
 * The build puts the encoder's WebAssembly beside this module, because its library is bundled and would not find it.
 */
function ownBinary(): { wasmBinary?: Uint8Array } {
  const path = new URL('draco_encoder.wasm', import.meta.url);
  return existsSync(path) ? { wasmBinary: readFileSync(path) } : {};
}

/**
 * Where positions are counted from, how far the grid reaches along each axis, metres, and the bits that count its
 * steps.
 */
export interface PositionGrid {
  origin: readonly [number, number, number];
  range: number;
  bits: number;
}

/** The grid of all meshes of a tile, whose positions are on steps for `error` already: Draco moves none. */
export function gridOf(meshes: readonly Pick<TriangleMesh, 'positions'>[], error: number): PositionGrid {
  const least: [number, number, number] = [Infinity, Infinity, Infinity];
  const most: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const { positions } of meshes) widen(least, most, positions);
  const extent = Math.max(most[0] - least[0], most[1] - least[1], most[2] - least[2]);
  const step = stepOf(error);
  const bits = bitsFor(extent, step);
  const range = Math.max(extent, step * (2 ** bits - 1));
  return { origin: least, range, bits };
}

function widen(least: number[], most: number[], positions: Float32Array): void {
  let [x0, y0, z0] = least as [number, number, number];
  let [x1, y1, z1] = most as [number, number, number];
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i]!;
    const y = positions[i + 1]!;
    const z = positions[i + 2]!;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
    if (z < z0) z0 = z;
    if (z > z1) z1 = z;
  }
  [least[0], least[1], least[2]] = [x0, y0, z0];
  [most[0], most[1], most[2]] = [x1, y1, z1];
}

export interface DracoOptions {
  /** Of all meshes of the tile. */
  grid: PositionGrid;
  /** Most that a texture coordinate may be moved. */
  uvError: number;
  /** Name of the attribute with the row of the property table: `_FEATURE_ID_0`, or `_BATCHID` in b3dm. */
  featureAttribute: string;
}

/** Throws EncoderFailed when Draco refuses the mesh, or ends at it; the module must not be used again then. */
export function encodeDraco(module: EncoderModule, mesh: TriangleMesh, options: DracoOptions): DracoMesh {
  try {
    const encoded = encode(module, mesh, options);
    if (module.HEAP8.length > LARGE_MEMORY) loading = null;
    return encoded;
  } catch (error) {
    loading = null;
    throw new EncoderFailed('Draco', mesh, error);
  }
}

function encode(module: EncoderModule, mesh: TriangleMesh, options: DracoOptions): DracoMesh {
  const builder = new module.MeshBuilder();
  const target = new module.Mesh();
  const encoder = new module.Encoder();
  const output = new module.DracoInt8Array();
  try {
    const count = mesh.features.length;
    builder.AddFacesToMesh(target, mesh.indices.length / 3, mesh.indices);
    const ids: Record<string, number> = {
      POSITION: builder.AddFloatAttribute(target, module.POSITION, count, 3, mesh.positions),
      NORMAL: builder.AddFloatAttribute(target, module.NORMAL, count, 3, mesh.normals),
    };
    if (mesh.uvs !== null) {
      ids.TEXCOORD_0 = builder.AddFloatAttribute(target, module.TEX_COORD, count, 2, mesh.uvs);
    }
    if (mesh.colours !== null) {
      ids.COLOR_0 = builder.AddUInt8Attribute(target, module.COLOR, count, 4, mesh.colours);
    }
    ids[options.featureAttribute] = builder.AddUInt16Attribute(
      target,
      module.GENERIC,
      count,
      1,
      mesh.features,
    );
    configure(module, encoder, mesh, options);
    const length = encoder.EncodeMeshToDracoBuffer(target, output);
    if (length <= 0) throw new Error('The mesh was refused.');
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = output.GetValue(i);
    return {
      bytes,
      ids,
      vertices: encoder.GetNumberOfEncodedPoints(),
      triangles: encoder.GetNumberOfEncodedFaces(),
    };
  } finally {
    for (const object of [output, encoder, target, builder]) module.destroy(object);
  }
}

function configure(
  module: EncoderModule,
  encoder: Encoder,
  mesh: TriangleMesh,
  { grid, uvError }: DracoOptions,
): void {
  encoder.SetSpeedOptions(SPEED, SPEED);
  encoder.SetTrackEncodedProperties(true);
  encoder.SetEncodingMethod(module.MESH_EDGEBREAKER_ENCODING);
  const { origin, range, bits } = grid;
  encoder.SetAttributeExplicitQuantization(module.POSITION, bits, 3, [...origin], range);
  encoder.SetAttributeQuantization(module.NORMAL, NORMAL_BITS);
  if (mesh.uvs !== null) {
    encoder.SetAttributeQuantization(module.TEX_COORD, bitsFor(extentOf(mesh.uvs), 2 * uvError));
  }
}

/** Bits that count as many steps as the longest axis has: Draco has the same step along all axes. */
function bitsFor(extent: number, step: number): number {
  return Math.min(30, Math.max(1, Math.ceil(Math.log2(extent / step + 1))));
}

/** Of texture coordinates along the longer axis. */
function extentOf(uvs: Float32Array): number {
  let extent = 0;
  for (let axis = 0; axis < 2; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = axis; i < uvs.length; i += 2) {
      low = Math.min(low, uvs[i]!);
      high = Math.max(high, uvs[i]!);
    }
    extent = Math.max(extent, high - low);
  }
  return extent;
}
