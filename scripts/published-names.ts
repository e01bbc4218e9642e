/**
 * Prints every package, layer and column of published tiles beside those that are made of the same CityGML, as a table
 * in Markdown.
 *
 *   node scripts/published-names.ts [--different] [DIRECTORY…]
 *
 * A directory has a CityGML zip and, in `published`, the zips of tiles that were published of it; without one, all of
 * `../shared/data/conversion`. Numbers are rows with a value. "Equal" counts published values that ours have, too, of
 * features whose gml:id both have. `--different` leaves out what is as published. Exits with 1 when something differs
 * that docs/converting.md does not list.
 */
import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DATA } from '../packages/citygml/src/testing/published.ts';
import {
  type ComparedColumn,
  comparePublished,
  isAsPublished,
} from '../packages/tiles/src/convert/testing/compare-published.ts';
import { documentedDifferences } from '../packages/tiles/src/convert/testing/documented-differences.ts';

const { values: options, positionals } = parseArgs({
  options: { different: { type: 'boolean', default: false } },
  allowPositionals: true,
});
// What upstream made of CityGML 3.0 is not what is published.
const directories =
  positionals.length > 0
    ? positionals
    : globSync(`${DATA}conversion/*/`).filter((path) => !path.includes('/v3-'));
const known = documentedDifferences();
let [packages, columns, values, unlisted] = [new Set<string>(), 0, 0, 0];

console.log('| Package | Layer | Column | Published | Ours | Equal | |\n|---|---|---|---|---|---|---|');
for (const directory of directories.sort()) {
  for (const zip of globSync('*.zip', { cwd: directory }).sort()) {
    const compared = await comparePublished(`${directory.replace(/\/$/, '')}/${zip}`);
    for (const { package: name, layer } of compared.missing) {
      unlisted++;
      console.log(
        `| ${name} | ${layer ?? ''} | | | | | ${layer === null ? 'no such package' : 'no such layer'} |`,
      );
    }
    for (const column of compared.columns) {
      packages.add(`${zip} ${column.package}`);
      columns++;
      values += column.published;
      if (!isAsPublished(column) && !known.has(column.name)) unlisted++;
      if (!options.different || !isAsPublished(column)) printRow(column);
    }
  }
}
console.log(
  `\n${packages.size} packages, ${columns} columns, ${values} published values; ${unlisted} differ and are not ` +
    `documented.`,
);
if (unlisted > 0) process.exitCode = 1;

function printRow(column: ComparedColumn): void {
  const { package: name, layer, published, ours, equal, different, unmatched } = column;
  const cells = [name, layer, column.name, published, ours, equal, note(column, different, unmatched)];
  console.log(`| ${cells.join(' | ')} |`);
}

function note(column: ComparedColumn, different: ComparedColumn['different'], unmatched: number): string {
  if (column.published === 0) return 'ours alone';
  if (column.ours === 0) return 'not in ours';
  if (different !== null) return `${different.id}: ${different.published}, ours ${different.ours}`;
  return unmatched > 0 ? 'names only' : '';
}
