import { parseBoundedJson } from './bounded-json.ts';
import { isObject } from './read-json.ts';

export type ContentKind =
  | 'b3dm'
  | 'i3dm'
  | 'pnts'
  | 'cmpt'
  | 'glb'
  | 'gltf'
  | 'tileset'
  | 'subtree'
  | 'other';

/** Composite tiles hold others no deeper than this. */
const MAX_COMPOSITES = 16;

/** A content whose header contradicts its bytes. */
export class ContentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ContentError';
  }
}

/**
 * The sections of a b3dm, i3dm or pnts tile (3D Tiles 1.0, sections 10 to 12); offsets are from the start of the tile.
 */
export interface TableTile {
  kind: 'b3dm' | 'i3dm' | 'pnts';
  version: number;
  featureTable: Record<string, unknown>;
  featureTableBinary: Uint8Array;
  /** Null when the tile has no batch table. */
  batchTable: Record<string, unknown> | null;
  batchTableBinary: Uint8Array;
  /** What follows the tables: glTF of a b3dm, glTF or its URI of an i3dm, nothing of a pnts. */
  payload: Uint8Array;
  /** i3dm: 0 when the payload is a URI, 1 when it is a binary glTF; null otherwise. */
  gltfFormat: number | null;
  /** Where the feature table's and batch table's binaries and the payload begin. */
  offsets: { featureTableBinary: number; batchTable: number; batchTableBinary: number; payload: number };
}

export interface Glb {
  version: number;
  json: Record<string, unknown>;
  /** The binary chunk, empty when there is none. */
  bin: Uint8Array;
}

/** What a content is, by its first bytes; JSON is a tileset when it has `asset` and `root`. */
export function contentKind(bytes: Uint8Array): ContentKind {
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic === 'b3dm' || magic === 'i3dm' || magic === 'pnts' || magic === 'cmpt') return magic;
  if (magic === 'glTF') return 'glb';
  if (magic === 'subt') return 'subtree';
  // JSON, perhaps after a byte order mark or blanks.
  if (!/^(\u00ef\u00bb\u00bf)?\s*(\{|$)/.test(magic)) return 'other';
  try {
    const json = parseBoundedJson(bytes);
    if (!isObject(json) || !isObject(json.asset)) return 'other';
    return isObject(json.root) ? 'tileset' : 'gltf';
  } catch {
    return 'other';
  }
}

/** What a content probably is, by the extension of its path. */
export function contentKindOfPath(path: string): ContentKind {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  switch (extension) {
    case 'b3dm':
    case 'i3dm':
    case 'pnts':
    case 'cmpt':
    case 'glb':
    case 'gltf':
    case 'subtree':
      return extension;
    case 'json':
      return 'tileset';
    default:
      return 'other';
  }
}

