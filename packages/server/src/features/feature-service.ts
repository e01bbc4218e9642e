/** Operations 11, 12 and 13: attributes by gml:id, gml:ids in a region, and attributes in a region. */
import type { Caller } from '@citymodel/base';
import { parseGmlName } from '@citymodel/citygml';
import type { Archives, CatalogueStore, PackageRow } from '@citymodel/store';
import { ServiceError } from '../base/errors.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { FileFilters } from '../catalogue/search/file-filter.ts';
import { type YearsQuery, yearsOf } from '../catalogue/search/years.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { type FeatureAnswer, idList } from './answer.ts';
import { AttributeFilter } from './attribute-filter.ts';
import { BlockCache } from './block-cache.ts';
import { CodeListCache } from './code-list-cache.ts';
import { FeaturePages } from './feature-pages.ts';
import {
  elementsIn,
  type FeatureQuery,
  optionalTypes,
  type Presentation,
  presentationOf,
  type QueryLimits,
  requiredIds,
  requiredRegion,
  requiredTypes,
  requiredUrl,
  type TypeFilter,
} from './feature-query.ts';
import { type FeatureWork, FeatureWorkshop, type WorkLimits } from './feature-work.ts';
import { findFeatures } from './find-features.ts';
import type { TableRoom } from './formats/feature-table.ts';
import type { FormatName } from './formats/format-facts.ts';
import { JSON_FORMAT } from './formats/json-format.ts';
import {
  closing,
  FEW_IDS,
  type FoundInFile,
  findIds,
  idsOf,
  inFile,
  listIds,
  none,
  recordsOf,
  unique,
  wantedIds,
} from './found-features.ts';
import { GmlFiles } from './gml-files.ts';
import { GmlIndexes } from './gml-indexes.ts';
import { IdDirectory } from './id-directory.ts';
import { IdSet } from './id-set.ts';
import { type GmlOpener, type GmlUse, type OpenGml, openGml } from './open-gml.ts';
import { FeaturePresenter, type KeptRecords } from './present-feature.ts';
import { faultOf, newProgress, noGml, notFound, type QueryProgress } from './query-progress.ts';
import { RecordCache } from './record-cache.ts';
import type { Region } from './region.ts';
import { type BegunSearch, beginSearch, begunAhead } from './search-ahead.ts';
import { FeatureStatistics } from './statistics/feature-statistics.ts';
import type { TableFeature } from './tables/table-features.ts';
import type { TableObjects } from './tables/table-objects.ts';
import { WholeFeatures } from './tables/whole-features.ts';
import { WHOLE_WRITERS } from './tables/whole-writers.ts';
import { wantedFiles } from './wanted-files.ts';

export interface FeatureServiceOptions {
  archives: Archives;
  /** The catalogue as it is now. */
  catalogue: { current(): Snapshot };
  store: Pick<CatalogueStore, 'gmlFiles'>;
  /** Tables of packages; null where none are read. */
  tables: TableObjects | null;
  urls: AssetUrls;
  limits: QueryLimits & WorkLimits;
  /** Bytes of feature indexes that are kept in memory. */
  indexCacheBytes: number;
  /** Bytes of inflated text that are kept in memory. */
  blockCacheBytes: number;
  /** Bytes of records of features, as answers have them, that are kept in memory. */
  recordCacheBytes: number;
  /** Where answers keep features until they know all their columns. */
  tableRoom: TableRoom;
}

/** How to ask for less. */
const ADVICE = 'Ask for a smaller area, fewer ids or types, or one file at a time.';
/** Files of a store that is far away that are opened before their turn; each has its index in memory. */
const FILES_AHEAD = 8;
/** From so many ids on, the index of a file is read as a whole. */
const MANY_IDS = 16;

export class FeatureService {
  readonly #options: FeatureServiceOptions;
  readonly #opener: GmlOpener;
  readonly #files: GmlFiles;
  readonly #workshop: FeatureWorkshop;
  readonly #records: RecordCache;
  readonly #wholes: WholeFeatures | null;
  /** Features page by page. */
  readonly pages: FeaturePages;
  /** Counts and sums of features. */
  readonly statistics: FeatureStatistics;

