/** What jobs of every kind are called, which exclude each other, and how payloads of other versions are read. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CatalogueConflict, type JobProgress, type NewJob, type PackageRow } from '@citymodel/store';
import { FakeS3 } from '@citymodel/store/testing';
import pino from 'pino';
import { readSettings } from '../../base/settings.ts';
import { ComparisonRefused } from '../../changes/compare-in-thread.ts';
import { USUAL_OPTIONS } from '../../convert/testing/convert-zip.ts';
import { gml, PACKAGE, writePackage, writeSmallPackage } from '../../convert/testing/small-package.ts';
import { type Ingesting, openIngesting } from '../../ingest/testing/ingesting.ts';
import { type JobContext, JobFailed, type JobKind, JobRefused } from '../job-kind.ts';
import { JOB_KINDS } from '../registry.ts';
import { COMPARE, compareJob } from './compare.ts';
import { CONVERT, CONVERT_PARTS, type ConvertPayload, convertJobs, usualConvertJob } from './convert.ts';
import { INGEST, type IngestPayload, ingestJob } from './ingest.ts';
import { INSPECT, inspectJob } from './inspect.ts';
import { PICTURES, picturesJob, queuePictures } from './pictures.ts';
import { REINDEX, reindexJob } from './reindex.ts';
import { SWEEP, sweepJob } from './sweep.ts';
import { TABLES, tablesJob } from './tables.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

const short = ({ kind, label, exclusive, unique, objectKey }: NewJob) => [
  kind,
  label,
  exclusive,
  unique,
  objectKey,
];
const row = { id: 'an-id', name: 'a_city' };
const LIVE = { ...row, no: 1, state: 'live', archiveKey: 'archives/a' };

test('every kind has a name of its own, how many run at once, and the memory that one takes (MB)', () => {
  assert.deepEqual(
    JOB_KINDS.map(({ name, atOnce, memoryMb, isPatient = false }) => [name, atOnce, memoryMb, isPatient]),
    [
      ['ingest', 64, 400, false],
      ['reindex', 1, 300, false],
      ['sweep', 1, 100, false],
      ['convert', 2, 500, false],
      ['convert-parts', 2, 500, false],
      ['inspect', 2, 500, false],
      ['compare', 1, 1_000, false],
      ['tables', 2, 500, false],
      ['pictures', 1, 700, true],
    ],
  );
});

describe('a job that ingests', () => {
  const upload: IngestPayload = {
    source: { object: 'incoming/a', name: 'a.zip' },
    overrides: {},
    replace: false,
    dryRun: false,
    level: 6,
  };
  const payload = (changes: Partial<IngestPayload>, ownsObject = true) =>
    short(ingestJob({ ...upload, ...changes }, { maxAttempts: 3, ownsObject }));

  test('excludes others of its name, unless it is a dry run', () => {
    assert.deepEqual(payload({}), ['ingest', 'a', 'ingest a', null, 'incoming/a']);
    assert.deepEqual(payload({ overrides: { name: 'b' } })[2], 'ingest b');
    assert.deepEqual(payload({ dryRun: true }), ['ingest', 'a (dry run)', null, null, 'incoming/a']);
  });

  test('owns the object of an upload where it is told to, never a file', () => {
    assert.equal(payload({}, false)[4], null);
    assert.equal(payload({ source: { path: '/data/c.zip' } })[4], null);
    assert.equal(payload({ source: { path: '/data/c.zip' } })[1], 'c');
  });

  test('keeps what a dry run has read, for the ingestion after it', () => {
    const kept = (dryRun: boolean) => INGEST.retention!.object!({ ...upload, dryRun });
    assert.deepEqual([kept(true), kept(false)], ['kept', 'deleted']);
  });

  test('of another version has what this one lacks', () => {
    const older = { source: { path: '/data/c.zip' }, overrides: { code: '1' } };
    assert.deepEqual(INGEST.readPayload(older), { ...older, replace: false, dryRun: false, level: 6 });
    assert.deepEqual(INGEST.readPayload({ ...older, replace: true, level: 9 }), {
      ...older,
      replace: true,
      dryRun: false,
      level: 9,
    });
    for (const odd of [
      null,
      {},
      { source: {}, overrides: {} },
      { source: { object: 'a' }, overrides: {} },
      { source: { path: 'a' } },
    ])
      assert.throws(() => INGEST.readPayload(odd), JobRefused, JSON.stringify(odd));
  });
});

describe('jobs that convert', () => {
  const choices = { types: null, options: USUAL_OPTIONS, wardNames: {}, replace: true, maxAttempts: 2 };

  test('are one that joins and helpers, each once for a package', () => {
    assert.deepEqual(convertJobs(row, choices, 2).map(short), [
      ['convert', 'a_city', 'convert an-id 0', 'convert an-id 0', null],
      ['convert-parts', 'a_city (parts 1)', 'convert-parts an-id 1', 'convert-parts an-id 1', null],
      ['convert-parts', 'a_city (parts 2)', 'convert-parts an-id 2', 'convert-parts an-id 2', null],
    ]);
    assert.deepEqual(
      convertJobs(row, choices, 1).map(({ payload }) => (payload as ConvertPayload).share),
      [
        { index: 0, count: 2 },
        { index: 1, count: 2 },
      ],
    );
    assert.deepEqual((convertJobs(row, choices, 0)[0]!.payload as ConvertPayload).share, {
      index: 0,
      count: 1,
    });
    const usual = usualConvertJob(row, 'geoid', 5);
    const { types, wardNames, share } = usual.payload as ConvertPayload;
    assert.deepEqual([usual.kind, types, wardNames, share], ['convert', null, {}, { index: 0, count: 1 }]);
    assert.equal(usual.maxAttempts, 5);
    assert.deepEqual((usual.payload as ConvertPayload).options, USUAL_OPTIONS);
    assert.equal((usual.payload as ConvertPayload).replace, false);
  });

  test('of another version have what this one lacks', () => {
    const older = { package: 'p', options: USUAL_OPTIONS, share: { index: 0, count: 1 } };
    const read = { ...older, types: null, wardNames: {}, replace: false, maxAttempts: 3 };
    assert.deepEqual(CONVERT.readPayload(older), read);
    assert.deepEqual(CONVERT_PARTS.readPayload({ ...older, replace: true }), { ...read, replace: true });
    for (const odd of [
      null,
      {},
      { ...older, package: 1 },
      { ...older, options: 'x' },
      { ...older, share: {} },
      { ...older, share: { index: 0 } },
    ])
      assert.throws(() => CONVERT.readPayload(odd), JobRefused, JSON.stringify(odd));
  });
});

test('jobs that reindex and sweep', () => {
  assert.deepEqual(short(reindexJob({ names: null, all: true }, 2)), [
    'reindex',
    'all packages',
    'reindex',
    null,
    null,
  ]);
  assert.equal(reindexJob({ names: ['a', 'b'], all: false }, 2).label, 'a, b');
  assert.deepEqual(REINDEX.readPayload(null), { names: null, all: false });
  assert.deepEqual(REINDEX.readPayload({ names: ['a'], all: true }), { names: ['a'], all: true });
  assert.deepEqual(short(sweepJob(2)), ['sweep', 'the stores', 'sweep', 'sweep', null]);
  assert.deepEqual(SWEEP.retention, { succeeded: 'forgotten' });
});

test('jobs that compare and make tables are one at a time for what they are about', () => {
  const to = { id: 'other', name: 'b_city' };
  const key = 'compare an-id other bldg';
  assert.deepEqual(short(compareJob(row, to, 'bldg', 2)), [
    'compare',
    'a_city, b_city: bldg',
    key,
    key,
    null,
  ]);
  assert.deepEqual(short(tablesJob(row, 2)), ['tables', 'a_city', 'tables an-id', 'tables an-id', null]);
  const pair = { from: 'a', to: 'b', type: 'bldg' };
  assert.deepEqual(COMPARE.readPayload({ ...pair, more: 1 }), pair);
  for (const odd of [null, {}, { ...pair, from: 1 }, { ...pair, to: undefined }, { ...pair, type: null }]) {
    assert.throws(() => COMPARE.readPayload(odd), JobRefused, JSON.stringify(odd));
  }
  assert.deepEqual(short(inspectJob(row, 2)), ['inspect', 'a_city', 'inspect an-id', 'inspect an-id', null]);
  assert.deepEqual(INSPECT.readPayload({ package: 'p', more: 1 }), { package: 'p' });
  for (const odd of [null, {}, { package: 1 }]) assert.throws(() => INSPECT.readPayload(odd), JobRefused);
  assert.deepEqual(TABLES.readPayload({ package: 'p', more: 1 }), { package: 'p' });
  for (const odd of [null, {}, { package: 1 }]) assert.throws(() => TABLES.readPayload(odd), JobRefused);
  const pictures = ['pictures', 'a_city', 'pictures an-id', 'pictures an-id', null];
  assert.deepEqual(short(picturesJob(row, 2)), pictures);
  assert.deepEqual(PICTURES.readPayload({ package: 'p', more: 1 }), { package: 'p' });
  for (const odd of [null, {}, { package: 1 }]) assert.throws(() => PICTURES.readPayload(odd), JobRefused);
});

test('pictures are queued of 3D Tiles that are new, unless a setting forbids it', async () => {
  const queued: string[][] = [];
  const jobs = {
    enqueue: async (list: readonly NewJob[]) => void queued.push(list.map(({ label }) => label)),
  };
  const report = (outcome: string, kind: string | null, name: string) => ({
    outcome,
    package: { kind, id: name, name },
  });
  const reports = [
    report('published', '3dtiles', 'a'),
    report('replaced', '3dtiles', 'b'),
    report('unchanged', '3dtiles', 'c'),
    report('published', 'mvt', 'd'),
    report('published', 'citygml', 'e'),
    { outcome: 'published', package: { kind: '3dtiles', id: null, name: 'f' } },
    { outcome: 'failed', package: null },
  ];
  const ask = (PICTURES: 'published' | 'off', some = reports) =>
    queuePictures(some, jobs as never, { PICTURES, JOB_ATTEMPTS: 1 });
  await ask('off');
  await ask('published', reports.slice(2));
  assert.deepEqual(queued, []);
  await ask('published');
  assert.deepEqual(queued, [['a', 'b']]);
});

/** Runs a kind over stores that hold one small package. */
async function run<T>(at: Ingesting, kind: JobKind<T>, payload: T, env: Record<string, string> = {}) {
  const progress: JobProgress[] = [];
  const context: JobContext = {
    settings: readSettings({ DATA_DIR: join(at.directory, 'data'), ...env }),
    stores: at.stores,
    claim: { id: 'j', run: 1 },
    stagingDir: join(at.directory, 'data/staging'),
    log: pino({ level: 'silent' }),
    signal: new AbortController().signal,
    progress: (now) => progress.push(now),
  };
  return { result: (await kind.run(payload, context)) as Record<string, unknown>, progress };
}