/** Reads the header and tables of a b3dm, i3dm or pnts tile. Throws a ContentError when they do not fit the bytes. */
export function readTableTile(bytes: Uint8Array): TableTile {
  const kind = contentKind(bytes.subarray(0, 4));
  if (kind !== 'b3dm' && kind !== 'i3dm' && kind !== 'pnts') {
    throw new ContentError(
      `The content begins with ${JSON.stringify(kind)}; b3dm, i3dm or pnts was expected.`,
    );
  }
  const header = kind === 'i3dm' ? 32 : 28;
  if (bytes.length < header) {
    throw new ContentError(`The ${kind} has ${bytes.length} bytes; its header alone has ${header}.`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const total = view.getUint32(8, true);
  const lengths = [12, 16, 20, 24].map((at) => view.getUint32(at, true));
  const ends: number[] = [];
  let end = header;
  for (const length of lengths) {
    end += length;
    ends.push(end);
  }
  if (total > bytes.length || end > total) {
    throw new ContentError(
      `The ${kind} has ${bytes.length} bytes; its header says ${total}, and its tables alone end at ${end}.`,
    );
  }
  const [featureTableBinary, batchTable, batchTableBinary, payload] = ends as [
    number,
    number,
    number,
    number,
  ];
  return {
    kind,
    version: view.getUint32(4, true),
    featureTable: parseTable(kind, 'feature', bytes.subarray(header, featureTableBinary)) ?? {},
    featureTableBinary: bytes.subarray(featureTableBinary, batchTable),
    batchTable: parseTable(kind, 'batch', bytes.subarray(batchTable, batchTableBinary)),
    batchTableBinary: bytes.subarray(batchTableBinary, payload),
    payload: bytes.subarray(payload, total),
    gltfFormat: kind === 'i3dm' ? view.getUint32(28, true) : null,
    offsets: { featureTableBinary, batchTable, batchTableBinary, payload },
  };
}

/** The bytes without the zeros that some writers fill a table up with, where blanks were expected. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function parseTable(kind: string, table: string, bytes: Uint8Array): Record<string, unknown> | null {
  if (bytes.length === 0) return null;
  try {
    const json = parseBoundedJson(withoutPadding(bytes));
    if (isObject(json)) return json;
  } catch (error) {
    throw new ContentError(`The ${table} table of the ${kind} is no JSON (${(error as Error).message}).`);
  }
  throw new ContentError(`The ${table} table of the ${kind} is JSON but no object.`);
}

/** The tiles inside a cmpt tile (3D Tiles 1.0, section 13). Throws a ContentError when a length does not fit. */
export function readComposite(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length < 16)
    throw new ContentError(`The cmpt has ${bytes.length} bytes; its header alone has 16.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(12, true);
  const tiles: Uint8Array[] = [];
  let offset = 16;
  for (let i = 0; i < count; i++) {
    const length = offset + 12 <= bytes.length ? view.getUint32(offset + 8, true) : 0;
    if (length < 12 || offset + length > bytes.length) {
      throw new ContentError(
        `Tile ${i} of the cmpt would end at ${offset + length} of ${bytes.length} bytes.`,
      );
    }
    tiles.push(bytes.subarray(offset, offset + length));
    offset += length;
  }
  return tiles;
}

/**
 * Reads a binary glTF (glTF 2.0, section 4.4). Throws a ContentError when a length does not fit or the JSON is none.
 */
export function readGlb(bytes: Uint8Array): Glb {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67) {
    throw new ContentError(`The ${bytes.length} bytes are no binary glTF: they lack its header.`);
  }
  const version = view.getUint32(4, true);
  const total = view.getUint32(8, true);
  const jsonLength = view.getUint32(12, true);
  if (total > bytes.length || 20 + jsonLength > total) {
    throw new ContentError(
      `The binary glTF has ${bytes.length} bytes; its header says ${total}, its JSON ends at ${20 + jsonLength}.`,
    );
  }
  let json: unknown;
  try {
    json = parseBoundedJson(bytes.subarray(20, 20 + jsonLength));
  } catch (error) {
    throw new ContentError(`The JSON of the binary glTF cannot be parsed (${(error as Error).message}).`);
  }
  if (!isObject(json)) throw new ContentError('The JSON of the binary glTF is no object.');
  const binAt = 20 + jsonLength + 8;
  const bin =
    binAt <= total
      ? bytes.subarray(binAt, Math.min(total, binAt + view.getUint32(binAt - 8, true)))
      : new Uint8Array();
  return { version, json, bin };
}

/** What a content says about how it looks. */
export interface ContentLook {
  /** Whether a material has an image; null when it cannot be told without another file. */
  textured: boolean | null;
  /** Highest LOD that the batch table names in a property `lod` or `_lod`; null when there is none. */
  lod: number | null;
}

/**
 * Looks into a content of any kind; `depth` is how many composite tiles it lies in. Throws a ContentError when it is
 * broken.
 */
export function lookInto(bytes: Uint8Array, depth = 0): ContentLook {
  const kind = contentKind(bytes);
  if (kind === 'glb') return { textured: hasImages(readGlb(bytes).json), lod: null };
  if (kind === 'gltf') return { textured: hasImages(parseBoundedJson(bytes)), lod: null };
  if (kind === 'cmpt') {
    if (depth === MAX_COMPOSITES) {
      throw new ContentError(`The cmpt holds others more than ${MAX_COMPOSITES} deep.`);
    }
    const look: ContentLook = { textured: null, lod: null };
    for (const tile of readComposite(bytes)) {
      const inner = lookInto(tile, depth + 1);
      if (inner.textured !== null) look.textured = look.textured === true || inner.textured;
      if (inner.lod !== null) look.lod = Math.max(look.lod ?? 0, inner.lod);
    }
    return look;
  }
  if (kind !== 'b3dm' && kind !== 'i3dm' && kind !== 'pnts') return { textured: null, lod: null };
  const tile = readTableTile(bytes);
  const lod = lodOf(tile.batchTable);
  if (kind === 'pnts') return { textured: false, lod };
  if (tile.gltfFormat === 0 || contentKind(tile.payload) !== 'glb') return { textured: null, lod };
  return { textured: hasImages(readGlb(tile.payload).json), lod };
}

function hasImages(gltf: unknown): boolean {
  return (
    isObject(gltf) && Array.isArray(gltf.images) && gltf.images.length > 0 && Array.isArray(gltf.textures)
  );
}

function lodOf(batchTable: Record<string, unknown> | null): number | null {
  const values = ['lod', '_lod', 'LOD'].map((name) => batchTable?.[name]).find((v) => Array.isArray(v));
  let highest: number | null = null;
  for (const value of values ?? []) {
    const lod = Math.trunc(Number(value));
    if (lod >= 0 && lod <= 4) highest = Math.max(highest ?? 0, lod);
  }
  return highest;
}
