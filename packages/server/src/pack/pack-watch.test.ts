import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PackRow, PackStatus } from '@citymodel/store';
import { PackWatch } from './pack-watch.ts';

/** A watch over states that the test sets; counts how often they are read. */
function fixture(maxWaiting = 10) {
  const states = new Map<string, PackStatus>([['a', 'accepted']]);
  const state = { states, reads: 0, away: false };
  const packs = {
    async find(ids: readonly string[]): Promise<PackRow[]> {
      state.reads++;
      if (state.away) throw new Error('away');
      return ids.flatMap((id) => (states.has(id) ? [{ id, status: states.get(id)! } as PackRow] : []));
    },
  };
  // Long enough that only `look` and the tests' own waits wake anybody.
  return { ...state, given: state, watch: new PackWatch({ packs, pollMs: 1e6, maxWaiting }) };
}

const NEVER = new AbortController().signal;

describe('pack watch', () => {
  test('wakes those whose pack is no longer as they know it', async () => {
    const { watch, states } = fixture();
    states.set('b', 'processing');
    let woken = '';
    const wait = (id: string, known: PackStatus) =>
      watch.wait(id, known, 1e6, NEVER).then(() => {
        woken += id;
      });
    const a = wait('a', 'accepted');
    const b = wait('b', 'processing');
    const gone = wait('gone', 'accepted');
    watch.look();
    await gone;
    assert.equal(woken, 'gone');
    assert.equal(watch.size, 2);
    states.set('b', 'succeeded');
    watch.look();
    await b;
    assert.equal(woken, 'goneb');
    await watch.close();
    await a;
    assert.equal(watch.size, 0);
  });

  test('wakes callers whose time is over or who went away, and leaves no timer', async () => {
    const { watch, given: state } = fixture();
    await watch.wait('a', 'accepted', 1, NEVER);
    assert.equal(state.reads, 0);
    const controller = new AbortController();
    const waiting = watch.wait('a', 'accepted', 1e6, controller.signal);
    controller.abort();
    await waiting;
    await watch.wait('a', 'accepted', 1e6, controller.signal);
    assert.equal(watch.size, 0);
    watch.look();
    assert.equal(state.reads, 0, 'nobody waits, nothing is read');
    assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
  });

  test('those who wait do not lose each other when one of them goes, nor the timer', async () => {
    const states = new Map<string, PackStatus>([
      ['a', 'accepted'],
      ['b', 'accepted'],
    ]);
    const find = async (ids: readonly string[]) =>
      ids.map((id) => ({ id, status: states.get(id)! }) as PackRow);
    const watch = new PackWatch({ packs: { find }, pollMs: 2, maxWaiting: 10 });
    const patient = [watch.wait('a', 'accepted', 1e6, NEVER), watch.wait('b', 'accepted', 1e6, NEVER)];
    await watch.wait('a', 'accepted', 1, NEVER);
    assert.equal(watch.size, 2);
    for (const id of states.keys()) states.set(id, 'succeeded');
    await Promise.all(patient);
    assert.equal(watch.size, 0);
  });

  test('lets only so many wait, and none after it was closed', async () => {
    const { watch } = fixture(2);
    const waiting = [watch.wait('a', 'accepted', 1e6, NEVER), watch.wait('a', 'accepted', 1e6, NEVER)];
    await watch.wait('a', 'accepted', 1e6, NEVER);
    assert.equal(watch.size, 2);
    await watch.close();
    await Promise.all(waiting);
    await watch.wait('a', 'accepted', 1e6, NEVER);
  });

  test('goes on when the database is away for a moment', async () => {
    const { watch, states, given: state } = fixture();
    const waiting = watch.wait('a', 'accepted', 1e6, NEVER);
    state.away = true;
    watch.look();
    await new Promise(setImmediate);
    assert.equal(watch.size, 1);
    state.away = false;
    states.set('a', 'failed');
    watch.look();
    await waiting;
  });
});
