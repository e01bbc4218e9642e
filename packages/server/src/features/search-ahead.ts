/** Searches in files that begin before their turn: a store that is far away is asked for several files at once. */
import type { FeatureEntry } from '@citymodel/citygml';
import type { GmlFile } from './gml-files.ts';
import type { OpenGml } from './open-gml.ts';

/**
 * Data of the first features of a file that is asked for while files before it are answered, bytes: of all that are
 * begun, some megabytes.
 */
const EXPECTED_BYTES = 512 * 1024;

/** A search in one file; disposing of it closes the file. */
export interface BegunSearch extends AsyncDisposable {
  gml: OpenGml;
  file: GmlFile;
  /** What was found, each batch once. */
  batches: AsyncIterable<FeatureEntry[]>;
}

/**
 * Finds the first features of a file. `readsText`: the text of those that are found will be read. Throws what finding
 * throws.
 */
export async function beginSearch(
  gml: OpenGml,
  file: GmlFile,
  finds: AsyncGenerator<FeatureEntry[], void, void>,
  readsText: boolean,
): Promise<BegunSearch> {
  try {
    const first = await finds.next();
    if (readsText && !first.done) gml.text.expect(first.value, EXPECTED_BYTES);
    return {
      gml,
      file,
      batches: withFirst(first, finds),
      [Symbol.asyncDispose]: () => gml[Symbol.asyncDispose](),
    };
  } catch (error) {
    await gml[Symbol.asyncDispose]();
    throw error;
  }
}

async function* withFirst<T>(
  first: IteratorResult<T, void>,
  rest: AsyncGenerator<T, void, void>,
): AsyncGenerator<T, void, void> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/**
 * What the steps give, in their order, with up to `count` of them begun before their turn. A caller who takes a result
 * disposes of it; those that nobody takes are disposed of here. Throws what a step throws, when its turn comes.
 */
export async function* begunAhead<T extends AsyncDisposable | null>(
  steps: AsyncIterable<() => Promise<T>>,
  count: number,
): AsyncGenerator<T, void, void> {
  const begun: Promise<T>[] = [];
  try {
    for await (const step of steps) {
      const one = step();
      one.catch(() => {});
      begun.push(one);
      if (begun.length > count) yield await begun.shift()!;
    }
    while (begun.length > 0) yield await begun.shift()!;
  } finally {
    await Promise.all(
      begun.map((one) =>
        one.then(
          (result) => result?.[Symbol.asyncDispose](),
          () => {},
        ),
      ),
    );
  }
}
