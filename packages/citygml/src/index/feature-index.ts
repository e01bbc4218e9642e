import { firstWhere } from '@citymodel/base';
import { type Bounds, boundsIntersect } from '@citymodel/geo';
import Flatbush from 'flatbush';
import { decodeFootprint, type Footprint } from '../geometry/footprint.ts';
import {
  Entry,
  type FeatureEntry,
  Flag,
  Hashed,
  hashOf,
  headerOf,
  type IndexHeader,
  quantise,
  type Section,
} from './feature-index-format.ts';

export type { Footprint } from '../geometry/footprint.ts';
export type { FeatureEntry } from './feature-index-format.ts';

/** The feature index of one GML in memory. For one that is read by ranges see `feature-index-file.ts`. */
export class FeatureIndex {
  readonly header: IndexHeader;
  private readonly bytes: Buffer;
  private readonly names: string[];

  private constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.header = headerOf(bytes);
    this.names = elementNames(this.section('elements'));
  }

  /** Opens a serialised index. Throws a RangeError when it is none, or of another version. */
  static open(bytes: Uint8Array): FeatureIndex {
    return new FeatureIndex(bytes);
  }

  private section(name: Section): Buffer {
    const { offset, length } = this.header.sections[name];
    return this.bytes.subarray(offset, offset + length);
  }

  /** Number of features. */
  get size(): number {
    return this.header.features;
  }

  /** Start tag of the root element as written, with the namespaces that every feature's names need. */
  get rootTag(): Uint8Array {
    return this.section('rootTag');
  }

  /** srsName and srsDimension that hold where a feature states none; '' where unknown. */
  get crs(): { srsName: string; srsDimension: string } {
    return crsLines(this.section('crs'));
  }

  /** Features with this gml:id, in the order of the text; normally one or none. */
  find(id: string): number[] {
    const idBytes = Buffer.from(id);
    const hash = hashOf(idBytes);
    const hashes = this.section('hashes');
    const size = this.header.hashedSize;
    const hashAt = (i: number) => hashes.readUInt32LE(i * size);
    const count = hashes.length / size;
    const found: number[] = [];
    for (let i = firstWhere(count, (at) => hashAt(at) >= hash); i < count && hashAt(i) === hash; i++) {
      const feature = hashes.readUInt32LE(i * size + Hashed.feature);
      if (this.idBytes(feature).equals(idBytes)) found.push(feature);
    }
    return found;
  }

  /** The entry of a feature, 0 to `size - 1`. Throws a RangeError for others. */
  feature(index: number): FeatureEntry {
    checkIndex(index, this.size);
    const at = this.header.sections.entries.offset + index * Entry.size;
    return readEntry(this.bytes, at, index, this.names, (from, length) =>
      this.section('ids').toString('utf8', from, from + length),
    );
  }

  /** Features whose extent touches the bounds, in the order of the text. */
  search(bounds: Bounds): number[] {
    const candidates = searchTree(this.section('tree'), this.header, bounds);
    const { offset } = this.header.sections.entries;
    return candidates.filter((i) => entryTouches(this.bytes, offset + i * Entry.size, bounds));
  }

  /** All gml:ids in the order of the text; features without one are left out, duplicates are not. */
  *ids(): Generator<string> {
    const { bytes } = this;
    const ids = this.header.sections.ids.offset;
    let at = this.header.sections.entries.offset;
    for (let i = 0; i < this.size; i++, at += Entry.size) {
      if (!(bytes[at + Entry.flags]! & Flag.id)) continue;
      const from = ids + bytes.readUInt32LE(at + Entry.id);
      yield bytes.toString('utf8', from, from + bytes.readUInt16LE(at + Entry.idLength));
    }
  }

  /**
   * Horizontal projection of the geometry that `extent` is of; null when the feature has none or it is in the text
   * only.
   */
  footprint({ extent, footprintOffset, footprintLength }: FeatureEntry): Footprint | null {
    if (extent === null || footprintLength === 0) return null;
    const encoded = this.section('footprints').subarray(footprintOffset, footprintOffset + footprintLength);
    return decodeFootprint(encoded, extent.west, extent.south);
  }

  private idBytes(feature: number): Buffer {
    const at = this.header.sections.entries.offset + feature * Entry.size;
    const from = this.bytes.readUInt32LE(at + Entry.id);
    return this.section('ids').subarray(from, from + this.bytes.readUInt16LE(at + Entry.idLength));
  }
}

