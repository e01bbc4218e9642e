/** The faults that `bench/faults.ts` does: how often each, and what it is. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketFault } from './bucket-proxy.ts';
import type { House } from './house.ts';
import { otherHistory } from './other-history.ts';

export interface Act {
  name: string;
  /** How often, when everything is done whole. */
  times: number;
  /** Does it once, from its beginning to its end. */
  run(house: House, i: number): Promise<void>;
}

const HOUR_MS = 3_600_000;
/** Between two kills, ms at most. */
const KILL_PAUSE_MS = 1_500;

/** Something happens to requests of the bucket for a while, every second time only to half of them. */
function bucket(name: string, times: number, seconds: number, faults: readonly BucketFault[]): Act {
  return {
    name,
    times,
    async run({ bucketWay }, i) {
      const fault = faults[i % faults.length]!;
      bucketWay.share = Math.floor(i / faults.length) % 2 === 0 ? 1 : 0.5;
      bucketWay.fault = fault;
      await pause(seconds * 1_000);
      bucketWay.heal();
    },
  };
}

export const ACTS: readonly Act[] = [
  {
    name: 'kill -9 of a server or worker',
    times: 100,
    async run({ members }) {
      await members[Math.floor(Math.random() * members.length)]!.crash();
      await pause(Math.random() * KILL_PAUSE_MS);
    },
  },
  {
    name: 'PostgreSQL restarts, every second time without warning',
    times: 20,
    run: ({ postgres }, i) => postgres.restart(i % 2 === 0 ? 'fast' : 'immediate'),
  },
  {
    name: 'packets to PostgreSQL are swallowed, every second time those of new lines too',
    times: 20,
    async run({ databaseWay }, i) {
      databaseWay.swallow();
      databaseWay.swallowsNew = i % 2 === 1;
      await pause(4_000);
      databaseWay.swallowsNew = false;
      // New lines of the last seconds hang, too, and their callers have to notice.
      await pause(3_000);
      databaseWay.dropSwallowed();
    },
  },
  {
    name: 'the disk of PostgreSQL is full',
    times: 10,
    run: (house) => house.fillDatabaseDisk(5_000),
  },
  { name: 'fail-over to a standby that is behind', times: 6, run: (house) => otherHistory(house, 1, 1) },
  {
    name: 'restore of an earlier database',
    times: 6,
    run: (house, i) => otherHistory(house, 2, [0, 2, 1][i % 3]!),
  },
  {
    name: 'another database with this bucket',
    times: 8,
    run: (house, i) => house.startForeign(`foreign_${i}`, i % 2 === 0 ? 'worker' : 'serve'),
  },
  {
    name: 'the gateway is gone',
    times: 5,
    async run({ ceph }) {
      await ceph.killGateway();
      await pause(20_000);
      await ceph.startGateway();
    },
  },
  bucket('the gateway is slow', 10, 5, [
    { kind: 'late', ms: 200 },
    { kind: 'late', ms: 3_000 },
  ]),
  bucket('the gateway takes requests and never answers', 20, 8, [{ kind: 'hang' }]),
  bucket('answers of the gateway stop in the middle', 10, 8, [{ kind: 'stall' }]),
  bucket('a bit of each answer is flipped', 25, 3, [{ kind: 'flip' }]),
  bucket('another program answers in HTML', 20, 3, [
    { kind: 'html', status: 200 },
    { kind: 'html', status: 502 },
    { kind: 'html', status: 404 },
  ]),
  bucket('the credentials have expired', 15, 3, [{ kind: 'expired' }]),
  {
    name: 'the clock jumps',
    times: 25,
    async run({ clockFile }, i) {
      const jumps = [-24, 24, 1, -1, 0.5, -0.5, -24 * 365 * 30, 24 * 365 * 5];
      await writeFile(clockFile, String(jumps[i % jumps.length]! * HOUR_MS));
      await pause(4_000);
      await writeFile(clockFile, '0');
    },
  },
];
