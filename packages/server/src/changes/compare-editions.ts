/**
 * Compares the features of one type in two packages:
 *
 *   older ──▶ records on the disk ─┐
 *                                  ├─▶ match by ids and footprints ──▶ differences, in the order of the newer one
 *   newer ──▶ records on the disk ─┘
 */
import { join } from 'node:path';
import { overlapArea as areaOfBoth } from '@citymodel/inspect';
import type { PackageSource } from '../convert/package-source.ts';
import { appearanceOf, changeBetween, type Difference } from './difference.ts';
import type { FeatureRecord } from './feature-record.ts';
import { LocalPlane } from './local-plane.ts';
import { type Candidate, type MatchedBy, matchFeatures } from './match-features.ts';
import { filesOfType, type NotRead, readEdition } from './read-edition.ts';
import { RecordSpill } from './record-spill.ts';
import { type ComparisonSummary, SummaryOf } from './summary.ts';

/** Features of both editions together; ids and boxes of more do not fit into the memory of a thread. */
const MAX_FEATURES = 4_000_000;
/** Differences that are handed on together. */
const PAGE = 500;

/** Two packages are too large to be compared. */
export class TooManyFeatures extends Error {
  constructor() {
    super(`The packages have more than ${MAX_FEATURES} features of the type together.`);
    this.name = 'TooManyFeatures';
  }
}

export interface Progress {
  /** Bytes of text. */
  done: number;
  total: number;
}

/**
 * Yields the differences in pages and returns their sums. `directory` is an existing one for files that go when this
 * ends. Throws TooManyFeatures, MemberDamaged, and what the file system throws.
 */
export async function* compareEditions(
  before: PackageSource,
  after: PackageSource,
  type: string,
  directory: string,
  onProgress: (progress: Progress) => void,
): AsyncGenerator<Difference[], ComparisonSummary, void> {
  const total = filesOfType(before, type).bytes + filesOfType(after, type).bytes;
  let done = 0;
  let features = 0;
  const onText = (bytes: number) => {
    done += bytes;
    onProgress({ done, total });
  };
  const count = () => {
    if (++features > MAX_FEATURES) throw new TooManyFeatures();
  };
  using older = new Edition(join(directory, 'before.records'));
  using newer = new Edition(join(directory, 'after.records'));
  const notRead = {
    from: await older.read(before, type, onText, count),
    to: await newer.read(after, type, onText, count),
  };
  const matching = matchFeatures(older.candidates, newer.candidates, (i, j) =>
    overlapArea(older.record(i), newer.record(j)),
  );
  const summary = new SummaryOf({ from: older.candidates.length, to: newer.candidates.length }, notRead);
  let page: Difference[] = [];
  for (const difference of differences()) {
    page.push(difference);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
  return summary.sums();

  function* differences(): Generator<Difference> {
    const pairOf = new Map<number, { before: number; by: MatchedBy }>();
    for (const { before: from, after: to, by } of matching.pairs) pairOf.set(to, { before: from, by });
    for (const i of newer.candidates.keys()) {
      const pair = pairOf.get(i);
      const record = newer.record(i);
      const difference =
        pair === undefined
          ? appearanceOf('added', record)
          : changeBetween(older.record(pair.before), record, pair.by);
      summary.count(difference, pair?.by);
      if (difference !== null) yield difference;
    }
    for (const i of matching.removed) {
      const difference = appearanceOf('removed', older.record(i));
      summary.count(difference);
      yield difference;
    }
  }
}

/** The features of one package: what matching needs in memory, the rest on the disk. */
class Edition implements Disposable {
  readonly candidates: Candidate[] = [];
  readonly #spill: RecordSpill;

  constructor(path: string) {
    this.#spill = new RecordSpill(path);
  }

  read(
    source: PackageSource,
    type: string,
    onText: (bytes: number) => void,
    onFeature: () => void,
  ): Promise<NotRead> {
    return readEdition(source, type, {
      onText,
      onRecord: (record) => {
        onFeature();
        this.#spill.add(record);
        const { id, stableId, type: element, shape } = record;
        const [bounds, area] = [shape?.bounds ?? null, shape?.area ?? null];
        this.candidates.push({ id, stableId, type: element, bounds, area });
      },
    });
  }

  record(i: number): FeatureRecord {
    return this.#spill.read(i);
  }

  [Symbol.dispose](): void {
    this.#spill[Symbol.dispose]();
  }
}

/** Square metres that the footprints of two features have both. */
export function overlapArea(a: FeatureRecord, b: FeatureRecord): number {
  if (a.shape === null || b.shape === null) return 0;
  const plane = new LocalPlane(...a.shape.centre);
  const [one, other] = [a.shape.rings, b.shape.rings].map((rings) => rings.map((ring) => plane.ring(ring)));
  return areaOfBoth(one!, other!);
}