/** Throws a RangeError when there is no feature of that number. */
export function checkIndex(index: number, size: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`no feature ${index} in an index of ${size}`);
  }
}

/** Names of section `elements`. */
export function elementNames(section: Buffer): string[] {
  return section.toString().split('\n');
}

/** Content of section `crs`. */
export function crsLines(section: Buffer): { srsName: string; srsDimension: string } {
  const [srsName = '', srsDimension = ''] = section.toString().split('\n');
  return { srsName, srsDimension };
}

/** Decodes the entry at `at`; `idText` gives the text of a range of section `ids`. */
export function readEntry(
  bytes: Buffer,
  at: number,
  index: number,
  names: readonly string[],
  idText: (from: number, length: number) => string,
): FeatureEntry {
  const flags = bytes[at + Entry.flags]!;
  const hasBox = (flags & Flag.box) !== 0;
  const box = (k: number) => bytes.readDoubleLE(at + Entry.box + k * 8);
  const footprintLength = bytes.readUInt16LE(at + Entry.footprintLength);
  return {
    index,
    id:
      flags & Flag.id
        ? idText(bytes.readUInt32LE(at + Entry.id), bytes.readUInt16LE(at + Entry.idLength))
        : null,
    element: names[bytes.readUInt16LE(at + Entry.element)] ?? '',
    start: bytes.readDoubleLE(at + Entry.start),
    end: bytes.readDoubleLE(at + Entry.end),
    lods: bytes[at + Entry.lods]!,
    extent: hasBox
      ? { west: box(0), south: box(1), east: box(2), north: box(3), minAlt: box(4), maxAlt: box(5) }
      : null,
    hasAltitude: (flags & Flag.altitude) !== 0,
    lod1Solid: (flags & Flag.lod1Solid) !== 0,
    footprintInBlock: hasBox && footprintLength === 0,
    footprintOffset: bytes.readUInt32LE(at + Entry.footprint),
    footprintLength,
  };
}

/** True when the entry at `at` has a box that touches the bounds. */
export function entryTouches(bytes: Buffer, at: number, bounds: Bounds): boolean {
  if ((bytes[at + Entry.flags]! & Flag.box) === 0) return false;
  return boundsIntersect(bounds, {
    west: bytes.readDoubleLE(at + Entry.box),
    south: bytes.readDoubleLE(at + Entry.box + 8),
    east: bytes.readDoubleLE(at + Entry.box + 16),
    north: bytes.readDoubleLE(at + Entry.box + 24),
  });
}

/** Features whose box on the tree's grid touches the bounds, ascending: a few more than really touch them. */
export function searchTree(tree: Buffer, header: IndexHeader, bounds: Bounds): number[] {
  if (tree.length === 0 || !boundsIntersect(header.tree, bounds)) return [];
  const { west, south, east, north } = header.tree;
  const [minX, maxX] = quantise(bounds.west, bounds.east, west, east);
  const [minY, maxY] = quantise(bounds.south, bounds.north, south, north);
  // Flatbush wants its data at a multiple of 8 in its buffer, which a slice of a pool need not be.
  const aligned = tree.byteOffset % 8 === 0 ? tree : new Uint8Array(tree);
  const flatbush = Flatbush.from(aligned.buffer as ArrayBuffer, aligned.byteOffset);
  // Typed arrays sort numbers several times faster.
  return [...Uint32Array.from(flatbush.search(minX, minY, maxX, maxY)).sort()];
}