  constructor(options: FeatureServiceOptions) {
    const { archives, store } = options;
    this.#options = options;
    this.#files = new GmlFiles(store);
    this.#wholes = options.tables === null ? null : new WholeFeatures(options.tables);
    this.#workshop = new FeatureWorkshop(options.limits);
    const { tables } = options;
    this.statistics = new FeatureStatistics({ files: this.#files, tables, workshop: this.#workshop });
    this.#records = new RecordCache(options.recordCacheBytes);
    this.#opener = {
      archives,
      indexes: new GmlIndexes(archives, options.indexCacheBytes),
      blocks: new BlockCache(options.blockCacheBytes),
      codeLists: new CodeListCache(archives),
    };
    const ids = new IdDirectory(archives, this.#opener.indexes, tables);
    this.pages = new FeaturePages(this.#opener, this.#files, ids, this.#workshop);
  }

  /** Where answers keep features until they know all their columns. */
  get tableRoom(): TableRoom {
    return this.#options.tableRoom;
  }

  /** False where this Node.js lacks what the fast way of inflating needs. */
  get inflatesFast(): boolean {
    return this.#opener.blocks.inflater.isFast;
  }

  /**
   * Operation 11: the features of one file that have the given ids, in their order; ids that the file lacks, or whose
   * features do not meet `where`, are left out. Throws ServiceError 400 for parameters, `signal`'s reason when the
   * caller goes away.
   */
  async attributes(query: FeatureQuery, caller: Caller): Promise<FeatureAnswer> {
    const url = requiredUrl(query);
    const ids = requiredIds(query, this.#options.limits);
    const types = optionalTypes(query);
    const presentation = presentationOf(query);
    const { row, path } = this.#locate(url);
    const progress = newProgress(row, true);
    await this.#warnOfFault(row, path, progress);
    const use = {
      many: ids.length >= MANY_IDS,
      few: ids.length <= FEW_IDS,
      id: ids.length === 1 ? ids[0] : undefined,
      labels: !presentation.rawCodes,
    };
    const gml = await this.#openNamed(url, row, path, use);
    const work = this.#workshop.begin(caller, ADVICE);
    const elements = elementsIn(types, parseGmlName(path).type);
    const finds = elements?.size === 0 ? none() : findIds(gml, ids, elements, work);
    // Whole regions would only push out what is asked for by its ids.
    const records = isPlainest(presentation) ? this.#records : null;
    return this.#present(closing(gml, finds), presentation, work, progress, records);
  }

  /**
   * Operation 12: the gml:ids in a region, of one file or of all, each once; or the features themselves in another
   * format than JSON. With `where` those that meet its conditions. Throws like `attributes`.
   */
  async features(query: FeatureQuery & YearsQuery, caller: Caller): Promise<FeatureAnswer> {
    const region = requiredRegion(query, this.#options.limits);
    const { url } = query;
    const types = optionalTypes(query);
    const presentation = presentationOf(query);
    const work = this.#workshop.begin(caller, ADVICE);
    if (url === undefined) {
      const progress = newProgress(null);
      const filters = wantedFiles(types, yearsOf(query), query.cities);
      const whole = await this.#whole(region, { types, filters }, presentation, work, progress);
      if (whole !== null) return whole;
      const finds = this.#findEverywhere(region, { types, filters }, work, progress, {
        mustFind: false,
        labels: needsLabels(presentation),
        readsText: readsFeatures(presentation),
      });
      if (!presentation.format.listsIds) return this.#present(finds, presentation, work, progress);
      return presentation.where === null
        ? idAnswer(idsOf(finds, progress), progress, work)
        : idAnswer(wantedIds(finds, presentation, work, progress), progress, work);
    }
    const { row, path } = this.#locate(url);
    const progress = newProgress(row);
    await this.#warnOfFault(row, path, progress);
    const labels = needsLabels(presentation);
    const gml = await this.#openNamed(url, row, path, { many: region.everything, labels });
    const elements = elementsIn(types, parseGmlName(path).type);
    const matches = elements?.size !== 0;
    if (!presentation.format.listsIds) {
      const finds = matches ? inFile(gml, findFeatures(gml, region, elements, work)) : none();
      return this.#present(closing(gml, finds), presentation, work, progress);
    }
    if (!matches) return idAnswer(closing(gml, none()), progress, work);
    if (region.everything && elements === null && presentation.where === null) {
      return idAnswer(closing(gml, listIds(gml, work, progress)), progress, work);
    }
    const finds = unique(inFile(gml, findFeatures(gml, region, elements, work)), gml.index.duplicates);
    const ids =
      presentation.where === null ? idsOf(finds, progress) : wantedIds(finds, presentation, work, progress);
    return idAnswer(closing(gml, ids), progress, work);
  }

  /**
   * Operation 13: the features in a region in the newest year of each municipality and type, or in
   * those that are asked for, each gml:id once. Its first piece
   * throws ServiceError 404 when there is nothing. Throws like `attributes`.
   */
  async spatialIdAttributes(query: FeatureQuery & YearsQuery, caller: Caller): Promise<FeatureAnswer> {
    const region = requiredRegion(query, this.#options.limits);
    const types = requiredTypes(query);
    const wanted = { types, filters: wantedFiles(types, yearsOf(query), query.cities) };
    const presentation = presentationOf(query);
    const work = this.#workshop.begin(caller, ADVICE);
    const progress = newProgress(null);
    const finds = this.#findEverywhere(region, wanted, work, progress, {
      mustFind: true,
      labels: !presentation.rawCodes,
      readsText: true,
    });
    return this.#present(finds, presentation, work, progress);
  }

  /** The package and the path in it that a URL names; throws ServiceError 400 for what is no hosted GML by its name. */
  #locate(url: string): { row: PackageRow; path: string } {
    const asset = this.#options.urls.parse(url);
    const row = asset === null ? undefined : this.#options.catalogue.current().findAsset(asset);
    if (asset === null || row === undefined || row.archiveKey === '') throw notFound(url);
    if (asset.kind !== 'member' || !/\.gml$/i.test(asset.path)) throw noGml(url);
    return { row, path: asset.path };
  }

  async #openNamed(url: string, row: PackageRow, path: string, use: GmlUse): Promise<OpenGml> {
    const gml = await openGml(this.#opener, row, path, use);
    if (gml !== null) return gml;
    await using archive = await this.#options.archives.open(row);
    throw archive.index.find(path) === undefined ? notFound(url) : noGml(url);
  }

  async #warnOfFault(row: PackageRow, path: string, progress: QueryProgress): Promise<void> {
    // A file that is not well formed is an error of its package; without any, the files need not be looked at.
    if (row.issueCounts.error === 0) return;
    const file = (await this.#files.ofPackage(row)).find((gmlFile) => gmlFile.path === path);
    if (file?.wellFormed === false) progress.warnings.add(faultOf(path));
  }

  /**
   * An answer about everything in whole files out of tables, so that no GML is read and nothing waits; null for one
   * that tables cannot give.
   */
  async #whole(
    region: Region,
    { types, filters }: { types: TypeFilter; filters: FileFilters },
    presentation: Presentation,
    work: FeatureWork,
    progress: QueryProgress,
  ): Promise<FeatureAnswer | null> {
    const { format, fields, flatten, rawCodes, hasVersion2Names, where } = presentation;
    const writer = WHOLE_WRITERS[format.name as FormatName];
    if (this.#wholes === null || writer === undefined) return null;
    if (!region.everything || rawCodes || hasVersion2Names) return null;
    // Other conditions look at more than attributes.
    const conditions = where instanceof AttributeFilter ? where : null;
    if (where !== conditions) return null;
    const files = this.#files.inRegion(this.#options.catalogue.current(), region, filters, work);
    const plan = await this.#wholes.plan(files, types, async (row, type) => {
      const all = await this.#files.ofPackage(row);
      return all.filter((file) => file.type === type).length;
    });
    if (plan === null) return null;
    progress.cost.files = plan.size;
    async function* features(): AsyncGenerator<TableFeature[], void, void> {
      progress.cost.features = 0;
      for await (const batch of plan!.features({ where: conditions, format }, work)) {
        progress.cost.features += batch.length;
        yield batch;
      }
    }
    const pieces = writer({ columns: plan.columns(), most: plan.most, fields, flatten, features });
    return { contentType: format.contentType, pieces, ...progress };
  }

  /**
   * Features of all hosted files in a region, each gml:id once. `mustFind`: nothing at all is a ServiceError 404;
   * `labels`: codes will be looked up; `readsText`: features will be read.
   */
  async *#findEverywhere(
    region: Region,
    { types, filters }: { types: TypeFilter; filters: FileFilters },
    work: FeatureWork,
    progress: QueryProgress,
    { mustFind, labels, readsText }: { mustFind: boolean; labels: boolean; readsText: boolean },
  ): AsyncGenerator<FoundInFile, void, void> {
    const seen = new IdSet();
    let hasFiles = false;
    let hasFeatures = false;
    const snapshot = this.#options.catalogue.current();
    const files = this.#files;
    const opener = this.#opener;
    async function* searches(): AsyncGenerator<() => Promise<BegunSearch | null>> {
      for await (const { row, file, mayMeet } of files.inRegion(snapshot, region, filters, work)) {
        hasFiles = true;
        if (!mayMeet) continue;
        work.budget.items(1);
        if (work.slices.due()) await work.slices.pause();
        yield async () => {
          const gml = await openGml(opener, row, file.path, { many: region.everything, labels });
          if (gml === null) return null;
          const finds = findFeatures(gml, region, elementsIn(types, file.type), work);
          return beginSearch(gml, file, finds, readsText);
        };
      }
    }
    const isFar = this.#options.archives.readCost === 'remote';
    for await (const search of begunAhead(searches(), isFar ? FILES_AHEAD : 0)) {
      if (search === null) continue;
      await using begun = search;
      const { gml, file, batches } = begun;
      progress.cost.files++;
      if (!file.wellFormed) progress.warnings.add(faultOf(file.path));
      for await (const batch of batches) {
        const entries = batch.filter(({ id }) => id === null || seen.add(id));
        if (entries.length === 0) continue;
        hasFeatures = true;
        yield { gml, entries };
      }
    }
    if (!mustFind || hasFeatures) return;
    if (hasFiles) {
      throw new ServiceError(404, 'no features found', {
        reason: 'No feature of the given types lies there.',
      });
    }
    for await (const _ of this.#files.inRegion(snapshot, region, filters.without('types'), work)) {
      throw new ServiceError(404, 'no citygml files for the given types', {
        reason: 'There are CityGML files there, but none of the given types.',
      });
    }
    throw new ServiceError(404, 'not found', { reason: 'No hosted CityGML file lies there.' });
  }

  #present(
    finds: AsyncIterable<FoundInFile>,
    presentation: Presentation,
    work: FeatureWork,
    progress: QueryProgress,
    records: RecordCache | null = null,
  ): FeatureAnswer {
    const { format, fields, flatten } = presentation;
    const writer = format.writer({ fields, flatten, tableRoom: this.#options.tableRoom });
    // Of JSON_FORMAT alone, whose records are bytes.
    const presenter = new FeaturePresenter(presentation, writer, records as KeptRecords<unknown> | null);
    return {
      contentType: format.contentType,
      pieces: writer.pieces(recordsOf(finds, presenter, work, progress), work.slices),
      ...progress,
    };
  }
}

function idAnswer(
  batches: AsyncIterable<readonly string[]>,
  progress: QueryProgress,
  { slices }: FeatureWork,
): FeatureAnswer {
  return {
    contentType: JSON_FORMAT.contentType,
    pieces: idList(batches, slices),
    ...progress,
  };
}

/**
 * Whether an answer of operation 12 has labels of codes: lists of ids have none, but conditions may compare with them.
 */
function needsLabels(presentation: Presentation): boolean {
  return !presentation.rawCodes && readsFeatures(presentation);
}

/** Whether records are as they are where a request asks for nothing about them. */
function isPlainest({ format, fields, where, flatten, hasVersion2Names, rawCodes }: Presentation): boolean {
  const isWhole = fields === null && where === null;
  return format === JSON_FORMAT && isWhole && !flatten && !hasVersion2Names && !rawCodes;
}

function readsFeatures({ format, where }: Presentation): boolean {
  return !format.listsIds || where !== null;
}
