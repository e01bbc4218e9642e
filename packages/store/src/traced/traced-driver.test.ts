import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTracer, tracer } from '@citymodel/base';
import type { SqlDriver } from '../sql/driver.ts';
import { TracedDriver } from './traced-driver.ts';

test('figures of the database are told where there are some, by the driver that counts them', () => {
  class Counting {
    readonly #waiting = 3;
    figures() {
      return { waiting: this.#waiting };
    }
  }
  const driver = new TracedDriver(new Counting() as unknown as SqlDriver, 'postgresql');
  assert.deepEqual(driver.figures!(), { waiting: 3 });
  assert.equal(new TracedDriver({} as SqlDriver, 'sqlite').figures, undefined);
});

test('a statement is a span by its verb, also in a transaction, which tells its lock', async (t) => {
  const spans: Array<[name: string, attributes: unknown]> = [];
  const before = tracer();
  t.after(() => setTracer(before));
  setTracer({
    isWithin: () => true,
    begin(name, { attributes }) {
      spans.push([name, attributes]);
      return { traceId: '0'.repeat(32), within: (part) => part(), end() {} };
    },
    figures: () => ({ sent: 0, lost: 0 }),
  });
  const tx = { all: async () => [], run: async () => 1, insert: async () => {} };
  const inner = { all: async () => [], write: (_: unknown, work: (within: object) => unknown) => work(tx) };
  const driver = new TracedDriver(inner as unknown as SqlDriver, 'sqlite');
  await driver.all(' select 1');
  await driver.all('(SELECT 2)');
  await driver.write('jobs', async (within) => {
    await within.all('SELECT 3');
    await within.run('UPDATE job SET run = 1');
    await within.insert('job', ['id'], [['a']]);
  });
  await driver.write(null, async () => {});
  const query = (text: string) => ({ 'db.system.name': 'sqlite', 'db.query.text': text });
  const lock = (name: string) => ({ 'db.system.name': 'sqlite', 'citymodel.lock': name });
  assert.deepEqual(spans, [
    ['SELECT', query(' select 1')],
    ['SQL', query('(SELECT 2)')],
    ['transaction', lock('jobs')],
    ['SELECT', query('SELECT 3')],
    ['UPDATE', query('UPDATE job SET run = 1')],
    ['INSERT', query('INSERT INTO job')],
    ['transaction', lock('')],
  ]);
});
