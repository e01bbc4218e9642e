/**
 * Gives mutated CityGML files, of real packages and of the invented city, to the makers of tiles, and fails at the
 * first that ends them, whose tiles the validators refuse, that takes more than 4 s of processor time and 20 ms a
 * kilobyte, or that leaves memory behind.
 *
 *     node bench/convert-fuzz.ts [--seed 1] [--count N | --seconds S] \
 *       [--kinds real-conversions,conversions] [--from N] [--on]
 *
 * `--count` is the number of inputs of each kind, `--seconds` the processor time that they share. A fault prints the
 * seed and the number of the input, which give it again, and the file that it was written to. `--on` goes on after a
 * fault, up to 20.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { openConversions, openRealConversions } from './fuzz/conversions.ts';
import { type Fault, runKind } from './fuzz/run.ts';
import { Results } from './support/table.ts';

const KINDS = { 'real-conversions': openRealConversions, conversions: openConversions };
/** Faults after which `--on` ends, too. */
const MOST_FAULTS = 20;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    seconds: { type: 'string' },
    kinds: { type: 'string', default: Object.keys(KINDS).join(',') },
    from: { type: 'string', default: '0' },
    on: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const names = values.kinds.split(',');
const count = Number(values.count ?? Number.POSITIVE_INFINITY);
const seconds = Number(values.seconds ?? (values.count === undefined ? 60 : 1e9));
if (![seed, seconds, Number(values.from)].every(Number.isFinite) || Number.isNaN(count))
  throw new RangeError('not a number');

const faults = await mkdtemp(join(tmpdir(), 'bench-convert-fuzz-'));
const table = new Results(`Mutated conversions, seed ${seed}`, [
  'kind',
  'inputs',
  'without issues',
  'with issues',
  'longest turn ms',
  'faults',
]);
let found = 0;
for (const name of names) {
  const open = Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : null;
  if (open === null) throw new RangeError(`no kind ${name}; known are ${Object.keys(KINDS).join(', ')}`);
  const kind = await open();
  const processorMs = (seconds * 1_000) / names.length;
  const sum = { inputs: 0, accepted: 0, refused: 0, longestMs: 0, processorMs: 0, faults: 0 };
  for (let from = Number(values.from); ; ) {
    const tally = await runKind(kind, {
      ...{ seed, from, count: count - sum.inputs, processorMs: processorMs - sum.processorMs },
      onProgress: ({ inputs }) => {
        if (inputs % 1_000 === 0) console.error(`  ${name}: ${sum.inputs + inputs}`);
      },
    });
    sum.inputs += tally.inputs;
    sum.accepted += tally.accepted;
    sum.refused += tally.refused;
    sum.processorMs += tally.processorMs;
    sum.longestMs = Math.max(sum.longestMs, tally.longestMs);
    if (tally.fault === null) break;
    sum.faults++;
    await report(tally.fault);
    from = tally.fault.number + 1;
    if (!values.on || ++found >= MOST_FAULTS) break;
  }
  if (sum.faults > 0) process.exitCode = 1;
  table.add(name, sum.inputs, sum.accepted, sum.refused, sum.longestMs, sum.faults);
}
table.print();

async function report({ kind, seed: from, number, reason, input }: Fault): Promise<void> {
  const file = join(faults, `${kind}-${from}-${number}.gml`);
  await writeFile(file, input);
  console.error(`${kind}: ${inspect(reason)}`);
  console.error(`  again: --kinds ${kind} --seed ${from} --from ${number} --count 1`);
  console.error(`  input: ${file}`);
}
