/**
 * A table without geometry: comma-separated values (RFC 4180) in UTF-8. A byte order mark stands first, because Excel
 * takes the file for another encoding without it; GDAL, pandas and R skip it.
 */
import { readDecimal } from '@citymodel/base';
import { altitudeProperties } from '@citymodel/citygml';
import { altitudesOf } from '../find-features.ts';
import { FeatureTable, type TableRow } from './feature-table.ts';
import { type Cell, flattenAttributes } from './flatten-attributes.ts';
import { attributesOfParts, type FeatureFormat, type FeatureWriter } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

const MARK = '\ufeff';
const LINE_END = '\r\n';
/** Characters of an answer that are sent together. */
const PIECE = 64 * 1024;

export const CSV_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.csv,
  writer({ fields, tableRoom }): FeatureWriter<TableRow<null>> {
    const table = new FeatureTable<null>(tableRoom);
    return {
      // biome-ignore lint/correctness/useYield: attributes are one step
      *record(feature) {
        const attributes = {
          ...attributesOfParts(feature, fields),
          ...altitudeProperties(altitudesOf(feature.entry)),
        };
        return table.row(flattenAttributes(attributes), null);
      },
      async *pieces(batches, slices) {
        await using kept = table;
        for await (const rows of batches) await kept.keep(rows);
        let text = csvHead(kept.columns.map(({ name }) => name));
        for await (const rows of kept.rows()) {
          for (const row of rows) {
            text += lineOfRow(row, kept.columns.length);
            if (text.length < PIECE) continue;
            yield Buffer.from(text);
            text = '';
            if (slices.due()) await slices.pause();
          }
        }
        yield Buffer.from(text);
      },
    };
  },
};

/** The line of names, with what stands before it. */
export function csvHead(names: readonly string[]): string {
  return MARK + csvLine(names);
}

/** A line of cells in the order of columns; null for an empty one. */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map((cell) => (cell === null ? '' : cellText(cell))).join(',') + LINE_END;
}

/** The line of a row in a table of so many columns. */
function lineOfRow({ columns, cells }: TableRow<null>, count: number): string {
  const texts = new Array<string>(count).fill('');
  for (let i = 0; i < columns.length; i++) texts[columns[i]!] = cellText(cells[i]!);
  return texts.join(',') + LINE_END;
}

/**
 * Characters with which a spreadsheet begins a formula (OWASP, "CSV Injection"); some take those of full width for the
 * same.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
/** A semicolon divides cells where a comma stands in numbers; so what is behind one may begin a cell. */
const QUOTED = /[",;\t\r\n]|^\s|\s$/;

/**
 * One cell. A text that a spreadsheet would run as a formula gets an apostrophe before it, which a spreadsheet takes
 * for "this is text"; a number in a text (`-9999`) stays as it is.
 */
function cellText(cell: Exclude<Cell, null>): string {
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && readDecimal(cell) === null ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
