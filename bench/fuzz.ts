/**
 * Gives mutated inputs to the code that reads what callers and packages bring, and fails at the first that it should
 * not have answered so: another exception than those that callers expect, an answer that an independent reader
 * contradicts, a turn of the event loop over 200 ms of processor time, or memory that grows by more than 200 MB.
 *
 *     node bench/fuzz.ts [--seed 1] [--count N | --seconds S] [--kinds gml,zips] [--from N]
 *
 * `--count` is the number of inputs of each kind, `--seconds` the processor time of which each kind gets the same
 * share, so that what waits for disks, and what comes last on a busy machine, is tried as long as the rest. A fault
 * prints the seed and the number of the input, which give it again, and the file that it was written to.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { KINDS, openKinds } from './fuzz/kinds.ts';
import { runKind, type Tally } from './fuzz/run.ts';
import { Results } from './support/table.ts';

/** How often progress is told, ms. */
const PROGRESS_MS = 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    seconds: { type: 'string' },
    kinds: { type: 'string', default: Object.keys(KINDS).join(',') },
    from: { type: 'string', default: '0' },
  },
});
const seed = Number(values.seed);
const from = Number(values.from);
const count = values.count === undefined ? Number.POSITIVE_INFINITY : Number(values.count);
const seconds =
  values.seconds === undefined && values.count === undefined ? 60 : Number(values.seconds ?? 1e9);
if (![seed, from, seconds].every(Number.isFinite) || Number.isNaN(count))
  throw new RangeError('not a number');

const names = values.kinds.split(',');
const kinds = await openKinds(names);
const table = new Results(`Mutated inputs, seed ${seed}`, [
  'kind',
  'inputs',
  'accepted',
  'refused',
  'longest turn ms',
  'processor s',
  'faults',
]);
const tallies: Tally[] = [];
let isStopped = false;
process.once('SIGINT', () => {
  isStopped = true;
});
let shownAt = performance.now();
const onProgress = ({ kind, inputs }: Tally) => {
  if (performance.now() - shownAt < PROGRESS_MS) return;
  shownAt = performance.now();
  console.error(`  ${kind}: ${inputs} so far`);
};
for (const kind of kinds) {
  if (isStopped) break;
  const processorMs = (seconds * 1_000) / kinds.length;
  const limits = { seed, from, count, processorMs };
  const tally = await runKind(kind, { ...limits, onProgress, isStopped: () => isStopped });
  await kind.close?.();
  tallies.push(tally);
  console.error(`  ${kind.name}: ${tally.inputs}`);
  if (tally.fault !== null) await report(tally.fault);
}
for (const { kind, inputs, accepted, refused, longestMs, processorMs, fault } of tallies) {
  table.add(kind, inputs, accepted, refused, longestMs, processorMs / 1_000, fault === null ? 0 : 1);
}
table.print();
console.log(`${tallies.reduce((sum, { inputs }) => sum + inputs, 0)} inputs`);
if (tallies.some(({ fault }) => fault !== null)) process.exitCode = 1;

async function report(fault: NonNullable<Tally['fault']>): Promise<void> {
  const file = join(
    await mkdtemp(join(tmpdir(), 'bench-fuzz-')),
    `${fault.kind}-${fault.seed}-${fault.number}`,
  );
  await writeFile(file, fault.input);
  console.error(`${fault.kind}: ${inspect(fault.reason)}`);
  console.error(`  again: --kinds ${fault.kind} --seed ${fault.seed} --from ${fault.number} --count 1`);
  console.error(`  input: ${file}`);
}
