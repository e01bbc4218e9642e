/** What a backup that runs holds, over a catalogue that notes its intents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedNow } from '@citymodel/base';
import { CatalogueConflict, type Intent } from '../catalogue-store.ts';
import { BackupRunning, SweepHold } from './sweep-hold.ts';

/** Intents in memory. `refuse`: what the next ones end with. */
class Intents {
  readonly all = new Map<string, Intent>();
  readonly touched = new Set<string>();
  refuse: Error | null = null;

  async beginIntent(intent: Intent): Promise<void> {
    if (this.refuse !== null) throw this.refuse;
    this.all.set(intent.id, intent);
  }

  async touchIntent(id: string): Promise<void> {
    this.touched.add(id);
    throw new Error('the database does not answer');
  }

  async endIntent(id: string): Promise<void> {
    this.all.delete(id);
  }

  async intents(): Promise<Intent[]> {
    return [...this.all.values()];
  }
}

test('what is being deleted just now is not held, and no other fault is taken for that', async () => {
  const intents = new Intents();
  const hold = await SweepHold.begin(intents, 'staging');
  assert.equal(await hold.cover(['a', 'b', 'a']), true);
  assert.deepEqual(
    [...intents.all.values()].map(({ keys }) => keys),
    [[], [], ['a', 'b']],
  );
  intents.refuse = new CatalogueConflict('b is garbage');
  assert.equal(await hold.cover(['b']), false);
  intents.refuse = new Error('the database does not answer');
  await assert.rejects(hold.cover(['c']), /does not answer/);
  await hold[Symbol.asyncDispose]();
  assert.equal(intents.all.size, 0);
});

test('another backup is refused while one lives, leaves nothing, and may run after one that died', async () => {
  const intents = new Intents();
  const other = { keys: [], staging: null, host: 'elsewhere#1', pid: 7 };
  const ids = () => [...intents.all.keys()];
  await intents.beginIntent({ ...other, id: 'an ingestion', heartbeatAt: sharedNow() });
  await intents.beginIntent({ ...other, id: 'backup-other', heartbeatAt: sharedNow() });
  await assert.rejects(SweepHold.begin(intents, 'staging'), (error: Error) => {
    assert.ok(error instanceof BackupRunning);
    assert.match(error.message, /\(process 7 at elsewhere\)/);
    return true;
  });
  assert.deepEqual(ids(), ['an ingestion', 'backup-other']);
  await intents.beginIntent({ ...other, id: 'backup-other', heartbeatAt: 0 });
  await using hold = await SweepHold.begin(intents, 'staging');
  const [running, own] = ids().slice(2);
  assert.match(running!, /^backup-/);
  assert.equal(intents.all.get(own!)!.staging, hold.directory);
});

test('all that a backup holds lives on while it runs, also when a sign of life fails', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const intents = new Intents();
  const hold = await SweepHold.begin(intents, 'staging');
  await hold.cover(['a']);
  const ids = [...intents.all.keys()];
  t.mock.timers.tick(15_000);
  assert.deepEqual([...intents.touched], ids);
  await hold[Symbol.asyncDispose]();
  intents.touched.clear();
  t.mock.timers.tick(15_000);
  assert.equal(intents.touched.size, 0);
});
