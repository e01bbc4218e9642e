import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackSource } from '../store/pack-store.ts';
import { makePack } from './make-pack.ts';
import { packId } from './pack-id.ts';
import { Packs, type PacksOptions } from './packs.ts';
import { type PackFixture, packFixture, sourceOf } from './testing/pack-fixture.ts';

const FILE = 'udx/bldg/a.gml';
const ID = packId(['https://h/a.gml']);

test('a pack that was forgotten and made again has the bytes of its new archives', async () => {
  await using fixture = await packFixture();
  const packs = packsOf(fixture);
  const texts = ['as it was', 'as it is now under the same URL'];
  for (const [generation, text] of texts.entries()) {
    const row = await fixture.publish(`edition-${generation}`, { [FILE]: text });
    await make(fixture, sourceOf(row, [FILE]), Date.now() + generation);
    const zip = await packs.zip(ID);
    let bytes = 0;
    for await (const chunk of zip.range(0, zip.size)) bytes += chunk.length;
    assert.equal(bytes, zip.size, text);
    await fixture.packs.forget(ID, 1, Number.MAX_SAFE_INTEGER);
    await fixture.objects.delete(row.archiveKey);
  }
});

/** Accepts and makes the pack as a worker does. */
async function make({ packs, archives, objects }: PackFixture, source: PackSource, now: number) {
  const expiresAt = now + 60_000;
  await packs.accept({ id: ID, sources: [source] }, { now, expiresAt });
  const claim = await packs.claim({
    worker: 'w',
    now,
    leaseUntil: expiresAt,
    dead: [],
    maxTries: 1,
    expiresAt,
  });
  const { signal } = new AbortController();
  const made = await makePack(claim!, {
    archives,
    objects,
    materialise: false,
    maxBytes: 1e9,
    signal,
    onProgress() {},
  });
  assert.ok(await packs.succeed(claim!, { ...made, now, expiresAt }));
}

/** For downloads alone, which need nothing else. */
function packsOf({ packs, objects, archives }: PackFixture): Packs {
  return new Packs({ packs, objects, archives } as PacksOptions);
}
