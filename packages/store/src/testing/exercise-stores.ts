import type { CatalogueStore } from '../catalogue-store.ts';
import type { ComparisonStore } from '../comparison-store.ts';
import type { JobClaim, JobStore } from '../job-store.ts';
import type { PackStore } from '../pack-store.ts';
import { beginPack, claimPackJob } from './begin-pack.ts';
import { packageOf, publish } from './fixtures.ts';

const NOW = 1_900_000_000_000;
const DAY = 86_400_000;

const INTENT = { id: 'exercise', staging: null, host: 'h', pid: 1, heartbeatAt: 1 };

/** Calls everything that servers and workers ask of the stores, over a catalogue that has packages, packs and jobs. */
export async function exerciseStores(stores: {
  catalogue: CatalogueStore;
  packs: PackStore;
  jobs: JobStore;
  comparisons: ComparisonStore;
}): Promise<void> {
  await exerciseCatalogue(stores.catalogue);
  await exercisePacks(stores);
  await exerciseJobs(stores.jobs);
  await exerciseComparisons(stores);
}

async function exerciseComparisons({
  catalogue,
  comparisons,
}: {
  catalogue: CatalogueStore;
  comparisons: ComparisonStore;
}): Promise<void> {
  const [first, second] = (await drained(catalogue.packages())).slice(-2);
  const key = { from: first!.no, to: second!.no, type: 'bldg' };
  await comparisons.begin(key, 'exercise');
  await comparisons.add('exercise', [{ position: 0, change: 'added', bounds: null, text: '{}' }]);
  await comparisons.finish('exercise', '{}');
  await comparisons.find(key);
  for (const change of [null, 'changed'] as const) {
    for (const bounds of [null, [139, 35, 140, 36]] as const) {
      await comparisons.rows({ list: 'list-1', change, bounds, after: 10, limit: 100 });
    }
  }
}

async function exerciseCatalogue(catalogue: CatalogueStore): Promise<void> {
  await catalogue.version();
  await catalogue.identity();
  const state = await catalogue.state();
  await catalogue.hasBeen(state);
  await catalogue.changeLog(state.version - 3);
  await catalogue.clock();
  await catalogue.changesSince(state);
  const { states } = await catalogue.statesFrom(state.version - 3);
  await catalogue.changesSince(state, states[0] ?? state);
  await catalogue.changesSince({ ...state, version: state.version - 3 });
  for await (const _ of catalogue.everything());
  const all = await drained(catalogue.packages());
  const [first, ...rest] = all;
  const some = rest.filter((_, i) => i % 100 === 0).map(({ no }) => no);
  for (const by of [
    { id: first!.id },
    { identity: first!.identity },
    { name: first!.name },
    { uploadDigest: first!.uploadDigest },
  ]) {
    await catalogue.findPackages(by);
  }
  const [file] = await catalogue.gmlFiles({ packageNos: [first!.no], limit: 1 });
  const mesh = file?.mesh ?? '53394509';
  const meshes = Array.from({ length: 500 }, (_, i) => String(Number(mesh.slice(0, 8)) + i));
  for (const query of [
    { meshes: [mesh] },
    { meshes },
    { meshPrefixes: [mesh.slice(0, 6)] },
    { meshPrefixes: [mesh.slice(0, 6)], meshes, types: ['bldg', 'tran'] },
    { meshPrefixes: [mesh.slice(0, 4)], packageNos: [first!.no, ...some] },
    { packageNos: [first!.no] },
    { packageNos: some, types: ['bldg'] },
    { packageNos: [first!.no], types: ['bldg'], after: 'udx/bldg/5', limit: 160 },
  ]) {
    await catalogue.gmlFiles(query);
    for await (const _ of catalogue.listedFiles(query));
    for await (const _ of catalogue.placedFiles(query));
  }
  await catalogue.issues(first!.no);
  await catalogue.qualityReport(first!.no);
  for (const code of [null, 'C01']) {
    await catalogue.findings({ packageNo: first!.no, code, after: 10, limit: 100 });
  }
  await catalogue.places(['見本町', '見本タワー']);
  await catalogue.beginIntent({ ...INTENT, keys: ['exercise-table'] });
  const exercised = {
    type: 'bldg',
    key: 'exercise-table',
    size: 1,
    sha256: '0',
    features: 1,
    version: 1,
    sums: '',
  };
  await catalogue.setTables({ no: first!.no, tables: [exercised], intent: INTENT.id });
  await catalogue.tableSums('exercise-table');
  await catalogue.beginIntent({ ...INTENT, keys: [] });
  await catalogue.setPictures({ no: first!.no, pictures: { version: 1, images: [] }, intent: INTENT.id });

  const earlier = await publish(catalogue, packageOf('exercise-1', { identity: 'exercise' }));
  const row = await publish(catalogue, packageOf('exercise-2', { identity: 'exercise' }), {
    replaces: [earlier.no],
  });
  const intent = { ...INTENT, keys: ['exercise-index'] };
  await catalogue.beginIntent(intent);
  await catalogue.touchIntent('exercise', 2);
  await catalogue.intents();
  await catalogue.replaceIndex({ no: row.no, from: row.indexKey, to: 'exercise-index', intent: 'exercise' });
  await catalogue.setState(row.no, 'removed');
  await catalogue.sweepable(1);
  await catalogue.forget(earlier.no);
  await catalogue.forget(row.no);
  await catalogue.beginIntent({ ...intent, id: 'given up', keys: ['exercise-key'] });
  await catalogue.abandonIntent('given up', NOW);
  await catalogue.endIntent('given up');
  await catalogue.addGarbage(['exercise-key'], 0);
  await catalogue.beginIntent({ ...intent, id: 'sweep', keys: [] });
  await catalogue.dropGarbage(await catalogue.claimGarbage('sweep', 1, 100));
  await catalogue.endIntent('sweep');
  await catalogue.garbage();
}

