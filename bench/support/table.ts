/** Rows of a benchmark as a Markdown table; with `--record FILE` they are kept for docs/performance.md. */
import { cpus } from 'node:os';
import { record } from './record.ts';

export class Results {
  readonly #title: string;
  readonly #columns: readonly string[];
  readonly #rows: string[][] = [];

  constructor(title: string, columns: readonly string[]) {
    this.#title = title;
    this.#columns = columns;
  }

  add(...cells: Array<string | number>): void {
    const row = cells.map((cell) => (typeof cell === 'number' ? rounded(cell) : cell));
    this.#rows.push(row);
    console.error(`  ${row.join('  ')}`);
  }

  print(): void {
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    console.log(`\n### ${this.#title}\n`);
    console.log(
      `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${cpus().length} cores\n`,
    );
    console.log(line(this.#columns));
    console.log(line(this.#columns.map(() => '---')));
    for (const row of this.#rows) console.log(line(row));
    for (const row of this.#rows) recordRow(this.#title, this.#columns, row);
  }
}

/** Records a row of a table: its texts say what was measured, and each number has the title of its column. */
export function recordRow(title: string, columns: readonly string[], row: readonly string[]): void {
  const isFigure = (cell: string, i: number) => i > 0 && /^[\d.,]+/.test(cell);
  const labels = row.filter((cell, i) => cell !== '' && !isFigure(cell, i));
  const figures = row.flatMap((cell, i) => (isFigure(cell, i) ? [`${columns[i]} ${cell}`] : []));
  record([title, ...labels].join(': '), figures.join('; '));
}

/** Three significant digits. */
function rounded(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}

/** The value below which the given part of them lies, 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
}
