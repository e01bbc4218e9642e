import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { type BegunUpload, UploadRoom } from './upload-room.ts';

const RESERVE = 64 * 2 ** 20;

test('however many begin at once, no more than so many do, and no more bytes than fit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(100),
      async (scheduler, sizes, maxCount, disk) => {
        const onDisk: BegunUpload[] = [];
        const room = new UploadRoom({
          maxCount,
          list: async () => {
            const seen = [...onDisk];
            await scheduler.schedule(Promise.resolve());
            return seen;
          },
          free: async () => RESERVE + disk,
        });
        const began = Promise.all(
          sizes.map(async (size, i) => {
            const refusal = await room.take(String(i), size);
            if (refusal !== null) return refusal.status;
            await scheduler.schedule(Promise.resolve());
            onDisk.push({ id: String(i), size, received: 0 });
            room.begun(String(i));
            return 201;
          }),
        );
        await scheduler.waitFor(began);
        const total = onDisk.reduce((sum, { size }) => sum + size, 0);
        assert.ok(onDisk.length <= maxCount && total <= disk);
        // In the order in which they came, as long as there is room.
        let [count, left] = [0, disk];
        const expected = sizes.map((size) => {
          if (count >= maxCount) return 409;
          if (size > left) return 507;
          count++;
          left -= size;
          return 201;
        });
        assert.deepEqual(await began, expected);
      },
    ),
    { numRuns: 100 },
  );
});

test('an upload that never comes to the disk gives its place back, and what is here needs no room again', async () => {
  const room = new UploadRoom({
    maxCount: 2,
    list: async () => [{ id: 'half', size: 100, received: 90 }],
    free: async () => RESERVE + 30,
  });
  assert.equal(await room.take('a', 20), null);
  assert.equal((await room.take('b', 1))?.status, 409);
  room.begun('a');
  await setImmediate();
  assert.match((await room.take('b', 21))!.reason, /has 0\.0 MB, and the disk has room for 0\.0 MB/);
  assert.equal(await room.take('b', 20), null);
});
