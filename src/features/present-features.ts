/** Many features of one file as texts, each block inflated once. */
import type { FeatureEntry } from '../citygml/feature-index.ts';
import { FeatureXmlError } from '../citygml/feature-xml.ts';
import type { OpenGml } from './open-gml.ts';
import type { FeaturePresenter } from './present-feature.ts';
import type { Slice } from './turns.ts';

/** Features whose blocks are read before their turn comes. */
const AHEAD = 6;
/** Text that is read ahead for one feature at most: what is larger comes block by block. */
const AHEAD_BYTES = 1 << 20;

/**
 * Texts of the features in the order given; a feature whose text cannot be read as XML is left out and named to
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
  const order = [...entries.keys()].sort((a, b) => entries[a]!.start - entries[b]!.start);
  const sorted = order.map((i) => entries[i]!);
  const texts = new Array<string | null>(entries.length).fill(null);
  for (const [n, entry] of sorted.entries()) {
    if (slice.due()) await slice.pause();
    if (sorted.length > 1) {
      for (const next of n === 0 ? sorted.slice(0, AHEAD) : sorted.slice(n + AHEAD - 1, n + AHEAD)) {
        if (next.end - next.start < AHEAD_BYTES) gml.text.prefetch(next);
      }
      gml.text.release(entry.start);
    }
    try {
      texts[order[n]!] = await presenter.present(gml, entry);
    } catch (error) {
      if (!(error instanceof FeatureXmlError)) throw error;
      onFault(entry);
    }
  }
  return texts.filter((text) => text !== null);
}
