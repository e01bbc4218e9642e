/** Answers of operations 11, 12 and 13 as streams of text. */
import type { Format } from './feature-query.ts';

export interface FeatureAnswer {
  contentType: string;
  /** The body in pieces. Stopping the iteration stops the work; it throws ServiceError before its first piece only. */
  pieces: AsyncGenerator<string, void, void>;
  /** What the answer may lack, as known so far: one sentence in ASCII each. */
  readonly warnings: ReadonlySet<string>;
  /** What was done so far, for the log. */
  readonly cost: { features: number; files: number };
}

/** What stands around and between the features of an answer. */
export interface Frame {
  contentType: string;
  head: string;
  between: string;
  tail: string;
}

/** An array of attribute objects, as the interface has it. */
export const ARRAY: Frame = {
  contentType: 'application/json; charset=utf-8',
  head: '[',
  between: ',',
  tail: ']',
};

/** The answer of operation 12. */
export const ID_LIST: Frame = {
  contentType: 'application/json; charset=utf-8',
  head: '{"featureIds":[',
  between: ',',
  tail: ']}',
};

/** RFC 7946, section 3.3; the media type is that of section 12. */
const FEATURE_COLLECTION: Frame = {
  contentType: 'application/geo+json; charset=utf-8',
  head: '{"type":"FeatureCollection","features":[',
  between: ',',
  tail: ']}',
};

/** One JSON object a line, the header's first (CityJSON 2.0 text sequences). */
const TEXT_SEQUENCE: Frame = {
  contentType: 'application/city+json-seq; charset=utf-8',
  head: '',
  between: '\n',
  tail: '\n',
};

/** What stands around attribute objects in a format. */
export const FRAMES: Record<Format, Frame> = {
  json: ARRAY,
  geojson: FEATURE_COLLECTION,
  cityjsonseq: TEXT_SEQUENCE,
};

/** Frames batches of texts; `head` is an object that goes before all of them in a text sequence. */
export async function* framed(
  frame: Frame,
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<string, void, void> {
  let before = frame.head;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield before + batch.join(frame.between);
    before = frame.between;
  }
  yield (before === frame.head ? before : '') + frame.tail;
}
