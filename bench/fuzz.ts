/**
 * Gives mutated inputs to the code that reads what callers and packages bring, and fails at the first that it should
 * not have answered so: another exception than those that callers expect, an answer that an independent reader
 * contradicts, a turn of the event loop over 200 ms of processor time, or memory that grows by more than 200 MB.
 *
 *     node bench/fuzz.ts [--seed 1] [--count N | --seconds S] [--kinds gml,zips] [--from N] [--on]
 *
 * `--count` is the number of inputs of each kind, `--seconds` the processor time of which each kind gets the same
 * share, so that what waits for disks, and what comes last on a busy machine, is tried as long as the rest. A fault
 * prints the seed and the number of the input, which give it again, and the file that it was written to. `--on` goes on
 * after a fault, up to 20. The kind `real-conversions` has to be named: it needs ../shared/data.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { ALWAYS, openKinds } from './fuzz/kinds.ts';
import { type Fault, runKind, type Tally } from './fuzz/run.ts';
import { Results } from './support/table.ts';

/** Faults after which `--on` ends, too. */
const MOST_FAULTS = 20;
/** How often progress is told, ms. */
const PROGRESS_MS = 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    seconds: { type: 'string' },
    kinds: { type: 'string', default: ALWAYS.join(',') },
    from: { type: 'string', default: '0' },
    on: { type: 'boolean', default: false },
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
let faults = 0;
let inputs = 0;
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
  const left = { count, processorMs: (seconds * 1_000) / kinds.length };
  const sum = { inputs: 0, accepted: 0, refused: 0, longestMs: 0, processorMs: 0, faults: 0 };
  for (let next = from; !isStopped; ) {
    const tally = await runKind(kind, { seed, from: next, ...left, onProgress, isStopped: () => isStopped });
    for (const key of ['inputs', 'accepted', 'refused', 'processorMs'] as const) sum[key] += tally[key];
    sum.longestMs = Math.max(sum.longestMs, tally.longestMs);
    left.count -= tally.inputs;
    left.processorMs -= tally.processorMs;
    if (tally.fault === null) break;
    await report(tally.fault);
    sum.faults++;
    faults++;
    if (!values.on || faults >= MOST_FAULTS) break;
    next = tally.fault.number + 1;
  }
  await kind.close?.();
  inputs += sum.inputs;
  const { accepted, refused, longestMs, processorMs } = sum;
  table.add(kind.name, sum.inputs, accepted, refused, longestMs, processorMs / 1_000, sum.faults);
}
table.print();
console.log(`${inputs} inputs`);
if (faults > 0) process.exitCode = 1;

async function report(fault: Fault): Promise<void> {
  const file = join(
    await mkdtemp(join(tmpdir(), 'bench-fuzz-')),
    `${fault.kind}-${fault.seed}-${fault.number}`,
  );
  await writeFile(file, fault.input);
  console.error(`${fault.kind}: ${inspect(fault.reason)}`);
  console.error(`  again: --kinds ${fault.kind} --seed ${fault.seed} --from ${fault.number} --count 1`);
  console.error(`  input: ${file}`);
}
