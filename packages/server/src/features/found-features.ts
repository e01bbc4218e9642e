/** Features that were found, from the file on to records and ids: streams that a caller takes batch by batch. */
import { type FeatureEntry, FeatureTooDeep, FeatureXmlError } from '@citymodel/citygml';
import { ID_WRITER } from './answer.ts';
import type { Presentation } from './feature-query.ts';
import type { FeatureWork } from './feature-work.ts';
import { IdSet } from './id-set.ts';
import type { OpenGml } from './open-gml.ts';
import { FeaturePresenter } from './present-feature.ts';
import { type FeatureFault, presentFeatures } from './present-features.ts';
import {
  faultOf,
  geometryLeftOut,
  leftOut,
  type QueryProgress,
  tooDeep,
  tooLarge,
} from './query-progress.ts';

/** Features of one file. */
export interface FoundInFile {
  gml: OpenGml;
  entries: readonly FeatureEntry[];
}

/** gml:ids that are looked up and read together. */
const IDS_AT_ONCE = 512;

/**
 * Up to so many ids are looked up at once. Of a file that is far away only the parts of its index that have them are
 * read.
 */
export const FEW_IDS = 4;

/** The features as records of an answer, counted; what cannot be shown becomes a warning, or an error. */
export async function* recordsOf<R>(
  finds: AsyncIterable<FoundInFile>,
  presenter: FeaturePresenter<R>,
  work: FeatureWork,
  progress: QueryProgress,
): AsyncGenerator<R[], void, void> {
  const { warnings, cost } = progress;
  for await (const { gml, entries } of finds) {
    if (entries.some((entry) => presenter.lacksGeometry(entry, work))) {
      warnings.add(geometryLeftOut(gml.path, work.limits));
    }
    const onFault = (entry: FeatureEntry, fault: FeatureFault) => {
      if (fault instanceof FeatureTooDeep) warnings.add(tooDeep(gml.path));
      else if (fault instanceof FeatureXmlError) warnings.add(faultOf(gml.path));
      else if (progress.refusesLarge) throw tooLarge(entry, fault);
      else warnings.add(leftOut(gml.path));
    };
    for await (const records of presentFeatures(gml, entries, presenter, work, onFault)) {
      cost.features += records.length;
      yield records;
    }
  }
}

/** Features by id, in the order of the ids, some hundred at a time. */
export async function* findIds(
  gml: OpenGml,
  ids: readonly string[],
  elements: ReadonlySet<string> | null,
  work: FeatureWork,
): AsyncGenerator<FoundInFile, void, void> {
  // Its text says the rest; the element alone has to be known before.
  const placeIsEnough = gml.isFar && elements === null;
  const find = (id: string) =>
    gml.index.find(id, work.budget, (place) => gml.text.expect([place]), placeIsEnough);
  const begun = ids.length <= FEW_IDS ? ids.map(find) : [];
  // A failure is told at its turn.
  for (const one of begun) one.catch(() => {});
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const entries: FeatureEntry[] = [];
    for (const [n, id] of ids.slice(from, from + IDS_AT_ONCE).entries()) {
      work.budget.items(1);
      for (const entry of await (begun[n] ?? find(id))) {
        if (elements === null || elements.has(entry.element)) entries.push(entry);
      }
      if (work.slices.due()) await work.slices.pause();
    }
    if (entries.length > 0) yield { gml, entries };
  }
}

/** Every gml:id of a file, each once, as JSON. */
export async function* listIds(
  gml: OpenGml,
  { slices, budget }: FeatureWork,
  { cost }: QueryProgress,
): AsyncGenerator<string[], void, void> {
  const seen = gml.index.duplicates === 0 ? null : new IdSet();
  for await (const ids of gml.index.ids()) {
    const listed = seen === null ? ids : ids.filter((id) => seen.add(id));
    budget.items(ids.length);
    cost.features += listed.length;
    yield listed.map((id) => JSON.stringify(id));
    if (slices.due()) await slices.pause();
  }
}

/** The gml:ids of features as JSON; features without one have nothing that could be listed. */
export async function* idsOf(
  finds: AsyncIterable<FoundInFile>,
  { cost }: QueryProgress,
): AsyncGenerator<string[], void, void> {
  for await (const { entries } of finds) {
    const ids = entries.flatMap(({ id }) => (id === null ? [] : [JSON.stringify(id)]));
    cost.features += ids.length;
    yield ids;
  }
}

/** The gml:ids of the features that meet the conditions, which have to be read for it. */
export function wantedIds(
  finds: AsyncIterable<FoundInFile>,
  presentation: Presentation,
  work: FeatureWork,
  progress: QueryProgress,
): AsyncGenerator<string[], void, void> {
  const presenter = new FeaturePresenter(presentation, ID_WRITER);
  return recordsOf(withIds(finds), presenter, work, progress);
}

async function* withIds(finds: AsyncIterable<FoundInFile>): AsyncGenerator<FoundInFile, void, void> {
  for await (const { gml, entries } of finds) yield { gml, entries: entries.filter(({ id }) => id !== null) };
}

/** Batches of features of one file. */
export async function* inFile(
  gml: OpenGml,
  batches: AsyncIterable<readonly FeatureEntry[]>,
): AsyncGenerator<FoundInFile, void, void> {
  for await (const entries of batches) yield { gml, entries };
}

/** Each gml:id once, in a file that has some several times. */
export async function* unique(
  finds: AsyncIterable<FoundInFile>,
  duplicates: number,
): AsyncGenerator<FoundInFile, void, void> {
  const seen = duplicates === 0 ? null : new IdSet();
  for await (const { gml, entries } of finds) {
    yield { gml, entries: seen === null ? entries : entries.filter(({ id }) => id === null || seen.add(id)) };
  }
}

/** Nothing. */
export async function* none(): AsyncGenerator<never, void, void> {}

/** Closes the file when the last of the items has been taken, or the caller wants no more. */
export async function* closing<T>(gml: OpenGml, items: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  await using _open = gml;
  yield* items;
}
