import type { Vec3 } from '@citymodel/geo';
import gltfValidator from 'gltf-validator';
import { isObject } from '../read-json.ts';
import { contentKind, readComposite, readGlb, readTableTile, type TableTile } from '../tile-content.ts';
import { attributeValues, gltfVertices } from './gltf-vertices.ts';
import { metadataViews, type Say, validateMetadata } from './validate-metadata.ts';

/** Resources beside a glTF. */
export type ReadBeside = (uri: string) => Promise<Uint8Array>;

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const SIZES: Record<string, number> = {
  BYTE: 1,
  UNSIGNED_BYTE: 1,
  SHORT: 2,
  UNSIGNED_SHORT: 2,
  INT: 4,
  UNSIGNED_INT: 4,
  FLOAT: 4,
  DOUBLE: 8,
};
/** Properties of a feature table (3D Tiles 1.0, sections 10.3, 11.3, 12.3), width, and whether one per tile. */
const SEMANTICS: Record<string, Record<string, { width: number; component: string; global?: true }>> = {
  b3dm: {
    BATCH_LENGTH: { width: 1, component: 'UNSIGNED_INT', global: true },
    RTC_CENTER: { width: 3, component: 'FLOAT', global: true },
  },
  i3dm: {
    POSITION: { width: 3, component: 'FLOAT' },
    POSITION_QUANTIZED: { width: 3, component: 'UNSIGNED_SHORT' },
    NORMAL_UP: { width: 3, component: 'FLOAT' },
    NORMAL_RIGHT: { width: 3, component: 'FLOAT' },
    NORMAL_UP_OCT32P: { width: 2, component: 'UNSIGNED_SHORT' },
    NORMAL_RIGHT_OCT32P: { width: 2, component: 'UNSIGNED_SHORT' },
    SCALE: { width: 1, component: 'FLOAT' },
    SCALE_NON_UNIFORM: { width: 3, component: 'FLOAT' },
    BATCH_ID: { width: 1, component: 'UNSIGNED_SHORT' },
    INSTANCES_LENGTH: { width: 1, component: 'UNSIGNED_INT', global: true },
    RTC_CENTER: { width: 3, component: 'FLOAT', global: true },
    QUANTIZED_VOLUME_OFFSET: { width: 3, component: 'FLOAT', global: true },
    QUANTIZED_VOLUME_SCALE: { width: 3, component: 'FLOAT', global: true },
    EAST_NORTH_UP: { width: 0, component: 'BYTE', global: true },
  },
  pnts: {
    POSITION: { width: 3, component: 'FLOAT' },
    POSITION_QUANTIZED: { width: 3, component: 'UNSIGNED_SHORT' },
    RGBA: { width: 4, component: 'UNSIGNED_BYTE' },
    RGB: { width: 3, component: 'UNSIGNED_BYTE' },
    RGB565: { width: 1, component: 'UNSIGNED_SHORT' },
    NORMAL: { width: 3, component: 'FLOAT' },
    NORMAL_OCT16P: { width: 2, component: 'UNSIGNED_BYTE' },
    BATCH_ID: { width: 1, component: 'UNSIGNED_SHORT' },
    POINTS_LENGTH: { width: 1, component: 'UNSIGNED_INT', global: true },
    RTC_CENTER: { width: 3, component: 'FLOAT', global: true },
    QUANTIZED_VOLUME_OFFSET: { width: 3, component: 'FLOAT', global: true },
    QUANTIZED_VOLUME_SCALE: { width: 3, component: 'FLOAT', global: true },
    CONSTANT_RGBA: { width: 4, component: 'UNSIGNED_BYTE', global: true },
    BATCH_LENGTH: { width: 1, component: 'UNSIGNED_INT', global: true },
  },
};

/**
 * Checks the bytes of a tile's content (b3dm, i3dm, pnts, cmpt, glb, gltf) as strictly as the standards allow, the
 * glTF inside by its own validator. Gives the vertices that can be read without decompressing, in the tile's frame.
 */
export async function validateContent(bytes: Uint8Array, say: Say, beside: ReadBeside): Promise<Vec3[]> {
  try {
    const kind = contentKind(bytes);
    if (kind === 'cmpt') return await validateComposite(bytes, say, beside);
    if (kind === 'glb') return await validateGlb(bytes, say, beside);
    if (kind === 'gltf') {
      await validateGltf(bytes, say, beside);
      return [];
    }
    if (kind === 'b3dm' || kind === 'i3dm' || kind === 'pnts')
      return await validateTables(bytes, say, beside);
    say('CONTENT_UNKNOWN', 'error', 'The content is none of b3dm, i3dm, pnts, cmpt, glb, gltf.');
  } catch (error) {
    say('CONTENT_UNREADABLE', 'error', (error as Error).message);
  }
  return [];
}

