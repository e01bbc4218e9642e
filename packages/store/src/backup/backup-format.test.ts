/** Places for backups, two of which are claimed at the same moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../testing/memory-store.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { claimPlace, ForeignBackups, ownerOfPlace } from './backup-format.ts';

/** A place that does something before it keeps the mark of its owner. */
class BusyPlace extends MemoryStore {
  readonly #before: (place: BusyPlace) => Promise<void>;
  #isBusy = false;

  constructor(before: (place: BusyPlace) => Promise<void>) {
    super();
    this.#before = before;
  }

  override async put(...what: Parameters<MemoryStore['put']>) {
    if (!this.#isBusy) {
      this.#isBusy = true;
      await this.#before(this);
    }
    return super.put(...what);
  }
}

test('of two that claim a place at once the first has it, and the other one is told', async () => {
  for (const first of ['ours', 'theirs']) {
    const place = new BusyPlace((itself) => claimPlace(itself, first));
    const claim = claimPlace(place, 'ours');
    await (first === 'ours' ? claim : assert.rejects(claim, ForeignBackups));
    await claimPlace(place, first);
    assert.equal(await ownerOfPlace(place), first);
  }
});

test('a fault of the store is none of another owner', async () => {
  const full = new BusyPlace(() => Promise.reject(new Error('a full disk')));
  await assert.rejects(claimPlace(full, 'ours'), /a full disk/);
  const used = new MemoryStore();
  await used.put('a file', chunks(Buffer.from('x')));
  await assert.rejects(claimPlace(used, 'ours'), ForeignBackups);
  assert.equal(await ownerOfPlace(used), null);
});
