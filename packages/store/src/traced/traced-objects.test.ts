import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTracer, tracer } from '@citymodel/base';
import type { ObjectHandle, ObjectStore } from '../object-store.ts';
import { MemoryStore } from '../testing/memory-store.ts';
import { chunks, collect } from '../testing/object-store-conformance.ts';
import { TracedObjects } from './traced-objects.ts';

test('a store has what the one within has, and nothing more', async () => {
  const calls: unknown[][] = [];
  const noting =
    (name: string) =>
    (...values: unknown[]) =>
      void calls.push([name, ...values]);
  const names = ['abortUploads', 'sign', 'figures', 'giveUp'] as const;
  const plain = new TracedObjects(new MemoryStore());
  for (const name of names) assert.equal(plain[name], undefined, name);
  const able = Object.fromEntries(names.map((name) => [name, noting(name)]));
  const traced = new TracedObjects(Object.assign(new MemoryStore(), able) as ObjectStore);
  for (const name of names) (traced[name] as (value: string) => void)(`to ${name}`);
  assert.deepEqual(
    calls,
    names.map((name) => [name, `to ${name}`]),
  );
});

test('a handle reads into memory and hears of damage where the one within does', async () => {
  const calls: unknown[] = [];
  const handle = {
    size: 7,
    read: async (offset: number, length: number) => Buffer.from(`${offset}+${length}`),
    async *stream(offset: number, length: number) {
      yield Buffer.from(`${offset}+${length}`);
    },
    async [Symbol.asyncDispose]() {
      calls.push('closed');
    },
  };
  const able = {
    ...handle,
    readInto: async (target: Uint8Array, offset: number) => void calls.push([target.length, offset]),
    damaged: (offset: number) => void calls.push(['damaged', offset]),
  };
  const open = (one: object) =>
    new TracedObjects(Object.assign(new MemoryStore(), { open: async () => one as ObjectHandle })).open('k');
  const plain = await open(handle);
  assert.deepEqual([plain.readInto, plain.damaged, plain.size], [undefined, undefined, 7]);
  assert.equal(String(await plain.read(1, 2)), '1+2');
  assert.equal(String(await collect(plain, 3, 4)), '3+4');
  const full = await open(able);
  await full.readInto!(Buffer.alloc(5), 6);
  (full.damaged as unknown as (offset: number) => void)(8);
  await full[Symbol.asyncDispose]();
  assert.deepEqual(calls, [[5, 6], ['damaged', 8], 'closed']);
});

test('work on objects is a span with the key and the range', async (t) => {
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
  const store = new TracedObjects(new MemoryStore());
  await store.put('archives/a.zip', chunks(Buffer.from('abcdef')));
  await store.head('archives/a.zip');
  const handle = await store.open('archives/a.zip');
  await handle.read(1, 2);
  await collect(handle, 3, 2);
  for await (const _ of store.list('archives/'));
  await store.delete('archives/a.zip');
  await store.deleteMany(['archives/a.zip', 'archives/b.zip']);
  await store.probe();
  const key = (name: string) => ({ 'citymodel.object.key': name });
  const range = (offset: number, length: number) => ({
    ...key('archives/a.zip'),
    'citymodel.object.offset': offset,
    'citymodel.object.length': length,
  });
  assert.deepEqual(spans, [
    ['objects put', key('archives/a.zip')],
    ['objects head', key('archives/a.zip')],
    ['objects open', key('archives/a.zip')],
    ['objects read', range(1, 2)],
    ['objects stream', range(3, 2)],
    ['objects list', key('archives/')],
    ['objects delete', key('archives/a.zip')],
    ['objects delete', { 'citymodel.objects': 2 }],
    ['objects probe', {}],
  ]);
});