async function validateComposite(bytes: Uint8Array, say: Say, beside: ReadBeside): Promise<Vec3[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkHeader('cmpt', view, bytes.length, say);
  const vertices: Vec3[] = [];
  for (const tile of readComposite(bytes)) {
    if (tile.length % 8 !== 0)
      say('CONTENT_ALIGNMENT', 'error', `A tile in the cmpt has ${tile.length} bytes; 8 must divide them.`);
    for (const vertex of await validateContent(tile, say, beside)) vertices.push(vertex);
  }
  return vertices;
}

function checkHeader(kind: string, view: DataView, length: number, say: Say): void {
  const [version, total] = [view.getUint32(4, true), view.getUint32(8, true)];
  if (version !== 1) say('CONTENT_VERSION', 'error', `The ${kind} has version ${version}; 1 was expected.`);
  if (total !== length)
    say('CONTENT_LENGTH', 'error', `The ${kind} has ${length} bytes, its header says ${total}.`);
  if (total % 8 !== 0)
    say('CONTENT_ALIGNMENT', 'error', `The ${kind} has ${total} bytes; 8 must divide them.`);
}

async function validateTables(bytes: Uint8Array, say: Say, beside: ReadBeside): Promise<Vec3[]> {
  const tile = readTableTile(bytes);
  const { kind, offsets } = tile;
  checkHeader(kind, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.length, say);
  for (const [name, at] of [
    ['feature table binary', offsets.featureTableBinary],
    ['batch table', offsets.batchTable],
    ['batch table binary', offsets.batchTableBinary],
    ...(kind === 'pnts' ? [] : [['payload', offsets.payload] as const]),
  ] as const) {
    if (at % 8 !== 0)
      say('CONTENT_ALIGNMENT', 'error', `The ${name} of the ${kind} begins at byte ${at}; 8 must divide it.`);
  }
  const length = featureCount(tile, say);
  if (length !== null) {
    checkFeatureTable(tile, length, say);
    const batchIds = kind === 'b3dm' || tile.featureTable.BATCH_ID === undefined ? length : null;
    checkBatchTable(tile, batchIds ?? number(tile.featureTable.BATCH_LENGTH, length), say);
  }
  if (kind === 'pnts') return [];
  if (kind === 'i3dm' && tile.gltfFormat === 0) {
    await beside(new TextDecoder().decode(tile.payload).replace(/[\0 ]+$/, ''));
    return [];
  }
  const glbLength =
    tile.payload.length >= 12
      ? new DataView(tile.payload.buffer, tile.payload.byteOffset).getUint32(8, true)
      : 0;
  const glb = tile.payload.subarray(0, glbLength);
  const vertices = await validateGlb(glb, say, beside);
  if (kind === 'i3dm') return [];
  if (length !== null) checkBatchIds(glb, length, say);
  const rtc = tile.featureTable.RTC_CENTER;
  const [x, y, z] = Array.isArray(rtc) ? (rtc as Vec3) : [0, 0, 0];
  return vertices.map((v) => [v[0] + x, v[1] + y, v[2] + z]);
}

