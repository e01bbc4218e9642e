/** Many features of one file as texts, each block inflated once. */
import type { FeatureEntry } from '../citygml/feature-index.ts';
import { FeatureXmlError } from '../citygml/feature-xml.ts';
import { Gate } from './gate.ts';
import type { OpenGml } from './open-gml.ts';
import type { FeaturePresenter } from './present-feature.ts';
import type { Slice } from './turns.ts';

/** Blocks that are in the making before their turn comes. */
const BLOCKS_AHEAD = 6;
/**
 * Batches that are being made at once in the whole process. More would not be ready sooner, as they share the processor,
 * but each has several blocks in memory.
 */
const batches = new Gate(3);

/**
 * Texts of the features in the order given; a feature whose text cannot be read as XML is left out and told to
 * `onFault`. They are read in the order of the file, so that features in the same block come from one inflation, and
 * while one is parsed the blocks of the next ones are inflated by the pool.
 */
export async function presentFeatures(
  gml: OpenGml,
  entries: readonly FeatureEntry[],
  presenter: FeaturePresenter,
  slice: Slice,
  onFault: (entry: FeatureEntry) => void,
): Promise<string[]> {
  const present = async (entry: FeatureEntry): Promise<string | null> => {
    try {
      return await presenter.present(gml, entry);
    } catch (error) {
      if (!(error instanceof FeatureXmlError)) throw error;
      onFault(entry);
      return null;
    }
  };
  if (entries.length === 1) {
    const text = await present(entries[0]!);
    return text === null ? [] : [text];
  }
  return batches.run(async () => {
    const order = [...entries.keys()].sort((a, b) => entries[a]!.start - entries[b]!.start);
    const sorted = order.map((i) => entries[i]!);
    const texts = new Array<string | null>(entries.length).fill(null);
    for (const [n, entry] of sorted.entries()) {
      if (slice.due()) await slice.pause();
      gml.text.prefetch(sorted, n, BLOCKS_AHEAD);
      texts[order[n]!] = await present(entry);
    }
    return texts.filter((text) => text !== null);
  });
}
