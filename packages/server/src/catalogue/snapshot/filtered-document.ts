/** Some rows of the catalogue as a document: the bytes of the rows stay where the blocks keep them. */
import { hash } from 'node:crypto';
import {
  GeneratedDocument,
  PassingDocument,
  type ReadyDocument,
  weakEtag,
} from '../../base/generated-document.ts';
import type { RowTable } from '../rows/snapshot-table.ts';

/** An array of the document. */
export interface ChosenRows {
  name: string;
  table: RowTable;
  /** For each row of the table 1 when it is in the document. */
  keep: Uint8Array;
}

/** Up to this size a document is made whole and kept: it takes less than what tells how it is made. */
const WHOLE_BYTES = 256 * 1_024;

/** The chosen rows as one JSON object, its arrays in the order given. A long one is put together while it is sent. */
export function filteredDocument(chosen: readonly ChosenRows[]): ReadyDocument {
  let size = CLOSE_OBJECT.length;
  const runs: string[] = [];
  for (const [i, rows] of chosen.entries()) {
    size += headOf(rows, i).length + CLOSE_ARRAY.length;
    let count = 0;
    for (const { digest, first, end, start, stop } of runsOf(rows)) {
      size += stop - start;
      runs.push(`${digest}${first}-${end}`);
      count++;
    }
    size += Math.max(0, count - 1);
    runs.push(rows.name);
  }
  const pieces = { [Symbol.iterator]: () => piecesOf(chosen) };
  if (size <= WHOLE_BYTES) return new GeneratedDocument(Buffer.concat([...pieces]));
  return new PassingDocument(pieces, {
    size,
    etag: weakEtag(hash('sha256', runs.join(), 'base64url')),
    memory: chosen.reduce((sum, { keep }) => sum + keep.length, 0),
  });
}

function* piecesOf(chosen: readonly ChosenRows[]): Generator<Buffer> {
  for (const [i, rows] of chosen.entries()) {
    yield headOf(rows, i);
    let isFirst = true;
    for (const { bytes, start, stop } of runsOf(rows)) {
      if (!isFirst) yield COMMA;
      isFirst = false;
      yield bytes.subarray(start, stop);
    }
    yield CLOSE_ARRAY;
  }
  yield CLOSE_OBJECT;
}

function headOf({ name }: ChosenRows, place: number): Buffer {
  return Buffer.from(`${place === 0 ? '{' : ','}"${name}":[`);
}

const CLOSE_ARRAY = Buffer.from(']');
const CLOSE_OBJECT = Buffer.from('}');
const COMMA = Buffer.from(',');

/** Chosen rows that are neighbours in a block, with commas between. */
interface Run {
  bytes: Buffer;
  /** Of the block. */
  digest: string;
  /** Rows `[first, end)` of the block. */
  first: number;
  end: number;
  /** Bytes `[start, stop)` of the block. */
  start: number;
  stop: number;
}

function* runsOf({ table: { blocks }, keep }: ChosenRows): Generator<Run> {
  let before = 0;
  for (const { bytes, digest, starts } of blocks) {
    for (let first = 0; first < starts.length; first++) {
      if (!keep[before + first]) continue;
      let end = first + 1;
      while (end < starts.length && keep[before + end]) end++;
      const stop = end < starts.length ? starts[end]! - 1 : bytes.length;
      yield { bytes, digest, first, end, start: starts[first]!, stop };
      first = end;
    }
    before += starts.length;
  }
}
