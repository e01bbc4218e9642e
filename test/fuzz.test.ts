/** A short run of `bench/fuzz.ts` over every kind of input, always the same inputs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { KINDS, openKinds } from '../bench/fuzz/kinds.ts';
import { runKind } from '../bench/fuzz/run.ts';

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

describe('mutated inputs', () => {
  for (const name of Object.keys(KINDS)) {
    it(name, async () => {
      const [kind] = await openKinds([name]);
      try {
        const { fault } = await runKind(kind!, {
          seed: 1,
          from: 0,
          count: COUNTS[name] ?? assert.fail(`no count for ${name}`),
          processorMs: Number.POSITIVE_INFINITY,
        });
        if (fault !== null) {
          assert.fail(
            `--kinds ${name} --seed ${fault.seed} --from ${fault.number}: ${inspect(fault.reason)}`,
          );
        }
      } finally {
        await kind!.close?.();
      }
    });
  }
});
