import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archiveKeys, type PackageRow, type PackRow } from '@citymodel/store';
import fastify from 'fastify';
import { cityPackage, tilePackage } from '../../catalogue/testing/snapshot-rows.ts';
import type { ServiceContext } from '../context.ts';
import { DiskWatch } from '../observe/disk-checks.ts';
import { jobStates, type StatusDocument, serveStatus } from './status.ts';

const PACK = {
  id: 'a'.repeat(64),
  status: 'processing',
  progress: 0.5,
  acceptedAt: 0,
  startedAt: 1,
  finishedAt: null,
  expiresAt: null,
  missing: [],
};

/** A service that knows these packages and one pack, and how often it was asked for all of them. */
async function service(rows: PackageRow[], settings: Record<string, string> = {}) {
  const seen = { listed: 0, packs: [] as number[], jobs: [] as object[] };
  const context = {
    settings: { STATUS_PACK_IDS: 'hide', ...settings },
    catalogue: {
      async *packages() {
        seen.listed++;
        for (let i = 0; i < rows.length; i += 2) yield rows.slice(i, i + 2);
      },
      version: async () => 1,
      state: async () => ({ version: 1, identity: 'i' }),
      intents: async () => [{ pid: 7, heartbeatAt: 0, keys: ['a', 'b'] }],
      garbage: async () => ['k1', 'k2', 'k3'],
    },
    objects: { probe: async () => {} },
    packs: {
      recent: async (limit: number) => {
        seen.packs.push(limit);
        return [PACK as unknown as PackRow];
      },
    },
    jobs: {
      list: async (_filter: object, place: object) => {
        seen.jobs.push(place);
        return [];
      },
      counts: async () => ({}),
    },
    watch: { ready: true },
    disks: new DiskWatch({}),
  } as unknown as ServiceContext;
  const app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    reply.code(400).send({ reason: (error as { reason?: string }).reason }),
  );
  app.get('/status.json', serveStatus(context));
  const ask = async (query = '') => {
    const { statusCode, body } = await app.inject(`/status.json${query}`);
    return { status: statusCode, json: JSON.parse(body) as StatusDocument & { reason?: string } };
  };
  return { ask, seen, [Symbol.asyncDispose]: () => app.close() };
}

const rows = ['c', 'a', 'b'].map((name, i) =>
  cityPackage({
    name,
    issueCounts: { error: 0, warning: i, info: 5 },
    archiveSize: 10,
    memberBytes: 100,
    indexKey: i === 0 ? `archives/${name}.index` : archiveKeys(name).index,
  }),
);

test('callers within a second share one reading of the packages, whatever pages they ask for', async () => {
  await using at = await service(rows);
  const answers = await Promise.all([
    at.ask(),
    at.ask(),
    at.ask('?page=2&limit=2'),
    at.ask('?with_issues=true'),
  ]);
  assert.equal(at.seen.listed, 1);
  const names = answers.map(({ json }) => json.packages.map(({ name }) => name));
  assert.deepEqual(names, [['a', 'b', 'c'], ['a', 'b', 'c'], ['c'], ['a', 'b']]);
  assert.deepEqual(
    answers.map(({ json }) => [json.page, json.pages]),
    [
      [1, 1],
      [1, 1],
      [2, 2],
      [1, 1],
    ],
  );
  assert.equal(answers[0]!.json.now, answers[1]!.json.now, 'the same answer');
});

test('a service says since when it runs', async (t) => {
  t.mock.method(process, 'uptime', () => 86_400);
  await using at = await service([]);
  const { now, startedAt } = (await at.ask()).json;
  const ranS = (Date.parse(now) - Date.parse(startedAt)) / 1_000;
  assert.ok(ranS >= 86_400 && ranS < 86_460, `${ranS}`);
});

test('a page has 20 jobs or as many as somebody asks for, up to 100, and the 100 newest packs', async () => {
  await using at = await service([]);
  for (const query of ['', '?jobs_limit=1&jobs_page=7', '?jobs_limit=100&jobs_page=2']) {
    assert.equal((await at.ask(query)).status, 200, query);
  }
  assert.deepEqual(at.seen.jobs, [
    { limit: 20, offset: 0 },
    { limit: 1, offset: 6 },
    { limit: 100, offset: 100 },
  ]);
  assert.deepEqual(at.seen.packs, [100, 100, 100]);
  assert.match((await at.ask('?jobs_limit=101')).json.reason!, /^jobs_limit is .* from 1 to 100\.$/);
});

test('totals count all packages, and ids of packs are cut unless the operator shows them', async () => {
  await using at = await service(rows);
  const { json } = await at.ask('?limit=1');
  assert.deepEqual(json.totals, {
    archiveBytes: 30,
    memberBytes: 300,
    packages: 3,
    unchecked: 1,
    heights: {},
    waitingDeletion: 3,
  });
  assert.deepEqual(json.ingestions, [
    { startedBy: 'process 7', heartbeatAt: '1970-01-01T00:00:00.000Z', objects: 2 },
  ]);
  assert.equal(json.jobs[0]!.id, 'aaaaaaaa');
  await using open = await service([], { STATUS_PACK_IDS: 'show' });
  const shown = (await open.ask()).json;
  assert.deepEqual([shown.jobs[0]!.id, shown.pages, shown.packages], [PACK.id, 1, []]);
});

test('live tilesets are counted by what their heights are of, for the page to warn where there are two', async () => {
  const elevations = { heights: 'elevation, of JGD2024' };
  await using at = await service([
    ...rows,
    tilePackage(),
    tilePackage({ heights: 'GSIGEO2011' }),
    tilePackage(elevations),
    tilePackage(elevations, { state: 'retired' }),
    tilePackage({ format: 'MVT' }),
  ]);
  const { totals } = (await at.ask()).json;
  assert.deepEqual(totals.heights, { ellipsoid: 2, 'elevation of JGD2024': 1 });
});

test('states of jobs are a list of those that there are, all unless some are given', () => {
  const { read } = jobStates('states');
  assert.deepEqual(read({}), ['queued', 'running', 'failed', 'succeeded', 'dead', 'cancelled']);
  assert.deepEqual(read({ states: 'queued,dead' }), ['queued', 'dead']);
  for (const states of ['', 'queued,', 'Queued', 'queued;dead', ['queued', 'none']]) {
    assert.throws(() => read({ states }), { status: 400, message: /./ }, `${states}`);
  }
});

test('pages that are none are refused', async () => {
  await using at = await service(rows);
  for (const query of [
    '?page=0',
    '?page=1.5',
    '?page=x',
    '?limit=0',
    '?limit=1001',
    '?limit=100000000',
    '?with_issues=maybe',
    '?jobs_limit=0',
    '?jobs_page=0',
  ]) {
    const { status, json } = await at.ask(query);
    assert.equal(status, 400, query);
    assert.match(json.reason!, /must be/);
  }
});
