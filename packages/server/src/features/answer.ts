/** Answers of operations 11, 12 and 13 as streams of bytes. */
import type { Slices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { type FeatureWriter, framedText } from './formats/format.ts';

export interface FeatureAnswer {
  contentType: string;
  /** The package whose file was named: the answer depends on it alone. Null for answers out of all packages. */
  readonly source: PackageRow | null;
  /** The body in pieces. Stopping the iteration stops the work; it throws ServiceError before its first piece only. */
  pieces: AsyncGenerator<Uint8Array, void, void>;
  /** What the answer may lack, as known so far: one sentence in ASCII each. */
  readonly warnings: ReadonlySet<string>;
  /** What was done so far, for the log. */
  readonly cost: { features: number; files: number };
}

const ID_LIST = { head: '{"featureIds":[', between: ',', tail: ']}' };

/** The answer of operation 12 out of gml:ids as JSON. */
export function idList(
  batches: AsyncIterable<readonly string[]>,
  slices: Slices,
): AsyncGenerator<Uint8Array, void, void> {
  return framedText(ID_LIST, batches, slices);
}

/** Makes that answer of features that have to be read first; each must have a gml:id. */
export const ID_WRITER: FeatureWriter<string> = {
  // biome-ignore lint/correctness/useYield: an id is one step
  *record({ entry }) {
    return JSON.stringify(entry.id);
  },
  pieces: idList,
};
