/**
 * Layout of a feature index: what one GML member holds, in one buffer that is read by ranges.
 *
 * Little-endian. Offsets of sections count from the start of the index; every section starts at a multiple of 8. The
 * header is at the end, and before it lies what an answer about one gml:id needs first: of a store that is far away it
 * comes with one read.
 *
 * | offset | header, the last 128 bytes |
 * |---|---|
 * | 0 | `CMFI`, u16 version, u16 zero |
 * | 8 | u32 features, u32 features without a gml:id, u32 features whose gml:id an earlier one has, u32 zero |
 * | 24 | float64 west, south, east, north: what the R-tree's integers 0 to 65535 span |
 * | 56 | u32 offset, u32 length of each section, in the order of `SECTIONS` |
 *
 * | section | content |
 * |---|---|
 * | footprints | encoded footprints (see `footprint.ts`) |
 * | tree | flatbush over boxes as u16: the smallest integers around them |
 * | ids | gml:ids, UTF-8, one after the other |
 * | entries | 80 bytes per feature, in the order of the text (see `Entry`) |
 * | hashes | 20 bytes per gml:id, sorted by hash and feature (see `Hashed`): found by interpolation |
 * | rootTag | start tag of the file's root element, with the namespaces of its members: for reading one feature alone |
 * | elements | qualified names of features, each once, UTF-8, one a line |
 * | crs | srsName and srsDimension that hold where a feature states none, one a line, empty where unknown |
 *
 * Version 1 has the header first, sections in the order of `SECTIONS`, and 8 bytes per gml:id, without the place of the
 * feature.
 */
import type { Extent } from '@citymodel/geo';

export const MAGIC = 0x49464d43;
export const VERSION = 2;
/** The first version, which is still read. */
const FIRST_VERSION = 1;
export const HEADER_SIZE = 128;
export const SECTIONS = [
  'rootTag',
  'elements',
  'crs',
  'hashes',
  'entries',
  'ids',
  'tree',
  'footprints',
] as const;
export type Section = (typeof SECTIONS)[number];
/** How sections lie behind each other. */
export const SECTION_ORDER: readonly Section[] = [
  'footprints',
  'tree',
  'ids',
  'entries',
  'hashes',
  'rootTag',
  'elements',
  'crs',
];

/** Byte offsets within what `hashes` has of a gml:id. */
export const Hashed = {
  size: 20,
  sizeOfFirstVersion: 8,
  /** u32 hash of the id, u32 feature. */
  hash: 0,
  feature: 4,
  /** u48: where the feature's element begins in the text, and how long it is. */
  start: 8,
  length: 14,
} as const;

/** Byte offsets within an entry. */
export const Entry = {
  size: 80,
  /** float64: where the feature's element begins in the text, and where it has ended. */
  start: 0,
  end: 8,
  /** float64 west, south, east, north, minAlt, maxAlt of the geometry that stands for the feature. */
  box: 16,
  /** u32 offset in `ids`, u16 length at `idLength`. */
  id: 64,
  /** u32 offset in `footprints`, u16 length at `footprintLength`; length 0 when there is none. */
  footprint: 68,
  idLength: 72,
  footprintLength: 74,
  /** u16 index in `elements`. */
  element: 76,
  /** u8, bit n: there is geometry at LOD n. */
  lods: 78,
  flags: 79,
} as const;

export const Flag = { box: 1, altitude: 2, lod1Solid: 4, id: 8 } as const;

/** A feature as the index knows it. */
export interface FeatureEntry {
  /** Position in the index: features are numbered in the order of the text. */
  index: number;
  /** gml:id; null when it has none. */
  id: string | null;
  /** True when a hash alone says so: the feature's text is to be compared before anything of it goes out. */
  idIsAssumed?: boolean;
  /** True when beside number and id only the place is known: the rest is what `entryOfText` finds in the text. */
  isPlaceOnly?: boolean;
  /** Qualified name with canonical prefix, e.g. `bldg:Building`. */
  element: string;
  /** Text range of the element in bytes, end exclusive. */
  start: number;
  end: number;
  /** Bit n: there is geometry at LOD n. */
  lods: number;
  /**
   * Of its lod1Solid when there is one, else of its lowest-LOD geometry; null when it has none or the CRS is
   * unknown. Altitudes are 0 where the data has none.
   */
  extent: Extent | null;
  /** False when the data has no heights (2-D). */
  hasAltitude: boolean;
  /** True when `extent` is that of a lod1Solid. */
  lod1Solid: boolean;
  /** True when there is geometry, but its footprint is not in the index: read the feature's text for an exact test. */
  footprintInBlock: boolean;
  /** Range of the footprint in its section, bytes; length 0 when there is none. */
  footprintOffset: number;
  footprintLength: number;
}

