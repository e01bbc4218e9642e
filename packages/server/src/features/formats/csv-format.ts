/**
 * A table without geometry: comma-separated values (RFC 4180) in UTF-8. A byte order mark stands first, because Excel
 * takes the file for another encoding without it; GDAL, pandas and R skip it.
 */
import { readDecimal } from '@citymodel/base';
import { altitudeProperties } from '@citymodel/citygml';
import { altitudesOf } from '../find-features.ts';
import { FeatureTable } from './feature-table.ts';
import { type Cell, flattenAttributes } from './flatten-attributes.ts';
import { attributesOfParts, type FeatureFormat } from './format.ts';
import { FORMAT_FACTS } from './format-facts.ts';

const MARK = '\ufeff';
const LINE_END = '\r\n';
/** Characters of an answer that are sent together. */
const PIECE = 64 * 1024;

export const CSV_FORMAT: FeatureFormat = {
  ...FORMAT_FACTS.csv,
  needsGeometry: false,
  listsIds: false,
  flatten: 'always',
  writer({ fields, tableRoom }) {
    const table = new FeatureTable(tableRoom);
    return {
      record(feature) {
        const attributes = {
          ...attributesOfParts(feature, fields),
          ...altitudeProperties(altitudesOf(feature.entry)),
        };
        return table.record(flattenAttributes(attributes), null);
      },
      async batch(records) {
        await table.keep(records);
        return new Uint8Array();
      },
      async *end() {
        let text = MARK + lineOf(table.columns.map(({ name }) => name));
        for await (const rows of table.rows()) {
          for (const { cells } of rows) {
            text += lineOf(cells);
            if (text.length < PIECE) continue;
            yield Buffer.from(text);
            text = '';
          }
        }
        yield Buffer.from(text);
      },
      close: () => table.close(),
    };
  },
};

function lineOf(cells: readonly Cell[]): string {
  return cells.map(cellText).join(',') + LINE_END;
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
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) && readDecimal(cell) === null ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