async function exercisePacks({
  catalogue,
  packs,
  jobs,
}: {
  catalogue: CatalogueStore;
  packs: PackStore;
  jobs: JobStore;
}): Promise<void> {
  const pkg = await publish(catalogue, packageOf('exercise-3'));
  const source = {
    packageId: pkg.id,
    directory: pkg.name,
    archiveKey: pkg.archiveKey,
    indexKey: pkg.indexKey,
    archiveSha256: pkg.archiveSha256,
    files: ['udx/bldg/a.gml'],
    metadata: [],
  };
  const ids = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64));
  const times = { now: NOW, expiresAt: NOW + DAY };
  for (const id of ids) await packs.accept({ id, sources: [source] }, times);
  await packs.find(ids, NOW);
  await packs.recent(20, NOW);
  const { run: one } = await beginPack({ packs, jobs }, NOW);
  const { run: two } = await beginPack({ packs, jobs }, NOW);
  await packs.advance(one, 0.5);
  await packs.succeed(one, {
    ...times,
    size: 1,
    files: 1,
    digest: 'd',
    objectKey: 'k',
    materialised: true,
    missing: [],
    objectBytes: 1,
    missingCount: 0,
  });
  await packs.fail(two, 'no reason', times);
  const cancelled = await claimPackJob(jobs, NOW);
  await jobs.cancel(cancelled!.id, NOW);
  await jobs.endCancelled(cancelled!, NOW);
  const forgotten = await claimPackJob(jobs, NOW);
  await jobs.succeed(forgotten!, null, NOW);
  await packs.mend(times);
  await packs.expired(NOW - DAY);
  await packs.bytes();
  await packs.forget(one.id, one.run, NOW + 2 * DAY);
  await packs.refersTo(pkg.archiveKey);
  await packs.noteOrphans(['packs/a', 'packs/b'], { now: NOW, before: NOW });
  await packs.endLook(NOW + 1);
}

async function exerciseJobs(jobs: JobStore): Promise<void> {
  const job = {
    kind: 'exercise',
    label: 'an exercise',
    payload: {},
    maxAttempts: 3,
    exclusive: 'one at a time',
    unique: null,
    objectKey: null,
  };
  const rows = await jobs.enqueue([{ ...job, unique: 'u' }, { ...job, unique: 'u' }, job, job], NOW);
  const [first] = rows;
  await jobs.find(first!.id);
  await jobs.findByPrefix(first!.id.slice(0, 8), 2);
  await jobs.list({}, { limit: 20, offset: 0 });
  await jobs.list({ states: ['dead'], kinds: ['exercise'] }, { limit: 20, offset: 0 });
  await jobs.counts({});
  const claim = () =>
    jobs.claim({ worker: 'w', now: NOW, leaseUntil: NOW + 1, kinds: ['exercise'] }) as Promise<JobClaim>;
  const one = await claim();
  await jobs.holders();
  await jobs.touch(one, { done: 1, total: 2, unit: 'files', text: 't' }, NOW + 2);
  await jobs.succeed(one, {}, NOW);
  await jobs.fail(await claim(), { reason: 'r', now: NOW, retryAt: NOW });
  await jobs.release(await claim(), 'r', { now: NOW, availableAt: NOW });
  await jobs.claim({ worker: 'w', now: NOW, leaseUntil: NOW + 1, kinds: ['exercise'], id: rows.at(-1)!.id });
  await jobs.recover({ now: NOW + DAY, dead: ['w'] });
  await jobs.cancel(rows.at(-1)!.id, NOW);
  await jobs.retry(rows.at(-1)!.id, NOW);
  await jobs.finished(NOW - DAY, 100);
  await jobs.forget(one.id, one.run);
  await jobs.ownedObjects(['k']);
}

async function drained<T>(pages: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) for (const item of page) all.push(item);
  return all;
}
