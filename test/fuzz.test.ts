/** A short run of `bench/fuzz.ts` over every kind of input and of real packages, always the same inputs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { openRealConversions } from '../bench/fuzz/conversions.ts';
import type { FuzzKind } from '../bench/fuzz/kind.ts';
import { KINDS, openKinds } from '../bench/fuzz/kinds.ts';
import { runKind } from '../bench/fuzz/run.ts';
import { DATA } from '../packages/citygml/src/testing/published.ts';

/** Inputs of a kind: about two seconds of each. */
const COUNTS: Readonly<Record<string, number>> = {
  parameters: 40_000,
  'code-lists': 3_000,
  gml: 400,
  tilesets: 400,
  'vector-tiles': 400,
  pmtiles: 1_000,
  'member-indexes': 4_000,
  'feature-indexes': 2_000,
  graphql: 500,
  zips: 40,
  requests: 200,
  conversions: 120,
};

/** Conversions of mutated files of real packages. */
const REAL_CONVERSIONS = 100;

describe('mutated inputs', () => {
  for (const name of Object.keys(KINDS)) {
    it(name, async () => {
      const [kind] = await openKinds([name]);
      await assertHeld(kind!, COUNTS[name] ?? assert.fail(`no count for ${name}`));
    });
  }

  it('real-conversions', { skip: existsSync(DATA) ? false : 'needs ../shared/data' }, async () => {
    await assertHeld(await openRealConversions(), REAL_CONVERSIONS);
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
