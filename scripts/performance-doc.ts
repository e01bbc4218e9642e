/**
 * Writes the tables of docs/performance.md, one for each release and area, from the figures in `bench/results.tsv`;
 * with `--check` only compares. A bench appends to that file with `--record bench/results.tsv`. Throws for a line that
 * is not complete.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { COLUMNS, type Figure } from '../bench/support/record.ts';

const FILE = 'docs/performance.md';
const RESULTS = 'bench/results.tsv';
const BEGIN = '<!-- Tables by scripts/performance-doc.ts from bench/results.tsv; do not edit. -->';
const END = '<!-- End of the tables. -->';
/** Names of the areas, in the order of the document; a bench is the area of its file name, others go by hand. */
const AREAS: Readonly<Record<string, string>> = {
  ingest: 'Ingestion',
  convert: 'Conversion',
  catalogue: 'Catalogue, and files by condition',
  features: 'Features',
  doors: 'Open doors',
  statistics: 'Statistics of the country',
  packs: 'Packs',
  'object-stores': 'Stores',
  'worst-requests': 'The worst requests',
  attacks: 'Attacks',
  inspect: 'Inspections',
  faults: 'Faults',
  fuzz: 'Mutated inputs',
  'convert-fuzz': 'Mutated conversions',
};

const tables = Map.groupBy(readFigures(), ({ release }) => release);
const text = [...tables]
  .flatMap(([release, figures]) => [`## ${release}`, ...tablesOf(figures)])
  .join('\n\n');
const before = readFileSync(FILE, 'utf8');
const [start, end] = [before.indexOf(BEGIN), before.indexOf(END)];
if (start === -1 || end === -1) throw new Error(`${FILE} has no place for the tables: ${BEGIN} … ${END}`);
const page = `${before.slice(0, start)}${BEGIN}\n\n${text}\n\n${before.slice(end)}`;
if (!process.argv.includes('--check')) writeFileSync(FILE, page);
else if (page !== before) {
  console.error(`${FILE} is not what ${RESULTS} says; run: node scripts/performance-doc.ts`);
  process.exit(1);
}

function readFigures(): Figure[] {
  const [head, ...lines] = readFileSync(RESULTS, 'utf8').replace(/\n$/, '').split('\n');
  if (head !== COLUMNS.join('\t'))
    throw new Error(`${RESULTS} begins with other columns than ${COLUMNS.join(', ')}`);
  return lines.map((line, i) => {
    const cells = line.split('\t');
    const figure = Object.fromEntries(COLUMNS.map((name, n) => [name, cells[n] ?? ''])) as Figure;
    const isDated = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?$/.test(figure.date);
    const isComplete = figure.release !== '' && figure.what !== '' && figure.figures !== '';
    if (cells.length !== COLUMNS.length || !isDated || !isComplete || AREAS[figure.area] === undefined) {
      throw new Error(`${RESULTS}:${i + 2} is no figure of a known area with its date: ${line}`);
    }
    return figure;
  });
}

function tablesOf(figures: readonly Figure[]): string[] {
  const byArea = Map.groupBy(figures, ({ area }) => area);
  return Object.entries(AREAS).flatMap(([area, title]) => {
    const rows = byArea.get(area);
    if (rows === undefined) return [];
    const lines = rows.map(({ what, figures: values, beside, date, commit, machine }) => {
      const measured = [date, commit, machine].filter((part) => part !== '').join(', ');
      return `| ${[what, values, beside, measured].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
    return [
      `### ${title}`,
      ['| what | figures | beside | measured |', '|---|---|---|---|', ...lines].join('\n'),
    ];
  });
}