describe('over stores', () => {
  test('a package is ingested, converted, indexed again and swept by its jobs', async () => {
    await using at = await openIngesting();
    const path = join(at.directory, `${PACKAGE}.zip`);
    await writeSmallPackage(path, 'a', 2);
    const ingested = await run(at, INGEST, {
      source: { path },
      overrides: {},
      replace: false,
      dryRun: false,
      level: 1,
    });
    assert.equal(ingested.result.outcome, 'published');
    assert.equal(ingested.result.upload, PACKAGE);
    assert.ok(ingested.progress.length > 0);

    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    const options = { ...USUAL_OPTIONS, heights: 'elevation' as const };
    const choices = { types: ['tran' as const], options, wardNames: {}, replace: false, maxAttempts: 1 };
    const [job] = convertJobs(city!, choices, 0);
    const converted = await run(at, CONVERT, job!.payload as ConvertPayload);
    assert.deepEqual(
      (converted.result.packages as Array<Record<string, unknown>>).map(({ name, kept }) => [name, kept]),
      [[`${PACKAGE}_tran_mvt_lod1`, false]],
    );
    const last = converted.progress.at(-1)!;
    assert.equal(last.unit, 'bytes');
    // Nobody asks for parts of it any more.
    assert.deepEqual((await run(at, CONVERT_PARTS, job!.payload as ConvertPayload)).result, { parts: 0 });

    const indexed = await run(at, REINDEX, { names: null, all: false });
    assert.deepEqual([indexed.result.rebuilt, indexed.result.current], [[], 2]);
    const again = await run(at, REINDEX, { names: [PACKAGE], all: true });
    assert.deepEqual(again.result.rebuilt, [PACKAGE]);
    await run(at, SWEEP, null);
    assert.equal((await at.stores.catalogue.findPackages({ name: PACKAGE })).length, 1);
  });

  test('an upload that is not there may come yet, and one that is no package is refused for good', async () => {
    await using at = await openIngesting();
    const of = (name: string) => {
      const source = { path: join(at.directory, name) };
      return run(at, INGEST, { source, overrides: {}, replace: false, dryRun: false, level: 1 });
    };
    await assert.rejects(of('none.zip'), JobFailed);
    await writeFile(join(at.directory, `${PACKAGE}.zip`), 'no zip');
    await assert.rejects(of(`${PACKAGE}.zip`), JobRefused);
  });

  test('tables, inspections and pictures are of packages that are served, and refused for others', async () => {
    await using at = await openIngesting();
    const path = join(at.directory, `${PACKAGE}.zip`);
    await writeSmallPackage(path, 'a', 1);
    await at.ingest(path);
    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    const tables = await run(at, TABLES, { package: city!.id });
    assert.deepEqual(
      (tables.result.tables as Array<Record<string, unknown>>).map(({ type, features }) => [type, features]),
      [
        ['luse', 4],
        ['tran', 4],
      ],
    );
    assert.equal(tables.progress.at(-1)!.done, tables.progress.at(-1)!.total);
    const inspected = await run(at, INSPECT, { package: city!.id });
    assert.equal(inspected.result.package, PACKAGE);
    const last = inspected.progress.at(-1)!;
    assert.equal(last.unit, 'bytes');
    assert.match(last.text, /^\w+, [\d.]+ k?B of [\d.]+ k?B$/);
    const refused = (kind: JobKind<{ package: string }>, id: string) =>
      assert.rejects(run(at, kind, { package: id }), (error: Error) => {
        assert.ok(error instanceof JobRefused);
        return /is not served any more/.test(error.message);
      });
    await refused(PICTURES, city!.id);
    await at.stores.catalogue.setState(city!.no, 'removed');
    for (const kind of [TABLES, INSPECT, PICTURES])
      for (const id of [city!.id, 'none']) await refused(kind, id);
    const missing = convertJobs(
      city!,
      { types: null, options: USUAL_OPTIONS, wardNames: {}, replace: false, maxAttempts: 1 },
      0,
    );
    await assert.rejects(run(at, CONVERT, missing[0]!.payload as ConvertPayload), JobRefused);
  });

  test('what follows on a publication is queued where the operator wants it', async () => {
    for (const [env, kinds, convert = false] of [
      [{ TABLES: 'off', INSPECT: 'off' }, []],
      [{ TABLES: 'off', INSPECT: 'off' }, ['convert'], true],
      [{ TABLES: 'published', INSPECT: 'off' }, ['tables']],
      [{ TABLES: 'off', INSPECT: 'published' }, ['inspect']],
    ] as const) {
      await using at = await openIngesting();
      const path = join(at.directory, `${PACKAGE}.zip`);
      await writeSmallPackage(path, 'a', 1);
      const upload = { source: { path }, overrides: {}, replace: false, dryRun: false, level: 1, convert };
      await run(at, INGEST, upload, env);
      const queued = await at.stores.jobs.list({}, { limit: 9, offset: 0 });
      assert.deepEqual(
        queued.map(({ kind }) => kind),
        kinds,
      );
    }
  });

  test('an index that cannot be made is told first and listed, and fails the job', async () => {
    await using at = await openIngesting();
    const path = join(at.directory, `${PACKAGE}.zip`);
    await writeSmallPackage(path, 'a', 2);
    const upload = { source: { path }, overrides: {}, replace: false, dryRun: false, level: 1 };
    await run(at, INGEST, upload);
    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    await at.stores.objects.delete(city!.archiveKey);
    await assert.rejects(run(at, REINDEX, { names: null, all: true }), (error) => {
      assert.ok(error instanceof JobFailed);
      const { faults } = error.result as { faults: Array<{ place: string; fault: string }> };
      assert.ok(faults.length >= 1);
      assert.equal(
        error.message,
        `${faults.length} indexes, or sets of tables or pictures, were not made; ` +
          `the first is that of ${faults[0]!.place}: ${faults[0]!.fault}`,
      );
      return true;
    });
  });

  test('parts are made for a package whose conversion is open, and found by the conversion elsewhere', async () => {
    await using fake = await FakeS3.start();
    await using at = await openIngesting(fake.address());
    // Workers share the object store alone.
    const envOf = (worker: string) => ({
      DATA_DIR: join(at.directory, worker),
      OBJECT_STORE: fake.address(),
    });
    const path = join(at.directory, `${PACKAGE}.zip`);
    const member = 'udx/tran/52385500_tran_6697_op.gml';
    await writePackage(path, [{ path: member, text: gml('tran', '52385500', 1, 'a') }]);
    await at.ingest(path);
    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    const options = { ...USUAL_OPTIONS, heights: 'elevation' as const };
    const choices = { types: ['tran' as const], options, wardNames: {}, replace: false, maxAttempts: 1 };
    const jobs = convertJobs(city!, choices, 1);
    const [whole, parts] = jobs.map(({ payload }) => payload as ConvertPayload);
    await at.stores.jobs.enqueue(convertJobs({ id: 'other', name: 'b' }, choices, 0), Date.now());
    assert.deepEqual(
      (await run(at, CONVERT_PARTS, parts!, envOf('helper'))).result,
      { parts: 0 },
      'only another is open',
    );
    await at.stores.jobs.enqueue(jobs.slice(0, 1), Date.now());
    const { result, progress } = await run(at, CONVERT_PARTS, parts!, envOf('helper'));
    assert.deepEqual([result.parts, result.reused], [2, 0]);
    assert.equal(typeof result.seconds, 'number');
    assert.match(progress.at(-1)!.text, /^\w+, [\d.]+ k?B of [\d.]+ k?B of CityGML$/);
    assert.deepEqual(await at.stores.catalogue.findPackages({ name: `${PACKAGE}_tran_mvt_lod1` }), []);
    assert.equal((await run(at, CONVERT, whole!, envOf('main'))).result.reused, 2);
  });

  test('tiles that cannot be ingested fail a conversion, which tells what it did', async () => {
    await using at = await openIngesting();
    const path = join(at.directory, `${PACKAGE}.zip`);
    const road = gml('tran', '52385500', 2, 'a');
    await writePackage(path, [
      { path: 'udx/tran/52385500_tran_6697_op.gml', text: road.replace('</tran:Road>', '</tran:Street>') },
    ]);
    await at.ingest(path);
    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    const options = { ...USUAL_OPTIONS, heights: 'elevation' as const };
    const choices = { types: ['tran' as const], options, wardNames: {}, replace: false, maxAttempts: 1 };
    const { catalogue, ...others } = at.stores;
    const full = new Proxy(catalogue, {
      get(target, name) {
        if (name === 'publish') return () => Promise.reject(new Error('a full disk'));
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const stores = { ...others, catalogue: full };
    const [job] = convertJobs(city!, choices, 0);
    await assert.rejects(run({ ...at, stores }, CONVERT, job!.payload as ConvertPayload), (error) => {
      assert.ok(error instanceof JobFailed);
      assert.equal(error.message, 'The program failed at this package: A full disk.');
      const { packages, issues } = error.result as Record<
        'packages' | 'issues',
        Array<Record<string, unknown>>
      >;
      assert.deepEqual(
        packages.map(({ name, features, kept }) => [name, features, kept]),
        [[`${PACKAGE}_tran_mvt_lod1`, 1, false]],
      );
      assert.deepEqual(
        issues.map(({ code, count }) => [code, count]),
        [['FEATURE_MALFORMED', 1]],
      );
      return true;
    });
  });

  test('a grid of heights that cannot be read refuses a conversion for good', async () => {
    await using at = await openIngesting();
    const path = join(at.directory, `${PACKAGE}.zip`);
    await writeSmallPackage(path, 'a', 1);
    await at.ingest(path);
    const [city] = await at.stores.catalogue.findPackages({ name: PACKAGE });
    const job = usualConvertJob(city!, 'geoid', 1).payload as ConvertPayload;
    const GEOID = join(at.directory, 'grid.txt');
    await writeFile(GEOID, 'no grid');
    for (const kind of [CONVERT, CONVERT_PARTS]) {
      await at.stores.jobs.enqueue([usualConvertJob(city!, 'geoid', 1)], Date.now());
      await assert.rejects(run(at, kind, job, { GEOID }), (error) => error instanceof JobRefused);
    }
  });

  test('what takes a package away meanwhile refuses its tables and pictures, other faults do not', async () => {
    await using at = await openIngesting();
    const row = { ...LIVE, kind: 'citygml', dataset: null } as unknown as PackageRow;
    const tiles = { ...LIVE, kind: '3dtiles', dataset: { format: '3D Tiles' } } as unknown as PackageRow;
    for (const [kind, found, end] of [
      [TABLES, row, 'its tables were made.'],
      [PICTURES, tiles, 'it was drawn.'],
    ] as const) {
      const failing = (error: Error) => {
        const fail = () => Promise.reject(error);
        const catalogue = { findPackages: async () => [found], gmlFiles: fail };
        const stores = {
          ...at.stores,
          catalogue: catalogue as never,
          objects: { traits: {}, open: fail } as never,
        };
        return run({ ...at, stores }, kind, { package: 'a' });
      };
      await assert.rejects(
        failing(new CatalogueConflict('gone')),
        (error: Error) =>
          error instanceof JobRefused && error.message === `The package was replaced or removed while ${end}`,
      );
      await assert.rejects(failing(new Error('a disk')), { message: 'a disk' });
    }
  });

  test('pictures are drawn of live 3D Tiles alone', async () => {
    await using at = await openIngesting();
    const tiles = { ...LIVE, kind: '3dtiles', dataset: { format: '3D Tiles' } };
    for (const row of [
      { ...tiles, state: 'retired' },
      { ...tiles, archiveKey: '' },
      { ...tiles, dataset: null },
      { ...tiles, dataset: { format: 'MVT' } },
    ]) {
      const catalogue = { findPackages: async () => [row] } as never;
      const stores = { ...at.stores, catalogue };
      await assert.rejects(run({ ...at, stores }, PICTURES, { package: 'a' }), {
        name: 'JobRefused',
        message: 'The package of 3D Tiles is not served any more.',
      });
    }
  });

  test('a comparison is refused where a package is gone, or both are too large', async () => {
    await using at = await openIngesting();
    const pair = { from: 'a', to: 'b', type: 'bldg' };
    await assert.rejects(run(at, COMPARE, pair), {
      name: 'JobRefused',
      message: 'One of the packages is not served any more.',
    });
    const failing = (error: Error) => {
      const catalogue = { findPackages: async () => [LIVE] } as never;
      const comparisons = { begin: () => Promise.reject(error) } as never;
      return run({ ...at, stores: { ...at.stores, catalogue, comparisons } }, COMPARE, pair);
    };
    await assert.rejects(failing(new ComparisonRefused('too large')), {
      name: 'JobRefused',
      message: 'too large',
    });
    await assert.rejects(failing(new Error('a disk')), { name: 'Error', message: 'a disk' });
  });

  test('a package that is not served is not converted', async () => {
    await using at = await openIngesting();
    const [job] = convertJobs(
      row,
      { types: null, options: USUAL_OPTIONS, wardNames: {}, replace: false, maxAttempts: 1 },
      0,
    );
    await assert.rejects(run(at, CONVERT, job!.payload as ConvertPayload), JobRefused);
  });
});