export interface IndexHeader {
  /** Bytes that `hashes` has of each gml:id. */
  hashedSize: number;
  features: number;
  withoutId: number;
  duplicates: number;
  tree: { west: number; south: number; east: number; north: number };
  sections: Record<Section, { offset: number; length: number }>;
}

/** The header in a whole index. Throws a RangeError for anything else. */
export function headerOf(index: Uint8Array): IndexHeader {
  const last = index.subarray(-HEADER_SIZE);
  return readHeader(isHeader(last) ? last : index.subarray(0, HEADER_SIZE), index.length);
}

/** True when the last 128 bytes of an index are its header; else it is of the first version, or none. */
export function isHeader(bytes: Uint8Array): boolean {
  if (bytes.length !== HEADER_SIZE) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_SIZE);
  return view.getUint32(0, true) === MAGIC && view.getUint16(4, true) > FIRST_VERSION;
}

/** Reads the header, 128 bytes, of an index of `size` bytes. Throws a RangeError for anything else. */
export function readHeader(bytes: Uint8Array, size: number): IndexHeader {
  if (bytes.length < HEADER_SIZE) {
    throw new RangeError(`a feature index has at least ${HEADER_SIZE} bytes, this has ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_SIZE);
  if (view.getUint32(0, true) !== MAGIC) {
    throw new RangeError(
      `the header of a feature index begins with CMFI, this with 0x${view.getUint32(0).toString(16)}`,
    );
  }
  const version = view.getUint16(4, true);
  if (version !== VERSION && version !== FIRST_VERSION) {
    throw new RangeError(`the feature index has version ${version}, expected ${VERSION}: run reindex`);
  }
  const isFirst = version === FIRST_VERSION;
  const [least, most] = isFirst ? [HEADER_SIZE, size] : [0, size - HEADER_SIZE];
  const hashedSize = isFirst ? Hashed.sizeOfFirstVersion : Hashed.size;
  const sections = {} as IndexHeader['sections'];
  SECTIONS.forEach((name, i) => {
    const offset = view.getUint32(56 + i * 8, true);
    const length = view.getUint32(60 + i * 8, true);
    if (offset % 8 !== 0 || offset < least || offset + length > most) {
      throw new RangeError(
        `section ${name} of the feature index is ${offset}+${length}, outside of its ${size} bytes`,
      );
    }
    sections[name] = { offset, length };
  });
  const features = view.getUint32(8, true);
  if (sections.entries.length !== features * Entry.size || sections.hashes.length % hashedSize !== 0) {
    throw new RangeError(
      `a feature index of ${features} features has entries of ${sections.entries.length} bytes, expected ` +
        `${features * Entry.size}`,
    );
  }
  return {
    hashedSize,
    features,
    withoutId: view.getUint32(12, true),
    duplicates: view.getUint32(16, true),
    tree: {
      west: view.getFloat64(24, true),
      south: view.getFloat64(32, true),
      east: view.getFloat64(40, true),
      north: view.getFloat64(48, true),
    },
    sections,
  };
}

/** FNV-1a of bytes, unsigned 32 bits, with a final mix so that its high bits are even too. */
export function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Integers of the R-tree's grid for an interval, not smaller than it. */
export function quantise(low: number, high: number, from: number, to: number): [number, number] {
  const scale = to > from ? 65535 / (to - from) : 0;
  const clamp = (value: number) => Math.min(65535, Math.max(0, value));
  return [clamp(Math.floor((low - from) * scale)), clamp(Math.ceil((high - from) * scale))];
}