function featureCount(tile: TableTile, say: Say): number | null {
  const name = { b3dm: 'BATCH_LENGTH', i3dm: 'INSTANCES_LENGTH', pnts: 'POINTS_LENGTH' }[tile.kind];
  const value = tile.featureTable[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  say(
    'FEATURE_TABLE_INVALID',
    'error',
    `The feature table has ${name} ${JSON.stringify(value)}; a number was expected.`,
  );
  return null;
}

function checkFeatureTable(tile: TableTile, length: number, say: Say): void {
  for (const [name, value] of Object.entries(tile.featureTable)) {
    if (name === 'extensions' || name === 'extras') continue;
    const semantic = SEMANTICS[tile.kind]![name];
    const wrong = (why: string) =>
      say('FEATURE_TABLE_INVALID', 'error', `${name} in the feature table ${why}.`);
    if (semantic === undefined) {
      wrong(`is no property of a ${tile.kind}`);
      continue;
    }
    const count = semantic.width * (semantic.global ? 1 : length);
    if (isObject(value)) {
      const component = typeof value.componentType === 'string' ? value.componentType : semantic.component;
      checkBinary(value.byteOffset, SIZES[component], count, tile.featureTableBinary.length, wrong);
    } else if (Array.isArray(value)) {
      if (value.length !== count) wrong(`has ${value.length} numbers; ${count} were expected`);
      if (!value.every((v) => typeof v === 'number')) wrong('has values that are no numbers');
    } else if (!semantic.global || semantic.width > 1) wrong('is no array');
    else if (typeof value !== (semantic.width === 0 ? 'boolean' : 'number')) wrong(`is a ${typeof value}`);
  }
}

function checkBatchTable(tile: TableTile, length: number, say: Say): void {
  if (tile.batchTable === null) return;
  if (length === 0)
    say('BATCH_TABLE_INVALID', 'error', 'There is a batch table, but no feature that it could describe.');
  for (const [name, value] of Object.entries(tile.batchTable)) {
    if (name === 'extensions' || name === 'extras') continue;
    const wrong = (why: string) => say('BATCH_TABLE_INVALID', 'error', `${name} in the batch table ${why}.`);
    if (Array.isArray(value)) {
      if (value.length !== length) wrong(`has ${value.length} values for ${length} features`);
    } else if (isObject(value)) {
      const width = WIDTHS[String(value.type)];
      if (width === undefined) wrong(`has the type ${String(value.type)}`);
      else
        checkBinary(
          value.byteOffset,
          SIZES[String(value.componentType)],
          width * length,
          tile.batchTableBinary.length,
          wrong,
        );
    } else wrong('is neither an array nor a reference into the binary');
  }
}

function checkBinary(
  offset: unknown,
  size: number | undefined,
  count: number,
  available: number,
  wrong: (why: string) => void,
): void {
  if (size === undefined) wrong('has an unknown componentType');
  else if (typeof offset !== 'number') wrong('has no byteOffset');
  else if (offset % size !== 0) wrong(`begins at ${offset}, which ${size} does not divide`);
  else if (offset + size * count > available) wrong(`ends at ${offset + size * count} of ${available} bytes`);
}

/** Every _BATCHID must be one of the features that the feature table counts (3D Tiles 1.0, section 10.3). */
function checkBatchIds(glb: Uint8Array, length: number, say: Say): void {
  let most = -1;
  let least = 0;
  for (const id of attributeValues(readGlb(glb), '_BATCHID')) {
    most = Math.max(most, id);
    least = Math.min(least, id);
  }
  if (most >= length || least < 0) {
    say('BATCH_ID_INVALID', 'error', `There are batch ids from ${least} to ${most} for ${length} features.`);
  }
  if (most >= 0 && most + 1 < length) {
    say(
      'BATCH_ID_UNUSED',
      'warning',
      `The highest batch id is ${most}, though there are ${length} features.`,
    );
  }
}

async function validateGlb(bytes: Uint8Array, say: Say, beside: ReadBeside): Promise<Vec3[]> {
  const glb = readGlb(bytes);
  await validateGltf(bytes, say, beside, metadataViews(glb));
  validateMetadata(glb, say);
  return [...gltfVertices(glb)];
}

/** Extensions that the validator of glTF does not know, and so cannot validate. */
const VALIDATED_HERE = /'(?:EXT_mesh_features|EXT_structural_metadata)'/;

/** `otherViews` are the buffer views that extensions use, which the validator of glTF takes for unused. */
async function validateGltf(
  bytes: Uint8Array,
  say: Say,
  beside: ReadBeside,
  otherViews = new Set<number>(),
): Promise<void> {
  const report = await gltfValidator.validateBytes(bytes, {
    maxIssues: 50,
    externalResourceFunction: beside,
  });
  for (const message of report.issues.messages) {
    if (message.code === 'UNSUPPORTED_EXTENSION' && VALIDATED_HERE.test(message.message)) continue;
    const view = /^\/bufferViews\/(\d+)$/.exec(message.pointer ?? '');
    if (message.code === 'UNUSED_OBJECT' && view !== null && otherViews.has(Number(view[1]))) continue;
    say(
      `GLTF_${message.code}`,
      message.severity === 0 ? 'error' : message.severity === 1 ? 'warning' : 'info',
      `${message.message} (${message.pointer ?? 'in the file'})`,
    );
  }
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
