/**
 * Features of one type page by page, and one by its gml:id: what the OGC API asks for. A page ends behind a place
 * (`files-in-order.ts`), where the next one goes on.
 */
import { type FeatureEntry, FeatureTooDeep, FeatureXmlError } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import type { FileFilters } from '../catalogue/search/file-filter.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import type { Presentation } from './feature-query.ts';
import type { FeatureWork, FeatureWorkshop } from './feature-work.ts';
import { type FeaturePlace, type FileQuery, filesInOrder } from './files-in-order.ts';
import { findFeatures, meetsRegion } from './find-features.ts';
import type { FeatureParts, FeatureWriter } from './formats/format.ts';
import { type GmlFile, type GmlFiles, packagesByArea } from './gml-files.ts';
import type { IdDirectory } from './id-directory.ts';
import { type GmlOpener, type OpenGml, openGml } from './open-gml.ts';
import { FeaturePresenter } from './present-feature.ts';
import { presentFeatures } from './present-features.ts';
import { Region } from './region.ts';

/** Features that are read together, and their text, bytes. */
const LOOKED_AT = 64;
const LOOKED_AT_TEXT = 8 << 20;
/** Text after which a page with features ends although it may have more, bytes. */
const ENOUGH_TEXT = 48 << 20;
/** Text that is read to find out whether anything follows a full page, bytes. */
const LOOK_AHEAD = 4 << 20;

const EVERYTHING = new Region({ ids: null, box: null, polygons: null });
const ADVICE = 'Ask for a smaller box, or in the collection of a municipality.';

/** What a page is of. */
export interface PageQuery {
  readonly snapshot: Snapshot;
  /** Feature-type code. */
  readonly type: string;
  readonly filters: FileFilters;
  /** Features have to meet each of them; the first is searched for. */
  readonly regions: readonly Region[];
  readonly presentation: Presentation;
  readonly limit: number;
  /** The place behind which the page begins. */
  readonly after: FeaturePlace | null;
  /** What has to be known of features before their conditions are looked at, such as a place that one asks for. */
  prepare?(gml: OpenGml, entries: readonly FeatureEntry[], work: FeatureWork): Promise<void>;
}

/** Makes a record of a feature of a package. */
export type RecordMaker<R> = (parts: FeatureParts, row: PackageRow) => ReturnType<FeatureWriter<R>['record']>;

export interface FeaturePage<R> {
  readonly records: R[];
  /** Behind which the next page begins; null where there is none. */
  readonly next: FeaturePlace | null;
  /** One sentence in ASCII each. */
  readonly warnings: ReadonlySet<string>;
  readonly cost: { features: number; files: number };
}

export class FeaturePages {
  readonly #opener: GmlOpener;
  readonly #files: GmlFiles;
  readonly #ids: IdDirectory;
  readonly #workshop: FeatureWorkshop;

  constructor(opener: GmlOpener, files: GmlFiles, ids: IdDirectory, workshop: FeatureWorkshop) {
    this.#opener = opener;
    this.#files = files;
    this.#ids = ids;
    this.#workshop = workshop;
  }

  /** The allowance of one request, which ends with its signal. */
  begin(signal: AbortSignal): FeatureWork {
    return this.#workshop.begin(signal, ADVICE);
  }

