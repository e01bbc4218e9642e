import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FeatureEntry } from '@citymodel/citygml';
import type { GmlFile } from './gml-files.ts';
import type { OpenGml } from './open-gml.ts';
import { beginSearch, begunAhead } from './search-ahead.ts';

describe('steps that are begun before their turn', () => {
  const state = { running: 0, most: 0, open: new Set<number>() };

  /** Steps that each take a turn of the loop, later ones fewer; those of `failing` throw. */
  async function* steps(count: number, failing: readonly number[] = []) {
    for (let i = 0; i < count; i++) {
      yield async () => {
        state.most = Math.max(state.most, ++state.running);
        for (let k = i; k < count; k++) await setImmediate();
        state.running--;
        if (failing.includes(i)) throw new Error(`step ${i}`);
        state.open.add(i);
        return { i, [Symbol.asyncDispose]: async () => void state.open.delete(i) };
      };
    }
  }

  async function taken(from: AsyncIterable<{ i: number } & AsyncDisposable>, until = Infinity) {
    const seen: number[] = [];
    for await (const result of from) {
      await using open = result;
      seen.push(open.i);
      if (seen.length === until) break;
    }
    return seen;
  }

  test('give their results in order, with so many at once', async () => {
    for (const [ahead, most] of [
      [0, 1],
      [3, 4],
    ] as const) {
      state.most = 0;
      assert.deepEqual(await taken(begunAhead(steps(6), ahead)), [0, 1, 2, 3, 4, 5]);
      assert.equal(state.most, most);
    }
  });

  test('leave nothing open when the caller ends early, or a step throws in its turn', async () => {
    assert.deepEqual(await taken(begunAhead(steps(6), 3), 2), [0, 1]);
    assert.equal(state.open.size, 0);
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const { i, [Symbol.asyncDispose]: close } of begunAhead(steps(6, [1, 3]), 3)) {
        seen.push(i);
        await close();
      }
    }, /step 1/);
    assert.deepEqual(seen, [0]);
    assert.equal(state.open.size, 0);
  });
});

describe('a search that begins before its turn', () => {
  const entries = (...numbers: number[]) => numbers.map((index) => ({ index }) as FeatureEntry);

  function opened() {
    const noted = { expected: [] as Array<[number[], number]>, isClosed: false };
    const gml = {
      text: {
        expect: (list: FeatureEntry[], bytes: number) =>
          noted.expected.push([list.map(({ index }) => index), bytes]),
      },
      async [Symbol.asyncDispose]() {
        noted.isClosed = true;
      },
    } as unknown as OpenGml;
    return { gml, noted };
  }

  async function all(batches: AsyncIterable<FeatureEntry[]>) {
    const list: FeatureEntry[][] = [];
    for await (const batch of batches) list.push(batch);
    return list;
  }

  async function* finds(...batches: FeatureEntry[][]) {
    yield* batches;
  }

  test('asks for the text of the first features where it is read, and gives each batch once', async () => {
    for (const readsText of [true, false]) {
      const { gml, noted } = opened();
      const file = { path: 'a.gml' } as GmlFile;
      {
        await using search = await beginSearch(gml, file, finds(entries(1, 2), entries(3)), readsText);
        assert.equal(search.file, file);
        assert.deepEqual(await all(search.batches), [entries(1, 2), entries(3)]);
        assert.equal(noted.isClosed, false);
      }
      assert.equal(noted.isClosed, true);
      assert.deepEqual(
        noted.expected.map(([list]) => list),
        readsText ? [[1, 2]] : [],
      );
      // Some megabytes of all that are begun, which are a dozen.
      for (const [, bytes] of noted.expected) assert.ok(bytes >= 2 ** 18 && bytes <= 2 ** 20, `${bytes}`);
    }
  });

  test('that finds nothing asks for no text, and one that fails closes its file', async () => {
    const { gml, noted } = opened();
    const search = await beginSearch(gml, {} as GmlFile, finds(), true);
    assert.deepEqual(await all(search.batches), []);
    assert.deepEqual(noted, { expected: [], isClosed: false });
    // biome-ignore lint/correctness/useYield: it fails before its first batch
    const failing = (async function* (): AsyncGenerator<FeatureEntry[], void, void> {
      throw new Error('damaged');
    })();
    await assert.rejects(beginSearch(gml, {} as GmlFile, failing, true), /damaged/);
    assert.equal(noted.isClosed, true);
  });
});
