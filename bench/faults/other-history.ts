/** A database that goes on from an earlier state, as after a fail-over to a standby that was behind, or a restore. */
import { setTimeout as pause } from 'node:timers/promises';
import type { House } from './house.ts';

/** Longest time until all servers show what the database has, ms. */
const AGREE_MS = 30_000;

/** `lost`: changes that only the old database has; `after`: changes of the new one before a server sees it. */
export async function otherHistory(house: House, lost: number, after: number): Promise<void> {
  const { load, writer, databaseWay } = house;
  await writer.pause();
  const standby = await house.postgres.standby();
  await standby.pause();
  for (let k = 0; k < lost; k++) await house.change(k);
  await house.agree(AGREE_MS);
  databaseWay.swallowsNew = true;
  databaseWay.swallow();
  const old = house.postgres;
  await old.pause();
  await standby.takeOver(old);
  house.postgres = standby;
  await old.stop();
  for (let k = 0; k < after; k++) await house.change(lost + k);
  databaseWay.swallowsNew = false;
  databaseWay.dropSwallowed();
  if (!(await house.agree(AGREE_MS))) load.wrong('servers do not show what the database has');
  // What the lost history had is not asked for any more.
  const live = await house.live();
  writer.acknowledged.clear();
  for (const name of live) writer.acknowledged.add(name);
  await pause(0);
  writer.resume();
}
