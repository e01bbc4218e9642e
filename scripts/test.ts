/** Runs every test with Node's own runner: units beside the code first, then the built program in `test/`. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const wanted = process.argv.slice(2);
const files =
  wanted.length > 0
    ? wanted
    : globSync(['src/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts']).sort();
const run = spawnSync(
  process.execPath,
  ['--import', './scripts/test-seed.ts', '--test', '--test-timeout=300000', '--test-concurrency=2', ...files],
  { stdio: 'inherit' },
);
process.exit(run.status ?? 1);
