/** Meshes compressed by Draco (KHR_draco_mesh_compression). */
import { existsSync, readFileSync } from 'node:fs';
import type { DecoderModule, Mesh } from 'draco3d';
import { ContentError } from '../tile-content.ts';

let loading: Promise<DecoderModule> | null = null;

/** Loads the decoder, once. */
export function loadDracoDecoder(): Promise<DecoderModule> {
  loading ??= import('draco3d').then(({ default: draco }) => draco.createDecoderModule(ownBinary()));
  return loading;
}

/** The build puts the decoder's WebAssembly beside this module, as that of the encoder. */
function ownBinary(): { wasmBinary?: Uint8Array } {
  const path = new URL('draco_decoder.wasm', import.meta.url);
  return existsSync(path) ? { wasmBinary: readFileSync(path) } : {};
}

export interface DracoMesh {
  indices: Uint32Array;
  vertices: number;
  /** Values of an attribute by its unique id, so many for each vertex; null when the mesh lacks it. */
  floats(id: number, width: number): Float32Array | null;
}

/** Calls `use` with a mesh, whose memory is given back afterwards. Throws a ContentError for bytes that are none. */
export function decodeDraco<T>(module: DecoderModule, bytes: Uint8Array, use: (mesh: DracoMesh) => T): T {
  const decoder = new module.Decoder();
  const mesh: Mesh = new module.Mesh();
  const source = new module.DecoderBuffer();
  try {
    source.Init(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.length);
    const status = decoder.DecodeBufferToMesh(source, mesh);
    if (!status.ok()) throw new ContentError('A mesh that Draco compressed cannot be read.');
    return use({
      indices: readIndices(module, decoder, mesh),
      vertices: mesh.num_points(),
      floats: (id, width) => readFloats(module, decoder, mesh, id, width),
    });
  } finally {
    module.destroy(source);
    module.destroy(mesh);
    module.destroy(decoder);
  }
}

type Decoder = InstanceType<DecoderModule['Decoder']>;

function readIndices(module: DecoderModule, decoder: Decoder, mesh: Mesh): Uint32Array {
  const bytes = mesh.num_faces() * 12;
  const at = module._malloc(bytes);
  try {
    decoder.GetTrianglesUInt32Array(mesh, bytes, at);
    return new Uint32Array(module.HEAPF32.buffer, at, bytes / 4).slice();
  } finally {
    module._free(at);
  }
}

function readFloats(
  module: DecoderModule,
  decoder: Decoder,
  mesh: Mesh,
  id: number,
  width: number,
): Float32Array | null {
  const attribute = decoder.GetAttributeByUniqueId(mesh, id);
  if (attribute.num_components() < width) return null;
  const stride = attribute.num_components();
  const count = mesh.num_points() * stride;
  const at = module._malloc(count * 4);
  try {
    decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, module.DT_FLOAT32, count * 4, at);
    const values = new Float32Array(module.HEAPF32.buffer, at, count);
    if (stride === width) return values.slice();
    const cut = new Float32Array(mesh.num_points() * width);
    for (let i = 0; i < cut.length; i++) cut[i] = values[Math.floor(i / width) * stride + (i % width)]!;
    return cut;
  } finally {
    module._free(at);
  }
}
