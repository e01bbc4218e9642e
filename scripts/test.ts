/**
 * Runs every test with Node's own runner: units beside the code first, then the built program in `test/`. What draws 3D in a
 * browser comes last and alone: without a graphics card it takes both cores.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const wanted = process.argv.slice(2);
const files =
  wanted.length > 0
    ? wanted
    : globSync(['src/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts']).sort();
const inBrowser = files.filter((file) => /test[\\/](.*browser|portal-real)\.test\.ts$/.test(file));
const others = files.filter((file) => !inBrowser.includes(file));

const units = others.filter((file) => !/^test[\\/]/.test(file));
const outside = others.filter((file) => !units.includes(file));

const codes = [run(units, 2, 120), run(outside, 2, 600), run(inBrowser, 1, 600)];
process.exit(Math.max(...codes));

/** `limit`: seconds after which a test that does not end has failed. */
function run(list: readonly string[], concurrency: number, limit: number): number {
  if (list.length === 0) return 0;
  const flags = ['--import', './scripts/test-seed.ts', '--test', `--test-timeout=${limit * 1000}`];
  const { status } = spawnSync(process.execPath, [...flags, `--test-concurrency=${concurrency}`, ...list], {
    stdio: 'inherit',
  });
  return status ?? 1;
}
