/** A short run of `bench/fuzz.ts` over every kind of input and of real packages, always the same inputs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { FuzzKind, Verdict } from '../bench/fuzz/kind.ts';
import { ALWAYS, KINDS, openKinds } from '../bench/fuzz/kinds.ts';
import { runKind } from '../bench/fuzz/run.ts';
import { ROUNDS } from '../packages/base/src/testing/rounds.ts';
import { DATA } from '../packages/citygml/src/testing/published.ts';

/** Inputs of a kind: about a second of each, and as often again as TEST_ROUNDS says. */
const COUNTS: Readonly<Record<string, number>> = {
  parameters: 20_000,
  'code-lists': 1_500,
  gml: 200,
  tilesets: 200,
  'vector-tiles': 200,
  pmtiles: 500,
  'member-indexes': 2_000,
  'feature-indexes': 1_000,
  graphql: 250,
  zips: 20,
  requests: 100,
  conversions: 60,
  'real-conversions': 25,
};

describe('mutated inputs', () => {
  for (const name of Object.keys(KINDS)) {
    const skip = ALWAYS.includes(name) || existsSync(DATA) ? false : 'needs ../shared/data';
    it(name, { skip }, async () => {
      const [kind] = await openKinds([name]);
      const count = COUNTS[name] ?? assert.fail(`no count for ${name}`);
      await assertHeld(kind!, count * ROUNDS);
    });
  }
});

describe('kinds of mutated inputs', () => {
  /** Works for some milliseconds, or waits for as long. */
  const kindThat = (name: string, run: () => Promise<void>): FuzzKind => ({
    name,
    batch: 1,
    run: async (): Promise<Verdict> => {
      await run();
      return 'refused';
    },
  });
  const works = kindThat('works', async () => {
    const end = process.cpuUsage().user + 4_000;
    while (process.cpuUsage().user < end);
  });

  it('get the same processor time, so that one that waits is tried as often as its work allows', async () => {
    const waits = kindThat('waits', () => new Promise((resolve) => setTimeout(resolve, 4)));
    const limits = { seed: 1, from: 0, count: Number.POSITIVE_INFINITY, processorMs: 80 };
    const [busy, idle] = [await runKind(works, limits), await runKind(waits, limits)];
    for (const { processorMs, fault } of [busy, idle]) {
      assert.equal(fault, null);
      // The batch at the end passes the bound.
      assert.ok(processorMs >= 60, `${processorMs} ms`);
    }
    assert.ok(busy.inputs <= 20, `${busy.inputs} inputs of 4 ms in 80`);
  });

  it('end after the inputs that were asked for, with the number that gives each again', async () => {
    const limits = { seed: 1, from: 30, count: 3, processorMs: Number.POSITIVE_INFINITY };
    assert.equal((await runKind(works, limits)).inputs, 3);
    const faulty: FuzzKind = { ...works, run: () => assert.fail('not so') };
    const { fault } = await runKind(faulty, limits);
    assert.deepEqual([fault?.number, fault?.seed, fault?.kind], [30, 1, 'works']);
  });
});

async function assertHeld(kind: FuzzKind, count: number): Promise<void> {
  const run = { seed: 1, from: 0, count, processorMs: Number.POSITIVE_INFINITY };
  try {
    const { fault } = await runKind(kind, run);
    if (fault !== null)
      assert.fail(
        `--kinds ${kind.name} --seed ${fault.seed} --from ${fault.number}: ${inspect(fault.reason)}`,
      );
  } finally {
    await kind.close?.();
  }
}
