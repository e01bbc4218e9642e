/** Features of whole packages out of their tables, where these hold all that an answer needs. */
import type { PackageRow, PackageTable } from '@citymodel/store';
import type { AttributeFilter } from '../attribute-filter.ts';
import { elementsIn, type Presentation, type TypeFilter } from '../feature-query.ts';
import type { FeatureWork } from '../feature-work.ts';
import type { GmlFile } from '../gml-files.ts';
import { IdSet } from '../id-set.ts';
import type { FlatColumn } from './table-facts.ts';
import { TABLE_VERSION } from './table-facts.ts';
import { type TableFeature, tableFeatures } from './table-features.ts';
import type { TableObjects } from './table-objects.ts';
import type { TableFoot } from './table-reader.ts';

/** A table that an answer takes features of. */
interface Part {
  table: PackageTable;
  foot: TableFoot;
  /** Files whose features are wanted; null for all of them. */
  paths: ReadonlySet<string> | null;
  elements: ReadonlySet<string> | null;
}

export class WholeFeatures {
  readonly #tables: TableObjects;

  constructor(tables: TableObjects) {
    this.#tables = tables;
  }

  /**
   * What an answer about these files, all of their features, is made of; null where a table is missing, or lacks
   * something that the files have: there the files are read.
   */
  async plan(
    files: AsyncIterable<{ row: PackageRow; file: GmlFile }>,
    types: TypeFilter,
    count: (row: PackageRow, type: string) => Promise<number>,
  ): Promise<WholePlan | null> {
    const groups = new Map<string, { row: PackageRow; type: string; paths: Set<string> }>();
    for await (const { row, file } of files) {
      if (!file.wellFormed) return null;
      const key = `${row.no} ${file.type}`;
      const group = groups.get(key) ?? { row, type: file.type, paths: new Set() };
      groups.set(key, group);
      group.paths.add(file.path);
    }
    if (groups.size === 0) return null;
    const parts: Part[] = [];
    for (const { row, type, paths } of groups.values()) {
      const table = row.tables?.find((one) => one.type === type && one.version === TABLE_VERSION);
      if (table === undefined) return null;
      const elements = elementsIn(types, type);
      if (elements?.size === 0) continue;
      const foot = await this.#tables.foot(table);
      const { leftOut, withoutGeometry, flat } = foot.facts;
      if (leftOut > 0 || withoutGeometry > 0 || flat === null) return null;
      parts.push({ table, foot, paths: paths.size === (await count(row, type)) ? null : paths, elements });
    }
    return new WholePlan(parts, this.#tables);
  }
}

export class WholePlan {
  readonly #parts: readonly Part[];
  readonly #tables: TableObjects;

  constructor(parts: readonly Part[], tables: TableObjects) {
    this.#parts = parts;
    this.#tables = tables;
  }

  /** Tables that are read. */
  get size(): number {
    return this.#parts.length;
  }

  /** Features that the tables have. */
  get most(): number {
    return this.#parts.reduce((sum, { foot }) => sum + foot.facts.features, 0);
  }

  /** All columns of flat answers, in the order of the tables. */
  columns(): FlatColumn[] {
    const columns = new Map<string, FlatColumn>();
    for (const { foot } of this.#parts) {
      for (const column of foot.facts.flat!) {
        const known = columns.get(column.name);
        const type = known === undefined || known.type === column.type ? column.type : 'string';
        columns.set(column.name, { ...(known ?? column), type });
      }
    }
    return [...columns.values()];
  }

  /** The features that are wanted, each gml:id once. Charges each that is looked at. */
  async *features(
    { where, format }: { where: AttributeFilter | null; format: Presentation['format'] },
    { budget, slices }: FeatureWork,
  ): AsyncGenerator<TableFeature[], void, void> {
    const seen = new IdSet();
    for (const { table, foot, paths, elements } of this.#parts) {
      await using source = await this.#tables.open(table);
      const options = { hasGeometry: format.needsGeometry };
      for await (const batch of tableFeatures(source, foot, options, slices)) {
        budget.items(batch.length);
        const wanted = batch.filter(({ attributes, isRepeated, path }) => {
          if (isRepeated || (paths !== null && !paths.has(path))) return false;
          if (elements !== null && !elements.has(String(attributes._type))) return false;
          if (where !== null && !where.accepts(attributes)) return false;
          const id = attributes['gml:id'];
          return typeof id !== 'string' || seen.add(id);
        });
        if (wanted.length > 0) yield wanted;
      }
    }
  }
}
