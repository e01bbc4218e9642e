/** Rows of a benchmark as a Markdown table, ready for docs/performance.md. */
import { cpus } from 'node:os';

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
  }
}

/** Three significant digits. */
export function rounded(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 4));
}

/** The value below which the given part of them lies, 0 to 1. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
}
