import Flatbush from 'flatbush';
import type { FeatureGeometry } from '../geometry/feature-outline.ts';
import { encodeIndex, writeHashed } from './encode-index.ts';
import { Entry, Flag, Hashed, hashOf, quantise, type Section } from './feature-index-format.ts';

/** Longest gml:id that the index keeps, bytes. */
export const MAX_ID_LENGTH = 1024;
/** Distinct element names; features of further ones are listed under the last. */
const MAX_ELEMENTS = 65_535;
/** Bytes of a buffer that is kept for the next file. */
const MAX_KEPT = 256 * 1024;

/** Gathers the features of one GML in the order of its text and serialises their index. */
export class FeatureIndexWriter {
  private entries: Buffer = Buffer.alloc(Entry.size * 64);
  private ids: Buffer = Buffer.alloc(4096);
  private footprints: Buffer = Buffer.alloc(4096);
  /** Hash of the id of each feature that has one. */
  private idHashes = new Uint32Array(64);
  private idsUsed = 0;
  private footprintsUsed = 0;
  private readonly elements = new Map<string, number>();
  features = 0;
  withoutId = 0;

  /** Forgets all features; what they took is used again unless it was much. */
  clear(): void {
    if (this.entries.length > MAX_KEPT) this.entries = Buffer.alloc(Entry.size * 64);
    else this.entries.fill(0, 0, this.features * Entry.size);
    if (this.ids.length > MAX_KEPT) this.ids = Buffer.alloc(4096);
    if (this.footprints.length > MAX_KEPT) this.footprints = Buffer.alloc(4096);
    if (this.idHashes.byteLength > MAX_KEPT) this.idHashes = new Uint32Array(64);
    this.idsUsed = 0;
    this.footprintsUsed = 0;
    this.elements.clear();
    this.features = 0;
    this.withoutId = 0;
  }

  /** `id`: UTF-8 with references replaced, at most `MAX_ID_LENGTH` bytes, null for none. */
  add(id: Uint8Array | null, element: string, start: number, end: number, geometry: FeatureGeometry): void {
    const at = this.features++ * Entry.size;
    this.entries = room(this.entries, at, Entry.size);
    const entry = this.entries;
    entry.writeDoubleLE(start, at + Entry.start);
    entry.writeDoubleLE(end, at + Entry.end);
    let flags = 0;
    const { box, footprint } = geometry;
    if (box !== null) {
      flags |= Flag.box | (geometry.hasAltitude ? Flag.altitude : 0) | (geometry.solid ? Flag.lod1Solid : 0);
      for (let k = 0; k < 6; k++) entry.writeDoubleLE(box[k]!, at + Entry.box + k * 8);
    }
    entry.writeUInt32LE(this.idsUsed, at + Entry.id);
    if (id === null) {
      this.withoutId++;
    } else {
      flags |= Flag.id;
      if (this.features > this.idHashes.length) {
        const larger = new Uint32Array(this.features * 2);
        larger.set(this.idHashes);
        this.idHashes = larger;
      }
      this.idHashes[this.features - 1] = hashOf(id);
      this.ids = room(this.ids, this.idsUsed, id.length);
      this.ids.set(id, this.idsUsed);
      this.idsUsed += id.length;
      entry.writeUInt16LE(id.length, at + Entry.idLength);
    }
    entry.writeUInt32LE(this.footprintsUsed, at + Entry.footprint);
    if (footprint !== null) {
      this.footprints = room(this.footprints, this.footprintsUsed, footprint.length);
      this.footprints.set(footprint, this.footprintsUsed);
      this.footprintsUsed += footprint.length;
      entry.writeUInt16LE(footprint.length, at + Entry.footprintLength);
    }
    entry.writeUInt16LE(this.elementIndex(element), at + Entry.element);
    entry[at + Entry.lods] = geometry.lods;
    entry[at + Entry.flags] = flags;
  }

  private elementIndex(element: string): number {
    let index = this.elements.get(element);
    if (index === undefined) {
      index = Math.min(this.elements.size, MAX_ELEMENTS);
      if (this.elements.size < MAX_ELEMENTS) this.elements.set(element, index);
      else index--;
    }
    return index;
  }

