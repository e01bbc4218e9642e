/**
 * Makes one GeoParquet 1.1 file of all features of a type, in the order of a Hilbert curve over all of them:
 *
 *   add ─▶ row in a file on the disk, its columns noted ──finish──▶ rows by their keys ─▶ groups of columns ─▶ file
 *
 * Only when the last row has come the columns are known. In memory are one group, and some bytes of each row.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Slices } from '@citymodel/base';
import { boundingBox } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import { type Box, geoMetadata, unionBoxes } from '../formats/geoparquet-geometry.ts';
import { hilbertPlace } from '../formats/hilbert-place.ts';
import { ParquetGroups } from '../formats/parquet-groups.ts';
import { AttributeColumns } from './attribute-columns.ts';
import { type PlacedRow, packRow, unpackRow } from './feature-row.ts';
import { FlatColumns } from './flat-columns.ts';
import { SortedRows } from './sorted-rows.ts';
import { FIXED_COLUMNS, tableSchema } from './table-columns.ts';
import { FACTS_KEY, TABLE_VERSION, type TableFacts } from './table-facts.ts';
import { TableGroup } from './table-group.ts';

/** Rows of a group: readers skip whole groups by the boxes of their rows. */
const GROUP_ROWS = 50_000;
/** Values of a group, which are in memory at once. */
const GROUP_CELLS = 2_500_000;
/** Bytes of a group as rows on the disk. */
const GROUP_BYTES = 32 << 20;

/** A place after all others, for features without one. */
const NOWHERE = 2 ** 33;

export interface TableOrigin {
  /** Name and id of the package. */
  package: string;
  id: string;
  /** Feature-type code. */
  type: string;
  /** Where its features lie, for their order; null where that is not known. */
  bounds: Bounds | null;
}

export class TableMaker implements AsyncDisposable {
  readonly #origin: TableOrigin;
  readonly #rows: SortedRows;
  readonly #columns = new AttributeColumns();
  readonly #flat = new FlatColumns();
  readonly #geometryTypes = new Set<string>();
  readonly #files: string[] = [];
  readonly #counts = { repeated: 0, leftOut: 0, withoutGeometry: 0 };
  #box: Box | null = null;

  private constructor(origin: TableOrigin, rows: SortedRows) {
    this.#origin = origin;
    this.#rows = rows;
  }

  /** `path`: of a file for the rows, which does not exist yet; who makes its directory deletes it. */
  static async create(origin: TableOrigin, path: string): Promise<TableMaker> {
    return new TableMaker(origin, await SortedRows.create(path));
  }

  /** The features added next are of this file of the package. */
  beginFile(path: string): void {
    this.#files.push(path);
  }

  /** Counts a feature that no answer has, or whose geometry none has. */
  count(what: 'leftOut' | 'withoutGeometry'): void {
    this.#counts[what]++;
  }

  /** `isRepeated`: the package has an earlier feature of the same gml:id. */
  async add(placed: PlacedRow, isRepeated: boolean): Promise<void> {
    const { row } = placed;
    this.#columns.see(row.attributes);
    this.#flat.see({
      ...row.attributes,
      ...(row.extent === null ? {} : { _bbox: boundingBox(row.extent) }),
      ...row.drawn,
    });
    if (row.geometryType !== null) this.#geometryTypes.add(row.geometryType);
    if (row.box !== null) this.#box = unionBoxes(this.#box, row.box);
    if (isRepeated) this.#counts.repeated++;
    await this.#rows.add(this.#placeOf(row.box), packRow(this.#files.length - 1, isRepeated, placed));
  }

  /** Writes the table, whose last row has been added, into an open file; gives its facts. */
  async finish(file: FileHandle, slices: Slices): Promise<TableFacts> {
    const columns = this.#columns.columns(FIXED_COLUMNS);
    const groups = new ParquetGroups(tableSchema(columns));
    const cells = columns.length + FIXED_COLUMNS.length;
    const most = Math.min(GROUP_ROWS, Math.max(1, Math.floor(GROUP_CELLS / cells)));
    const write = async (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    };
    for await (const { size, rows } of this.#rows.groups(most, GROUP_BYTES)) {
      const group = new TableGroup(columns, this.#columns, size);
      for await (const { place, row } of rows) {
        const { fileNumber, isRepeated, ...placed } = unpackRow(row);
        group.put(place, placed, this.#files[fileNumber]!, isRepeated);
        if (slices.due()) await slices.pause();
      }
      for await (const bytes of groups.group(group.columns(), slices)) await write(bytes);
    }
    const { bounds: _, ...origin } = this.#origin;
    const facts: TableFacts = {
      version: TABLE_VERSION,
      ...origin,
      features: this.#rows.size,
      ...this.#counts,
      geometryTypes: [...this.#geometryTypes].sort(),
      columns,
      flat: this.#flat.list(),
    };
    await write(
      groups.finish([
        { key: 'geo', value: JSON.stringify(geoMetadata(facts.geometryTypes, this.#box)) },
        { key: FACTS_KEY, value: JSON.stringify(facts) },
      ]),
    );
    return facts;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#rows[Symbol.asyncDispose]();
  }

  #placeOf(box: Box | null): number {
    if (box === null) return NOWHERE;
    const { bounds } = this.#origin;
    if (bounds === null) return 0;
    const { west, south, east, north } = bounds;
    return hilbertPlace(
      share((box.xmin + box.xmax) / 2, west, east),
      share((box.ymin + box.ymax) / 2, south, north),
    );
  }
}

function share(value: number, from: number, to: number): number {
  return to > from ? (value - from) / (to - from) : 0;
}
