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

const codes = [run(others, 2), run(inBrowser, 1)];
process.exit(Math.max(...codes));

function run(list: readonly string[], concurrency: number): number {
  if (list.length === 0) return 0;
  const flags = ['--import', './scripts/test-seed.ts', '--test', '--test-timeout=900000'];
  const { status } = spawnSync(process.execPath, [...flags, `--test-concurrency=${concurrency}`, ...list], {
    stdio: 'inherit',
  });
  return status ?? 1;
}
