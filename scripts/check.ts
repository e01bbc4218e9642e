/**
 * Runs the checks that need no build, as many at once as there are processors, and prints what each failed one says.
 * Exits with 1 when any failed.
 *
 *     node scripts/check.ts
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

/** Commands with their arguments, the longest first. */
const CHECKS: string[][] = [
  ['node', 'scripts/check-patterns.ts'],
  ['tsc', '--noEmit', '--singleThreaded'],
  ['tsc', '--noEmit', '--singleThreaded', '-p', 'packages/portal'],
  ...[
    'openapi',
    'portal-types',
    'graphql-schema',
    'settings-doc',
    'performance-doc',
    'inspect-doc',
    'issue-words',
    'dump-schema',
    'make-property-table',
  ].map((name) => ['node', `scripts/${name}.ts`, '--check']),
  ['node', 'scripts/tables-doc.ts', '--check'],
  ['node', 'scripts/try-packages.ts'],
  ['node', 'scripts/check-layers.ts'],
  ['node', 'scripts/check-packages.ts'],
  ['node', 'scripts/check-links.ts'],
  ['node', 'scripts/check-english.ts'],
  ['node', 'scripts/check-translations.ts'],
  ['node', 'scripts/check-style.ts'],
  ['biome', 'ci', '.'],
  ['node', 'scripts/mutate.ts', '--fixed'],
];

/** The compiler has memory enough: it need not look for what it could free. */
const env = { ...process.env, GOGC: 'off' };

const waiting = [...CHECKS];
await Promise.all(Array.from({ length: availableParallelism() }, runNext));

async function runNext(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const start = performance.now();
    const child = spawn(check[0]!, check.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'passed' : 'FAILED'} ${check.join(' ')} (${seconds} s)`);
    if (code === 0) continue;
    console.log(output + errors);
    process.exitCode = 1;
  }
}
