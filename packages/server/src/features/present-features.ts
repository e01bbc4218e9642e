/** Many features of one file as records, each block inflated once for each batch. */
import { type FeatureEntry, FeatureTooLarge, FeatureXmlError } from '@citymodel/citygml';
import type { FeatureWork } from './feature-work.ts';
import type { OpenGml } from './open-gml.ts';
import { type FeaturePresenter, LARGE_TEXT } from './present-feature.ts';

/** Text from which records are made and handed on together, bytes. A batch has at least one feature. */
const BATCH_BYTES = 4 << 20;
/** Text up to which nobody waits for the batches of others, bytes: one building, or some. */
const SMALL_BYTES = 256 << 10;

/** Why a feature is left out of an answer. */
export type FeatureFault = FeatureXmlError | FeatureTooLarge;

/**
 * Records of the features in the order given, in batches. A feature whose text cannot be read as XML, or is too large,
 * is left out and told to `onFault`. The features of a batch are read in the order of the file, so that those in the
 * same block come from one inflation. Throws MemberDamaged, and what `onFault`, the budget and the caller's signal
 * throw.
 */
export async function* presentFeatures<R>(
  gml: OpenGml,
  entries: readonly FeatureEntry[],
  presenter: FeaturePresenter<R>,
  work: FeatureWork,
  onFault: (entry: FeatureEntry, fault: FeatureFault) => void,
): AsyncGenerator<R[], void, void> {
  const known = entries.map((entry) => presenter.kept(gml, entry));
  gml.text.expect(entries.filter((_, i) => known[i] === null));
  let from = 0;
  for (const batch of weighed(entries)) {
    const kept = known.slice(from, from + batch.length);
    from += batch.length;
    const bytes = textBytes(batch);
    // Of a larger feature the text goes by in pieces.
    const heldBytes = Math.min(bytes, BATCH_BYTES);
    work.budget.read(bytes);
    work.budget.hold(heldBytes);
    const present = () => presentBatch(gml, batch, kept, presenter, work, onFault);
    yield bytes <= SMALL_BYTES ? await present() : await work.batches.run(present, heldBytes);
    work.budget.release(heldBytes);
  }
}

/** `records`: those that are kept, with null for those that are to be made. */
async function presentBatch<R>(
  gml: OpenGml,
  entries: readonly FeatureEntry[],
  records: Array<R | null>,
  presenter: FeaturePresenter<R>,
  work: FeatureWork,
  onFault: (entry: FeatureEntry, fault: FeatureFault) => void,
): Promise<R[]> {
  const { slices } = work;
  const order = [...entries.keys()].filter((i) => records[i] === null);
  order.sort((a, b) => entries[a]!.start - entries[b]!.start);
  const sorted = order.map((i) => entries[i]!);
  let n = 0;
  for await (const text of gml.text.readMany(sorted, { wholeBytes: LARGE_TEXT })) {
    if (slices.due()) await slices.pause();
    const entry = sorted[n]!;
    try {
      const presented = presenter.present(gml, entry, text, work);
      const record = presented instanceof Promise ? await presented : presented;
      records[order[n]!] = record;
      if (record !== null) presenter.keep(gml, entry, record);
    } catch (error) {
      if (!(error instanceof FeatureXmlError || error instanceof FeatureTooLarge)) throw error;
      onFault(entry, error);
    }
    n++;
  }
  return records.filter((record) => record !== null);
}

/** Neighbours together, up to `BATCH_BYTES` of text. */
function* weighed(entries: readonly FeatureEntry[]): Generator<readonly FeatureEntry[]> {
  let from = 0;
  let bytes = 0;
  for (const [i, { start, end }] of entries.entries()) {
    if (i > from && bytes + end - start > BATCH_BYTES) {
      yield entries.slice(from, i);
      from = i;
      bytes = 0;
    }
    bytes += end - start;
  }
  if (from < entries.length) yield entries.slice(from);
}

function textBytes(entries: readonly FeatureEntry[]): number {
  return entries.reduce((sum, { start, end }) => sum + end - start, 0);
}
