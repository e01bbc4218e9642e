/** A vector tile from its records, within the size that clients load quickly. */
import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { EXTENT } from './tile-commands.ts';
import type { TileRecord } from './tile-records.ts';

/** Largest tile, gzipped, bytes. */
export const MAX_TILE_BYTES = 500_000;
/** Part of the features that goes with each attempt to make a tile smaller. */
const SHARE_LEFT = 0.9;
const DECODER = new TextDecoder();

export interface EncodedTile {
  bytes: Uint8Array;
  /** Features that were left out to keep the size. */
  dropped: number;
}

/**
 * The tile; where it would be too large, without its smallest features (of equally small ones the later). Records stay
 * in their order.
 */
export function encodeTile(records: readonly TileRecord[]): EncodedTile {
  let kept = records;
  for (;;) {
    const bytes = encodeLayers(kept);
    const size = bytes.length <= MAX_TILE_BYTES ? bytes.length : gzipSync(bytes).length;
    if (size <= MAX_TILE_BYTES || kept.length === 1) return { bytes, dropped: records.length - kept.length };
    const share = Math.min(SHARE_LEFT, MAX_TILE_BYTES / size);
    kept = largest(records, Math.max(1, Math.floor(kept.length * share)));
  }
}

/** The heaviest records, in their order. */
export function largest(records: readonly TileRecord[], count: number): TileRecord[] {
  const order = records.map((_, i) => i).sort((a, b) => records[b]!.weight - records[a]!.weight || a - b);
  const kept = new Set(order.slice(0, count));
  return records.filter((_, i) => kept.has(i));
}

/** Layers by name (MVT 2.1, section 4.1). */
function encodeLayers(records: readonly TileRecord[]): Uint8Array {
  const layers = Map.groupBy(records, ({ layer }) => layer);
  const pbf = new PbfWriter();
  for (const name of [...layers.keys()].sort())
    pbf.writeMessage(3, writeLayer, { name, records: layers.get(name)! });
  return pbf.finish();
}

/** Names, or values, numbered in the order in which they come. */
class Numbered<T> {
  readonly numbers = new Map<T, number>();

  of(key: T): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.numbers.size);
    return this.numbers.size - 1;
  }
}

function writeLayer(
  { name, records }: { name: string; records: readonly TileRecord[] },
  pbf: PbfWriter,
): void {
  const keys = new Numbered<string>();
  const values = new Numbered<string | number>();
  pbf.writeVarintField(15, 2);
  pbf.writeStringField(1, name);
  for (const record of records)
    pbf.writeMessage(2, writeFeature, { record, tags: tagsOf(record, keys, values) });
  for (const key of keys.numbers.keys()) pbf.writeStringField(3, key);
  for (const value of values.numbers.keys()) pbf.writeMessage(4, writeValue, value);
  pbf.writeVarintField(5, EXTENT);
}

/** Numbers of the names and values of a record, in turn. */
function tagsOf(
  { properties }: TileRecord,
  keys: Numbered<string>,
  values: Numbered<string | number>,
): number[] {
  const tags: number[] = [];
  const list = JSON.parse(DECODER.decode(properties)) as Array<string | number>;
  for (let i = 0; i + 1 < list.length; i += 2) tags.push(keys.of(list[i] as string), values.of(list[i + 1]!));
  return tags;
}

function writeFeature({ record, tags }: { record: TileRecord; tags: number[] }, pbf: PbfWriter): void {
  pbf.writeVarintField(1, record.id);
  pbf.writePackedVarint(2, tags);
  pbf.writeVarintField(3, record.type);
  pbf.writeBytesField(4, record.commands);
}

/** Texts as texts; whole numbers as such, others as doubles (section 4.4). */
function writeValue(value: string | number, pbf: PbfWriter): void {
  if (typeof value === 'string') pbf.writeStringField(1, value);
  else if (!Number.isSafeInteger(value) || value < -(2 ** 31)) pbf.writeDoubleField(3, value);
  else if (value >= 0) pbf.writeVarintField(5, value);
  else pbf.writeSVarintField(6, value);
}