  /**
   * The index (see `feature-index-format.ts`).
   * @param rootTag start tag of the root element, see `RootTag`
   * @param crs srsName and srsDimension that hold where a feature states none, '' where unknown
   */
  finish(rootTag: Uint8Array, crs: { srsName: string; srsDimension: string }): Uint8Array {
    const { hashes, duplicates } = this.hashes();
    const bounds = this.bounds();
    const sections: Record<Section, Uint8Array> = {
      rootTag,
      elements: Buffer.from([...this.elements.keys()].join('\n')),
      crs: Buffer.from(`${crs.srsName.replaceAll(/\s/g, ' ')}\n${crs.srsDimension}`),
      hashes,
      entries: this.entries.subarray(0, this.features * Entry.size),
      ids: this.ids.subarray(0, this.idsUsed),
      tree: this.tree(bounds),
      footprints: this.footprints.subarray(0, this.footprintsUsed),
    };
    const { features, withoutId } = this;
    return encodeIndex({ features, withoutId, duplicates, bounds }, sections);
  }

  private idOf(feature: number): Uint8Array {
    const at = feature * Entry.size;
    const from = this.entries.readUInt32LE(at + Entry.id);
    return this.ids.subarray(from, from + this.entries.readUInt16LE(at + Entry.idLength));
  }

  /**
   * What section `hashes` has, sorted by the machine as 64-bit integers (little-endian: the hash is the upper half).
   */
  private hashes(): { hashes: Uint8Array; duplicates: number } {
    const count = this.features - this.withoutId;
    const keys = new BigUint64Array(count);
    const halves = new Uint32Array(keys.buffer);
    let next = 0;
    for (let i = 0; i < this.features; i++) {
      if ((this.entries[i * Entry.size + Entry.flags]! & Flag.id) === 0) continue;
      halves[next++] = i;
      halves[next++] = this.idHashes[i]!;
    }
    keys.sort();
    const hashes = Buffer.allocUnsafe(count * Hashed.size);
    let duplicates = 0;
    let runStart = 0;
    for (let k = 0; k < count; k++) {
      const feature = halves[k * 2]!;
      const hash = halves[k * 2 + 1]!;
      writeHashed(hashes, k, { hash, feature }, this.entries);
      if (k === 0 || halves[k * 2 - 1] !== hash) {
        runStart = k;
        continue;
      }
      // Equal hashes are equal ids but for chance: the first few of a run tell.
      const id = this.idOf(feature);
      for (let j = runStart; j < k && j < runStart + 4; j++) {
        if (Buffer.compare(this.idOf(halves[j * 2]!), id) !== 0) continue;
        duplicates++;
        break;
      }
    }
    return { hashes, duplicates };
  }

  private hasBox(feature: number): boolean {
    return (this.entries[feature * Entry.size + Entry.flags]! & Flag.box) !== 0;
  }

  private bounds(): [number, number, number, number] {
    const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.features; i++) {
      if (!this.hasBox(i)) continue;
      const at = i * Entry.size + Entry.box;
      bounds[0] = Math.min(bounds[0], this.entries.readDoubleLE(at));
      bounds[1] = Math.min(bounds[1], this.entries.readDoubleLE(at + 8));
      bounds[2] = Math.max(bounds[2], this.entries.readDoubleLE(at + 16));
      bounds[3] = Math.max(bounds[3], this.entries.readDoubleLE(at + 24));
    }
    return bounds[0] === Infinity ? [0, 0, 0, 0] : bounds;
  }

  private tree([west, south, east, north]: [number, number, number, number]): Uint8Array {
    if (this.features === 0) return new Uint8Array(0);
    const tree = new Flatbush(this.features, 16, Uint16Array);
    for (let i = 0; i < this.features; i++) {
      const at = i * Entry.size + Entry.box;
      if (this.hasBox(i)) {
        const [minX, maxX] = quantise(
          this.entries.readDoubleLE(at),
          this.entries.readDoubleLE(at + 16),
          west,
          east,
        );
        const [minY, maxY] = quantise(
          this.entries.readDoubleLE(at + 8),
          this.entries.readDoubleLE(at + 24),
          south,
          north,
        );
        tree.add(minX, minY, maxX, maxY);
      } else {
        tree.add(65535, 65535, 65535, 65535);
      }
    }
    tree.finish();
    return new Uint8Array(tree.data);
  }
}

function room(buffer: Buffer, used: number, more: number): Buffer {
  if (used + more <= buffer.length) return buffer;
  const larger = Buffer.alloc(Math.max(used + more, buffer.length * 2));
  larger.set(buffer);
  return larger;
}
