/** Answers of operations 11, 12 and 13 as streams of bytes. */
import type { Slices } from '@citymodel/base';
import { type FeatureWriter, FramedText } from './formats/format.ts';

export interface FeatureAnswer {
  contentType: string;
  /** The body in pieces. Stopping the iteration stops the work; it throws ServiceError before its first piece only. */
  pieces: AsyncGenerator<Uint8Array, void, void>;
  /** What the answer may lack, as known so far: one sentence in ASCII each. */
  readonly warnings: ReadonlySet<string>;
  /** What was done so far, for the log. */
  readonly cost: { features: number; files: number };
}

/** What turns batches of records into bytes. */
type RecordFrame = Pick<FeatureWriter, 'batch' | 'end' | 'close'>;

/** What stands around the answer of operation 12. */
export function idListFrame(): FramedText {
  return new FramedText({ head: '{"featureIds":[', between: ',', tail: ']}' });
}

/** Records of that list, for features that have to be read first; each must have a gml:id. */
export function idListWriter(): FeatureWriter {
  const frame = idListFrame();
  return {
    record: ({ entry }) => JSON.stringify(entry.id),
    batch: (records) => frame.batch(records),
    end: () => frame.end(),
  };
}

/** The bytes of an answer out of batches of its records; others go first while a long one is put together. */
export async function* framed(
  frame: RecordFrame,
  batches: AsyncIterable<readonly string[]>,
  slices: Slices,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const batch of batches) {
      const bytes = await frame.batch(batch);
      if (bytes.length > 0) yield bytes;
    }
    for await (const bytes of frame.end()) {
      if (bytes.length > 0) yield bytes;
      if (slices.due()) await slices.pause();
    }
  } finally {
    await frame.close?.();
  }
}
