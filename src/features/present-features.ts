/** Many features of one file as texts, each block inflated once. */
import type { Slices } from '../base/turns.ts';
import type { FeatureEntry } from '../citygml/index/feature-index.ts';
import { FeatureXmlError } from '../citygml/xml/feature-xml.ts';
import { Gate } from './concurrency-limit.ts';
import type { OpenGml } from './open-gml.ts';
import { type FeaturePresenter, SKIM_FROM } from './present-feature.ts';

/**
 * Batches that are being made at once in the whole process. More would not be ready sooner, as they share the processor,
 * but each has a block and its answers in memory.
 */
const batches = new Gate(4);

/**
 * Texts of the features in the order given; a feature whose text cannot be read as XML is left out and told to
 * `onFault`. They are read in the order of the file, so that features in the same block come from one inflation.
 */
export async function presentFeatures(
  gml: OpenGml,
  entries: readonly FeatureEntry[],
  presenter: FeaturePresenter,
  slices: Slices,
  onFault: (entry: FeatureEntry) => void,
): Promise<string[]> {
  const work = async () => {
    const order = [...entries.keys()].sort((a, b) => entries[a]!.start - entries[b]!.start);
    const sorted = order.map((i) => entries[i]!);
    const made = new Array<string | null>(entries.length).fill(null);
    let n = 0;
    for await (const text of gml.text.readMany(sorted, { wholeBytes: SKIM_FROM })) {
      if (slices.due()) await slices.pause();
      const entry = sorted[n]!;
      try {
        const presented = presenter.present(gml, entry, text);
        made[order[n]!] = presented instanceof Promise ? await presented : presented;
      } catch (error) {
        if (!(error instanceof FeatureXmlError)) throw error;
        onFault(entry);
      }
      n++;
    }
    return made.filter((text) => text !== null);
  };
  return entries.length === 1 ? work() : batches.run(work);
}
