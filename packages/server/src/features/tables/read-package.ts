/** Reads all features of one type of a package into a table. */
import type { Archives, PackageRow } from '@citymodel/store';
import { BlockCache } from '../block-cache.ts';
import { CodeListCache } from '../code-list-cache.ts';
import type { Presentation } from '../feature-query.ts';
import { type FeatureWork, FeatureWorkshop } from '../feature-work.ts';
import { findFeatures } from '../find-features.ts';
import { GEOJSON_FORMAT } from '../formats/geojson-format.ts';
import { GmlIndexes } from '../gml-indexes.ts';
import { IdSet } from '../id-set.ts';
import { type GmlOpener, openGml } from '../open-gml.ts';
import { FeaturePresenter } from '../present-feature.ts';
import { presentFeatures } from '../present-features.ts';
import { Region } from '../region.ts';
import { type PlacedRow, rowOfFeature } from './feature-row.ts';
import type { TableMaker } from './table-maker.ts';

/** Memory for inflated text; each block of a file is read once. */
const BLOCK_BYTES = 8e6;
/** Ids that a table notices as repeated. */
const MAX_IDS = 2 ** 23;
/** Memory for feature indexes, bytes; a larger one is read by ranges. */
const INDEX_BYTES = 32e6;

const EVERYTHING = new Region({ ids: null, box: null, polygons: null });

/** What answers are about, read once. */
const PRESENTATION: Presentation = {
  format: GEOJSON_FORMAT,
  rawCodes: false,
  fields: null,
  flatten: false,
  hasVersion2Names: false,
  where: null,
};

export interface PackageReaderOptions {
  archives: Archives;
  /** Text of a feature up to which its geometry is read, bytes; as for answers. */
  maxGeometryBytes: number;
}

/** The features of packages, as answers have them, for one caller at a time. */
export class PackageReader {
  readonly #opener: GmlOpener;
  readonly #workshop: FeatureWorkshop;

  constructor({ archives, maxGeometryBytes }: PackageReaderOptions) {
    this.#opener = {
      archives,
      indexes: new GmlIndexes(archives, INDEX_BYTES),
      blocks: new BlockCache(BLOCK_BYTES),
      codeLists: new CodeListCache(archives),
    };
    this.#workshop = new FeatureWorkshop({ maxGeometryBytes, maxItems: Infinity, maxReadBytes: Infinity });
  }

  /** A piece of work that ends with its signal. */
  begin(signal: AbortSignal): FeatureWork {
    return this.#workshop.begin(signal, '');
  }

  /**
   * Adds the features of the files, which are of one type, in their order. Throws MemberDamaged, what the stores throw,
   * and the signal's reason. `onFile` is told of each file that is done.
   */
  async readInto(
    table: TableMaker,
    row: PackageRow,
    paths: readonly string[],
    work: FeatureWork,
    onFile: (path: string) => void,
  ): Promise<void> {
    const ids = new IdSet(MAX_IDS);
    const presenter = new FeaturePresenter<PlacedRow>(PRESENTATION, { record: rowOfFeature });
    for (const path of paths) {
      await using gml = await openGml(this.#opener, row, path, { many: true, labels: true });
      if (gml === null) throw new Error(`The package has no GML file ${path} any more.`);
      table.beginFile(path);
      for await (const entries of findFeatures(gml, EVERYTHING, null, work)) {
        for (const entry of entries) if (presenter.lacksGeometry(entry, work)) table.count('withoutGeometry');
        const onFault = () => table.count('leftOut');
        for await (const rows of presentFeatures(gml, entries, presenter, work, onFault)) {
          for (const placed of rows) {
            const id = placed.row.attributes['gml:id'];
            await table.add(placed, typeof id === 'string' && !ids.add(id));
          }
        }
      }
      onFile(path);
    }
  }
}
