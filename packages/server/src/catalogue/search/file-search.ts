/** Operation 7: the CityGML files that conditions find. */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ConcurrencyLimit, Pass, Slices } from '@citymodel/base';
import type { PackageRow, PlacedFileRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { keyOf } from '../../base/filter.ts';
import { weakEtag } from '../../base/generated-document.ts';
import { RequestBudget } from '../../base/request-budget.ts';
import { collect, type Effort, visit } from './collect-files.ts';
import type { Conditions } from './conditions.ts';
import { FileCounts } from './file-counts.ts';
import { type FileFilters, fileTestOf } from './file-filter.ts';
import { type FileListUrls, type FoundPackage, fileListParts, fileObjectText } from './file-list.ts';
import { FilesAbroad } from './files-abroad.ts';
import type { FoundFiles, FoundFilesLimits, FoundGroup } from './found-files.ts';
import type { Gazetteer, PlaceMatch, SearchSnapshot } from './gazetteer.ts';
import type { Geocoder } from './geocoder.ts';
import {
  type FileStore,
  type Place,
  placesOf,
  placesOfMatches,
  type Scope,
  type Target,
  targetsOf,
} from './search-targets.ts';
import { streamFileList } from './stream-file-list.ts';
import { type TypedMesh, YearFilters } from './years.ts';

export interface FileSearchOptions {
  /** The catalogue as it is now, and as it is once it has caught up with the database. */
  catalogue: { current(): SearchSnapshot; refresh(): Promise<SearchSnapshot> };
  store: FileStore;
  gazetteer: Pick<Gazetteer, 'find'>;
  /** Asked for names that the gazetteer does not fully understand. */
  geocoder: Geocoder | null;
  urls: FileListUrls;
  /** Bytes of compressed answers that are kept. */
  cacheBytes: number;
  /** Largest answer that is made as a whole, bytes; a larger one is streamed. */
  maxWholeBytes?: number;
}

/** What is looked for: everything that the answer depends on, besides the state of the catalogue. */
export interface FileQuestion {
  conditions: Conditions;
  filters: FileFilters;
}

/** The answer of operation 7: a file-list result of the specification, and one for each package under `cities`. */
export type FileListAnswer = { packages: number; files: number } & (
  | { kind: 'whole'; etag: string /** Bytes of the JSON document. */; size: number; gzip: Buffer }
  | {
      kind: 'streamed';
      /** The JSON document, made anew for each caller. Throws as `streamFileList`. */
      pieces(): AsyncGenerator<Uint8Array, void, void>;
    }
);

/** What a search has found. */
interface SearchResult {
  found: FoundFiles;
  /** True for the files that were found. */
  accepts(pkg: PackageRow, row: PlacedFileRow): boolean;
}

/** What one search may cost: three times the files of the whole country in all its years. */
export const FILE_SEARCH_ALLOWANCE = { items: 3_000_000, bytesHeld: 0, bytesRead: 0 };
const ADVICE = 'Ask for a smaller area or fewer types.';
/** Largest answer that is made as a whole. */
const MAX_WHOLE_BYTES = 8_000_000;
/** Pieces of streamed answers that are made at once. */
const PIECES_AT_ONCE = 2;
/** From this size on a higher level of compression than 1 would take longer than sending what it saves. */
const FAST_FROM = 512 * 1_024;
/** What an answer takes besides its bytes, and a group of a streamed one, as an estimate. */
const ENTRY_BYTES = 500;
/** How often a search begins anew because packages are being published meanwhile. */
const MAX_ATTEMPTS = 3;

const COUNT_ALONE: FoundFilesLimits = { maxBytes: 0, maxFiles: 0, prefixBytes: () => 0 };
const NEVER = new AbortController().signal;
const gzipAsync = promisify(gzip);

export class FileSearch {
  readonly #options: FileSearchOptions;
  /** Answers for one version of the catalogue. */
  readonly #answers: LRUCache<string, FileListAnswer, () => Promise<FileListAnswer>>;
  #version = -1;
  /** Under which name the answer to a question is kept. */
  readonly #names = new WeakMap<FileQuestion, string>();
  readonly #abroad: FilesAbroad;
  readonly #years: YearFilters;
  readonly #large = new ConcurrencyLimit(1);
  readonly #pieces = new ConcurrencyLimit(PIECES_AT_ONCE);

  constructor(options: FileSearchOptions) {
    this.#options = options;
    this.#abroad = new FilesAbroad(options.store);
    this.#years = new YearFilters((row) => placedFilesOf(row, options.store));
    this.#answers = new LRUCache({
      maxSize: Math.max(1, options.cacheBytes),
      sizeCalculation: bytesOf,
      // Callers that want the same at once share one answer in the making.
      fetchMethod: (_key, _stale, { context }) => context(),
      ignoreFetchAbort: true,
    });
  }

  /** The answer of operation 7 where it is at hand, so that nothing has to be waited for; else undefined. */
  kept(question: FileQuestion): FileListAnswer | undefined {
    if (this.#isAskedAbroad(question)) return undefined;
    this.#dropOlder();
    return this.#answers.get(this.#nameOf(question));
  }

  /**
   * The answer of operation 7. Throws ServiceError 404 `not found` when no file is found, 503 `unavailable`
   * when an outside geocoder is needed and away, and what the store throws.
   */
  async search(question: FileQuestion, signal: AbortSignal = NEVER): Promise<FileListAnswer> {
    if (this.#isAskedAbroad(question)) return this.#answer(question, signal);
    this.#dropOlder();
    // Callers share it: it goes on when one of them goes away.
    const context = () => this.#answer(question, NEVER);
    return (await this.#answers.fetch(this.#nameOf(question), { context })) as FileListAnswer;
  }

  /** What an outside geocoder says may change at any time, and it keeps its own answers. */
  #isAskedAbroad({ conditions }: FileQuestion): boolean {
    return conditions.kind === 'place' && this.#options.geocoder !== null;
  }

  /** Answers are those of one version of the catalogue. */
  #dropOlder(): void {
    const { version } = this.#options.catalogue.current();
    if (version !== this.#version) this.#answers.clear();
    this.#version = version;
  }

  #nameOf(question: FileQuestion): string {
    let name = this.#names.get(question);
    if (name === undefined) {
      name = hash('sha256', keyOf('files', question), 'base64url');
      this.#names.set(question, name);
    }
    return name;
  }

  /**
   * The files that conditions find, by package: newest year first, then by municipality code; within a package by path.
   * When there are more than `maxFiles` they are only counted. Throws as `search`, but not when nothing is found.
   */
  async searchFiles(
    { conditions, filters }: FileQuestion,
    { maxFiles = Infinity, signal = NEVER }: { maxFiles?: number; signal?: AbortSignal } = {},
  ): Promise<{ files: number; packages: Array<FoundPackage<FoundGroup>> }> {
    const limits = { maxBytes: Infinity, maxFiles, prefixBytes: () => 0 };
    const places = await this.#places(conditions, signal);
    using pass = new Pass(this.#large);
    const { found } = await this.#find(places, filters, { limits, pass, signal });
    return { files: found.files, packages: found.sorted() };
  }

  /**
   * How much conditions find, by package and type, without reading what lists say of each file; of the name of a place,
   * also what it stands for. Throws as `searchFiles`.
   */
  async count(
    { conditions, filters }: FileQuestion,
    signal: AbortSignal = NEVER,
  ): Promise<{ found: FileCounts; matches: readonly PlaceMatch[] | null }> {
    const matches = conditions.kind === 'place' ? await this.#locate(conditions.name, signal) : null;
    const places = conditions.kind === 'place' ? placesOfMatches(matches!) : placesOf(conditions);
    using pass = new Pass(this.#large);
    const { found } = await this.#settle(places, filters, async (targets, scope, budget) => {
      const effort = { limits: COUNT_ALONE, pass, signal, budget };
      const found = new FileCounts();
      const isBehind = await visit(
        targets,
        scope,
        effort,
        (target) => target.placed(),
        found.add.bind(found),
      );
      return { found, isBehind: isBehind === true };
    });
    return { found, matches };
  }

  async #answer(question: FileQuestion, signal: AbortSignal): Promise<FileListAnswer> {
    const { store, urls, maxWholeBytes = MAX_WHOLE_BYTES } = this.#options;
    const places = await this.#places(question.conditions, signal);
    const prefixBytes = (pkg: PackageRow) => urls.member(pkg, '').length;
    const limits = { maxBytes: maxWholeBytes, maxFiles: Infinity, prefixBytes };
    using pass = new Pass(this.#large);
    const { found, accepts } = await this.#find(places, question.filters, { limits, pass, signal });
    if (found.files === 0) {
      throw new ServiceError(404, 'not found', {
        reason: await this.#whyNothing(question, places, signal),
      });
    }
    const packages = found.sorted();
    const counts = { packages: packages.length, files: found.files };
    if (found.keepsRows) return { kind: 'whole', ...counts, ...(await wholeAnswer(packages, urls)) };
    const parts = fileListParts(packages, urls);
    const source = { store, urls, accepts };
    return { kind: 'streamed', ...counts, pieces: () => this.#inTurn(streamFileList(parts, source)) };
  }

  /** Pieces that are made beside few of other answers, each in a turn of the event loop of its own. */
  async *#inTurn(pieces: AsyncGenerator<Uint8Array, void, void>): AsyncGenerator<Uint8Array, void, void> {
    const next = async () => {
      await setImmediate();
      return pieces.next();
    };
    try {
      for (;;) {
        const { value, done } = await this.#pieces.run(next);
        if (done === true) return;
        yield value;
      }
    } finally {
      await pieces.return();
    }
  }

  async #find(
    places: readonly Place[],
    filters: FileFilters,
    effort: Omit<Effort, 'budget'>,
  ): Promise<SearchResult> {
    const { found, targets, scope } = await this.#settle(places, filters, (targets, scope, budget) =>
      collect(targets, scope, { ...effort, budget }),
    );
    const accepts = (pkg: PackageRow, row: PlacedFileRow) =>
      scope.test.accepts(pkg, row) && targets.some((target) => target.accepts(pkg, row));
    return { found, accepts };
  }

  /**
   * What `gather` finds in a state of the catalogue that the database agrees with, or in the last of a few attempts.
   */
  async #settle<T>(
    places: readonly Place[],
    filters: FileFilters,
    gather: (
      targets: readonly Target[],
      scope: Scope,
      budget: RequestBudget,
    ) => Promise<{ found: T; isBehind: boolean }>,
  ): Promise<{ found: T; targets: readonly Target[]; scope: Scope }> {
    const { catalogue, store } = this.#options;
    let snapshot = catalogue.current();
    const budget = new RequestBudget(FILE_SEARCH_ALLOWANCE, ADVICE);
    for (let attempts = 1; ; attempts++) {
      const test = await fileTestOf(filters, { snapshot, years: this.#years });
      const scope = { snapshot, filters, test };
      const targets: Target[] = [];
      const from = { store, abroad: this.#abroad, budget };
      for (const place of places) targets.push(...(await targetsOf(place, scope, from)));
      const { found, isBehind } = await gather(targets, scope, budget);
      // A package was published or removed since the snapshot was made: the catalogue is asked to catch up.
      const newer = isBehind && attempts < MAX_ATTEMPTS ? await catalogue.refresh() : snapshot;
      if (newer === snapshot) return { found, targets, scope };
      snapshot = newer;
    }
  }

  async #places(conditions: Conditions, signal: AbortSignal): Promise<Place[]> {
    if (conditions.kind !== 'place') return placesOf(conditions);
    return placesOfMatches(await this.#locate(conditions.name, signal));
  }

  /** What the gazetteer fully understands, else what the outside geocoder knows, else what was understood in part. */
  async #locate(name: string, signal: AbortSignal): Promise<PlaceMatch[]> {
    const local = await this.#options.gazetteer.find(name);
    if (this.#options.geocoder === null || local.some((place) => place.complete)) return local;
    const outside = await this.#options.geocoder.locate(name, signal);
    return outside.length > 0 ? outside : local;
  }

  async #whyNothing(
    { conditions, filters }: FileQuestion,
    places: readonly Place[],
    signal: AbortSignal,
  ): Promise<string> {
    const types = filters.find('types');
    if (types !== undefined) {
      using pass = new Pass(this.#large);
      const effort = { limits: COUNT_ALONE, pass, signal };
      const { found } = await this.#find(places, filters.without(types.name), effort);
      const others = new Set(found.sorted().flatMap((entry) => [...entry.types.keys()]));
      if (others.size > 0)
        return `No CityGML file there is ${types.words}; there are ${[...others].join(', ')}.`;
    }
    if (conditions.kind === 'place') {
      return (
        `No CityGML file is known for the place ${JSON.stringify(conditions.name)}. Known names are those of ` +
        `prefectures, municipalities, wards, towns and buildings in the published data.`
      );
    }
    if (conditions.kind === 'area') return `No CityGML is published for ${conditions.codes.join(', ')}.`;
    return 'No published CityGML file lies there.';
  }
}

async function placedFilesOf({ no }: PackageRow, store: FileStore): Promise<TypedMesh[]> {
  const files: TypedMesh[] = [];
  for await (const page of store.placedFiles({ packageNos: [no] })) {
    for (const { type, mesh } of page) files.push({ type, mesh });
  }
  return files;
}

/** The answer as one document. Its texts are made in slices beside other requests, and each stands in memory once. */
async function wholeAnswer(
  packages: ReadonlyArray<FoundPackage<FoundGroup>>,
  urls: FileListUrls,
): Promise<{ etag: string; size: number; gzip: Buffer }> {
  const slices = new Slices(setImmediate);
  const texts = new Map<FoundGroup, Buffer>();
  const parts: Buffer[] = [];
  for (const part of fileListParts(packages, urls)) {
    if (typeof part === 'string') {
      parts.push(Buffer.from(part));
      continue;
    }
    let text = texts.get(part);
    if (text === undefined) {
      const files: string[] = [];
      await slices.each(part.rows, (row) => files.push(fileObjectText(part.package, row, urls)));
      text = Buffer.from(files.join());
      texts.set(part, text);
      part.rows = [];
    }
    parts.push(text);
  }
  const body = Buffer.concat(parts);
  if (slices.due()) await slices.pause();
  const etag = weakEtag(hash('sha256', body, 'base64url'));
  return {
    etag,
    size: body.length,
    gzip: await gzipAsync(body, { level: body.length >= FAST_FROM ? 1 : 4 }),
  };
}

function bytesOf(answer: FileListAnswer): number {
  return ENTRY_BYTES + (answer.kind === 'whole' ? answer.gzip.length : answer.packages * ENTRY_BYTES);
}
