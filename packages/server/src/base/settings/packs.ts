/** Packs: their limits, how long they are kept, and who makes them. */
import { choice, integer } from './kinds.ts';

export const PACKS_SETTINGS = {
  PACK_MAX_URLS: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description: 'How many different URLs one pack may have.',
  }),
  PACK_MAX_BYTES: integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 50 * 2 ** 30,
    description: 'Largest zip of a pack, bytes.',
  }),
  PACK_QUOTA_BYTES: integer({
    minimum: 1_000_000,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 20 * 2 ** 30,
    description:
      'Bytes that all packs together may use in database and object store; the pack that was asked for longest ago ' +
      'is deleted first. Zips that are written out count whole; they may use two times PACK_MAX_BYTES in any case.',
  }),
  PACK_RATE: integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 60,
    description: 'Packs that one address may ask for in a minute; 0 means any number.',
  }),
  PACK_RETENTION_S: integer({
    minimum: 1,
    maximum: 315_360_000,
    default: 604_800,
    description:
      'Seconds for which a finished pack can be downloaded, counted from when it was last asked for.',
  }),
  PACK_TIMEOUT_S: integer({
    minimum: 1,
    maximum: 86_400,
    default: 900,
    description: 'Seconds after which work on a pack is given up.',
  }),
  PACK_MATERIALISE: choice(['auto', 'always', 'never'], {
    default: 'auto',
    description:
      'Whether the zip of a pack is written to the object store or streamed from the archives; `auto` writes it ' +
      'when the object store is remote. The bytes are the same.',
  }),
  PACK_WORKERS: integer({
    minimum: 0,
    maximum: 64,
    default: 2,
    description:
      'Packs that a server, or a `citymodel worker`, works on at once; with 0 a server leaves them to workers.',
  }),
};
