/**
 * Keeps figures of a bench that was run with `--record FILE`: a line for each row of its tables is appended to the
 * file, from which `scripts/performance-doc.ts` makes the tables of docs/performance.md. Importing this takes the
 * option off the command line, so that no bench has to know it.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';

/** Columns of the file, separated by tabs. */
export const COLUMNS = ['release', 'area', 'date', 'commit', 'machine', 'what', 'figures', 'beside'] as const;
export type Figure = Record<(typeof COLUMNS)[number], string>;

const ROOT = join(import.meta.dirname, '../..');
const file = optionOf('--record');
const area = basename(process.argv[1] ?? '', '.ts');
/** Before the bench makes a load of its own. */
const machine = `${cpus().length} cores, load ${loadavg()[0]!.toFixed(0)}`;

/**
 * Records a row: what was measured, its figures with their units (`p50 ms 0.69; CPU ms 0.73`), and in `beside` an
 * alternative of the same run or the aim. Does nothing unless the bench was run with `--record`.
 */
export function record(what: string, figures: string, beside = ''): void {
  if (file === null) return;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const commit =
    git('rev-parse', '--short=8', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' and changes');
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const cells = [version, area, date, commit, machine, what, figures, beside];
  if (!existsSync(file)) appendFileSync(file, `${COLUMNS.join('\t')}\n`);
  appendFileSync(file, `${cells.map((cell) => cell.replaceAll(/\s+/g, ' ')).join('\t')}\n`);
}

function optionOf(name: string): string | null {
  const at = process.argv.indexOf(name);
  if (at === -1) return null;
  const [, value] = process.argv.splice(at, 2);
  if (value === undefined) throw new Error(`${name} needs a file, such as bench/results.tsv.`);
  return value;
}
