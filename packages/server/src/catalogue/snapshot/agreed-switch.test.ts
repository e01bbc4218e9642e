import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatedState } from '@citymodel/store';
import fc from 'fast-check';
import { lastMoment, nextMoment } from './agreed-switch.ts';

const GATHERING = { quietMs: 20, gatherMs: 100, settleMs: 5, leadMs: 15 };

/** States whose changes came at these times; the first is shown since long ago. */
function statesOf(times: readonly number[]): DatedState[] {
  return [-1_000, ...times].map((changedAt, i) => ({ version: i, identity: `${i}`, changedAt }));
}

/** What is shown at a time, found millisecond by millisecond by what the moments are meant to be. */
function shownSlowly(times: readonly number[], clock: number): number {
  let shown = 0;
  let last = -1;
  // Nothing changes before 0.
  for (let at = 0; at <= clock - GATHERING.leadMs; at++) {
    while (last + 1 < times.length && times[last + 1]! <= at) last++;
    const isQuiet = last >= 0 && at - times[last]! === GATHERING.quietMs;
    if (isQuiet || at % GATHERING.gatherMs === 0) shown = Math.max(shown, last + 1);
    for (const [i, time] of times.entries()) {
      if (time === at && time - (times[i - 1] ?? -1_000) >= GATHERING.quietMs) shown = Math.max(shown, i + 1);
    }
  }
  return shown;
}

const TIMES = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: fc.nat(60) }), {
    maxLength: 40,
  })
  .map((gaps) => {
    let at = 0;
    return gaps.map((gap) => {
      at += gap;
      return at;
    });
  });

test('the moments are those of the definition, and all servers agree, whatever they showed before', () => {
  fc.assert(
    fc.property(TIMES, fc.nat(400), fc.nat(400), (times, clock, earlier) => {
      // A server knows what has settled, and more or less of what came after.
      const known = statesOf(times.filter((time) => time <= clock));
      const expected = shownSlowly(times, clock);
      assert.equal(lastMoment(known, clock, GATHERING)?.state.version ?? 0, expected);
      const before = shownSlowly(times, Math.min(earlier, clock));
      assert.equal(lastMoment(known.slice(before), clock, GATHERING)?.state.version ?? before, expected);
      const settled = statesOf(times.filter((time) => time <= clock - GATHERING.settleMs));
      assert.equal(lastMoment(settled, clock, GATHERING)?.state.version ?? 0, expected);
    }),
    { numRuns: 2_000 },
  );
});

test('a change after a quiet time is a moment at once, the end of a burst once it is sure', () => {
  const states = statesOf([100, 110]);
  assert.deepEqual(nextMoment(states, 110, GATHERING), { state: states[1], at: 100 });
  const rest = states.slice(1);
  assert.equal(nextMoment(rest, 134, { ...GATHERING, gatherMs: 0 }), null);
  assert.deepEqual(nextMoment(rest, 135, { ...GATHERING, gatherMs: 0 }), { state: states[2], at: 130 });
  assert.equal(nextMoment(states.slice(2), 1_000, GATHERING), null);
});

test('a state without a time, or from a clock that was set back, waits for nobody', () => {
  for (const changedAt of [null, 5_000]) {
    const states = [...statesOf([100]), { version: 2, identity: 'x', changedAt }];
    const last = lastMoment(states.slice(1), 200, GATHERING);
    assert.equal(last?.state.version, 2);
  }
});