  /**
   * A page. Throws ServiceError 404 where its edition is forgotten, 400 and 413 where the request costs too much, and
   * what reading features throws.
   */
  async page<R>(query: PageQuery, record: RecordMaker<R>, work: FeatureWork): Promise<FeaturePage<R>> {
    const { presentation, limit, after } = query;
    const region = query.regions[0] ?? EVERYTHING;
    const found: Array<{ record: R; place: FeaturePlace }> = [];
    const warnings = new Set<string>();
    let files = 0;
    const page = (next: FeaturePlace | null): FeaturePage<R> => ({
      records: found.slice(0, limit).map((one) => one.record),
      next,
      warnings,
      cost: { features: Math.min(found.length, limit), files },
    });
    for await (const { row, file, from } of filesInOrder(this.#files, { ...query, region }, after, work)) {
      await using gml = await this.#open(row, file, presentation);
      if (gml === null) continue;
      files++;
      if (!file.wellFormed) warnings.add(`${encodeURI(file.path)} is not well formed`);
      const placeOf = ({ index }: FeatureEntry): FeaturePlace => ({
        packageNo: row.no,
        packageId: row.id.slice(0, 8),
        path: file.path,
        index,
      });
      for await (const batch of findFeatures(gml, region, null, work, from)) {
        const entries = await meetingAll(gml, batch, query.regions.slice(1), work);
        for (let at = 0; at < entries.length; ) {
          const missing = limit - found.length;
          // Without conditions the next feature need not be read to know that there is one.
          if (missing <= 0 && presentation.where === null) return page(found[limit - 1]!.place);
          const some = firstOf(
            entries,
            at,
            presentation.where === null ? Math.min(missing, LOOKED_AT) : LOOKED_AT,
          );
          at += some.length;
          await query.prepare?.(gml, some, work);
          const presenter = numbered(presentation, (parts) => record(parts, row));
          const onFault = (entry: FeatureEntry, fault: Error) =>
            void warnings.add(leftOut(file.path, entry, fault));
          for await (const records of presentFeatures(gml, some, presenter, work, onFault)) {
            for (const one of records) found.push({ record: one.record, place: placeOf(one.entry) });
          }
          if (found.length > limit) return page(found[limit - 1]!.place);
          const most = found.length === limit && presentation.where !== null ? LOOK_AHEAD : ENOUGH_TEXT;
          if (found.length > 0 && work.budget.used.bytesRead > most) return page(placeOf(some.at(-1)!));
        }
      }
    }
    return page(null);
  }

  /** The first feature with this gml:id in the files that the query names; null where there is none. */
  async one<R>(
    {
      snapshot,
      type,
      filters,
      presentation,
    }: Pick<PageQuery, 'snapshot' | 'type' | 'filters' | 'presentation'>,
    id: string,
    record: RecordMaker<R>,
    work: FeatureWork,
  ): Promise<R | null> {
    const test = await this.#files.testOf(snapshot, filters);
    const rows = packagesByArea(snapshot).filter((row) => test.mayHave(row, type));
    const mayHave = await this.#ids.packagesWith(id, rows, type, work.slices);
    const passesOver = (row: PackageRow) => !mayHave.has(row);
    for await (const { row, files } of this.#packages({ snapshot, type, filters, passesOver }, work)) {
      for (const file of await this.#ids.filesWith(id, row, type, files.all)) {
        if (!files.wanted.has(file.path)) continue;
        await using gml = await this.#open(row, file, presentation);
        const [entry] = gml === null ? [] : await gml.index.find(id, work.budget);
        if (gml === null || entry === undefined) continue;
        const presenter = numbered(presentation, (parts) => record(parts, row));
        const fail = (_entry: FeatureEntry, fault: Error) => {
          throw fault;
        };
        for await (const records of presentFeatures(gml, [entry], presenter, work, fail)) {
          if (records.length > 0) return records[0]!.record;
        }
      }
    }
    return null;
  }

  /** How many features the files have. */
  async count(query: Pick<PageQuery, 'snapshot' | 'type' | 'filters'>, work: FeatureWork): Promise<number> {
    let sum = 0;
    for await (const { file } of filesInOrder(this.#files, { ...query, region: EVERYTHING }, null, work))
      sum += file.features;
    return sum;
  }

  /** Packages with files that are wanted; `all` are those of the type, which the directory of ids knows. */
  async *#packages(query: Omit<FileQuery, 'region'>, work: FeatureWork) {
    let row: PackageRow | null = null;
    let wanted = new Set<string>();
    const packageWith = async (of: PackageRow) => ({
      row: of,
      files: {
        all: (await this.#files.ofPackage(of)).filter(({ type }) => type === query.type),
        wanted,
      },
    });
    for await (const found of filesInOrder(this.#files, { ...query, region: EVERYTHING }, null, work)) {
      if (row !== null && found.row.no !== row.no) {
        yield packageWith(row);
        wanted = new Set();
      }
      row = found.row;
      wanted.add(found.file.path);
    }
    if (row !== null) yield packageWith(row);
  }

  #open(row: PackageRow, { path }: GmlFile, { rawCodes }: Presentation): Promise<OpenGml | null> {
    return openGml(this.#opener, row, path, { many: false, labels: !rawCodes });
  }
}

/** A presenter whose records say which feature they are of. */
function numbered<R>(
  presentation: Presentation,
  record: (parts: FeatureParts) => ReturnType<RecordMaker<R>>,
) {
  return new FeaturePresenter<{ entry: FeatureEntry; record: R }>(presentation, {
    *record(parts) {
      return { entry: parts.entry, record: yield* record(parts) };
    },
  });
}

/** The next features, as many as are read together; at least one. */
function firstOf(entries: readonly FeatureEntry[], from: number, most: number): FeatureEntry[] {
  let to = from;
  let bytes = 0;
  do {
    bytes += entries[to]!.end - entries[to]!.start;
    to++;
  } while (to < entries.length && to - from < most && bytes < LOOKED_AT_TEXT);
  return entries.slice(from, to);
}

async function meetingAll(
  gml: OpenGml,
  entries: readonly FeatureEntry[],
  regions: readonly Region[],
  work: FeatureWork,
): Promise<readonly FeatureEntry[]> {
  if (regions.length === 0) return entries;
  const meeting: FeatureEntry[] = [];
  for (const entry of entries) {
    let meets = true;
    for (const region of regions) {
      work.budget.items(region.parts);
      meets &&= await meetsRegion(gml, entry, region, work);
    }
    if (meets) meeting.push(entry);
    if (work.slices.due()) await work.slices.pause();
  }
  return meeting;
}

function leftOut(path: string, { index }: FeatureEntry, fault: Error): string {
  const why =
    fault instanceof FeatureTooDeep
      ? 'its elements nest too deep'
      : fault instanceof FeatureXmlError
        ? 'it is not well formed'
        : 'it is too large';
  return `${encodeURI(path)} has a feature (${index}) that is left out: ${why}`;
}
