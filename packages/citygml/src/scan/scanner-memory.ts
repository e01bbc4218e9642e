import { FeatureIndexWriter } from '../index/feature-index-writer.ts';
import { DecimalReader } from '../xml/decimal-reader.ts';
import { GeometryCollector } from './scanner-geometry.ts';
import { type AttributeName, NamespaceContext, NameTable } from './scanner-names.ts';

/** Bytes of the work buffer at first: a slice of the text, and what a token may leave over. */
const WORK_BYTES = 272 * 1024;
export const MAX_ATTRIBUTES = 500;
/** Names that one file may bring, and that are kept for the next one; those of all schemas together are 3,000. */
export const MAX_NAMES = 20_000;

/**
 * What a scan works with and the next one may use again: half a megabyte of buffers, and the names of elements, which
 * are the same in all files of a package. Made anew for each of 200,000 small files it took longer than the scanning,
 * and the collector let 100 MB of it gather. One scan at a time; it needs no end to give this back.
 */
export class ScannerMemory {
  readonly buffer: Buffer = Buffer.from(new ArrayBuffer(WORK_BYTES));
  readonly valueStarts = new Int32Array(MAX_ATTRIBUTES);
  readonly valueEnds = new Int32Array(MAX_ATTRIBUTES);
  /** Divisible by 2 and 3, so that a full reader holds whole positions. */
  readonly numbers = new DecimalReader(12_288);
  readonly geometry = new GeometryCollector();
  readonly index = new FeatureIndexWriter();
  context = new NamespaceContext(new Map());
  attributes = new NameTable<AttributeName>();
  /** Number of the scan, which tells what was seen in it from what earlier ones left. */
  scan = 0;

  /** Begins a scan. */
  begin(): void {
    this.scan++;
    this.index.clear();
    if (this.context.tally.names + this.attributes.size <= MAX_NAMES) return;
    this.context = new NamespaceContext(new Map());
    this.attributes = new NameTable();
  }
}
