import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPatience } from '@citymodel/base';
import { type AskOptions, ask, askAside, TRY_MS } from './ask.ts';
import type { StoreLink } from './store-link.ts';

/** A link whose parts note what is asked of them. */
function linkOf(answer: number): { link: StoreLink; asked: string[] } {
  const asked: string[] = [];
  const link = {
    limit: {
      async run<T>(work: () => Promise<T>): Promise<T> {
        asked.push('place');
        return work();
      },
    },
    end: { check: () => void asked.push('end') },
    gate: { check: () => void asked.push('gate') },
    times: { answer },
  };
  return { link: link as unknown as StoreLink, asked };
}

test('only what somebody waits for has a signal, and the shorter of two times', async () => {
  for (const way of [ask, askAside]) {
    const options = (answer: number) => way(linkOf(answer).link, async (asked: AskOptions) => asked);
    assert.deepEqual(await options(50_000), {}, 'work that nobody waits for has the time of the store');
    for (const [answer, expected] of [
      [50_000, TRY_MS],
      [TRY_MS - 1, TRY_MS - 1],
    ] as const) {
      const { abortSignal, requestTimeout } = await withPatience(() => options(answer));
      assert.ok(abortSignal instanceof AbortSignal);
      assert.equal(requestTimeout, expected);
    }
  }
});

test('a request takes a place and is refused there, too; a stream takes none', async () => {
  const { link, asked } = linkOf(1);
  await ask(link, async () => {});
  assert.deepEqual(asked.splice(0), ['end', 'gate', 'place', 'end', 'gate']);
  await askAside(link, async () => {});
  assert.deepEqual(asked, ['end', 'gate']);
});
