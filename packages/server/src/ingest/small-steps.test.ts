/** Short steps of an ingestion by themselves: findings that refuse, what is filled in, sums, time, names and reports. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import type { InspectReport } from '@citymodel/inspect';
import { CatalogueConflict, type CatalogueStore, type PackageRow } from '@citymodel/store';
import type { RangedSource } from '@citymodel/zip';
import { cityPackage } from '../catalogue/testing/snapshot-rows.ts';
import { archiveFacts, expectedFacts } from './archive-sums.ts';
import { fillIn } from './fill-in.ts';
import { MemberTime } from './member-time.ts';
import { refuseFindings } from './refuse-findings.ts';
import { qualityOf, summaryOf } from './report.ts';
import { OverBudget } from './upload.ts';

const reportOf = (...checks: Array<[code: string, errors: number]>) =>
  ({ checks: checks.map(([code, errors]) => ({ code, errors })) }) as unknown as InspectReport;

test('findings of the checks that the operator names refuse a package, the quick ones first', async () => {
  const asked: unknown[] = [];
  const signal = new AbortController().signal;
  const refusal = async (codes: string[], passing: InspectReport, whole: InspectReport) => {
    asked.length = 0;
    const inspect = async (...how: unknown[]) => {
      asked.push(how);
      return whole;
    };
    try {
      await refuseFindings({ codes, inspect }, { name: 'a', path: '/a.zip', report: passing, signal });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const words = (sums: string) =>
    `a has findings of ${sums}. REFUSE_FINDINGS of this server refuses packages that have any.`;
  const passing = reportOf(['C01', 2], ['C02', 0], ['C03', 1]);
  assert.equal(await refusal(['C01', 'C03', 'L01'], passing, reportOf()), words('C01 (2), C03 (1)'));
  assert.deepEqual(asked, [], 'nothing else is looked at then');
  assert.equal(await refusal(['C02'], passing, reportOf(['C02', 9])), null);
  assert.deepEqual(asked, [], 'the check has looked already');
  assert.equal(await refusal(['C02', 'L01'], passing, reportOf(['L01', 3], ['L02', 1])), words('L01 (3)'));
  assert.deepEqual(asked, [['/a.zip', ['L01'], signal]]);
  assert.equal(await refusal(['L01'], passing, reportOf(['L01', 0])), null);
  await refuseFindings(undefined, { name: 'a', path: '', report: passing, signal });
});

test('what live packages lack is made, each whatever becomes of the others', async () => {
  const rows = ['a', 'b', 'c', 'd'].map((name) => cityPackage({ name }));
  const catalogue = {
    async *packages(states: string[]) {
      assert.deepEqual(states, ['live']);
      yield rows.slice(0, 2);
      yield rows.slice(2);
    },
  } as unknown as CatalogueStore;
  const controller = new AbortController();
  const fill = (names: string[] | null, make: (row: PackageRow) => Promise<string>) =>
    fillIn(catalogue, {
      ...{ names, signal: controller.signal, make },
      isWanted: ({ name }) => name !== 'd',
      faultOf: (message) => `not made: ${message}`,
    });
  const report = await fill(null, async ({ name }) => {
    if (name === 'a') throw new Error('a disk');
    if (name === 'b') throw new CatalogueConflict('gone');
    return `of ${name}`;
  });
  assert.deepEqual(report, {
    filled: [{ name: 'c', result: 'of c' }],
    faults: [{ place: 'a', fault: 'not made: a disk' }],
  });
  assert.deepEqual((await fill(['b', 'd'], async () => 'x')).filled, [{ name: 'b', result: 'x' }]);
  const stopped = fill(null, async () => {
    controller.abort(new Error('enough'));
    throw new Error('a disk');
  });
  await assert.rejects(stopped, { message: 'enough' });
  await assert.rejects(
    fill(null, async () => 'x'),
    { message: 'enough' },
  );
});

/** Bytes whose first readings are others. */
function archiveOf(...readings: string[]) {
  const dropped: number[][] = [];
  let reading = 0;
  const archive = {
    name: 'a',
    size: readings[0]!.length,
    async *stream(start: number, end: number) {
      const bytes = Buffer.from(readings[Math.min(reading++, readings.length - 1)]!);
      yield bytes.subarray(start, Math.min(end, 2));
      yield bytes.subarray(2, end);
    },
    damaged: async (...range: number[]) => void dropped.push(range),
  };
  return { archive: archive as unknown as RangedSource, dropped };
}

const shaOf = (text: string) => createHash('sha256').update(text).digest('hex');

test('an archive that comes otherwise is dropped from caches and read once more', async () => {
  let passed = 0;
  const count = (bytes: number) => {
    passed += bytes;
  };
  const right = archiveOf('right');
  assert.equal((await expectedFacts(right.archive, shaOf('right'), count)).sha256, shaOf('right'));
  assert.deepEqual([right.dropped, passed], [[], 5]);
  const late = archiveOf('wrong', 'right');
  assert.equal((await expectedFacts(late.archive, shaOf('right'), count)).sha256, shaOf('right'));
  assert.deepEqual([late.dropped, passed], [[[0, 5]], 15]);
  const wrong = archiveOf('wrong');
  assert.equal((await expectedFacts(wrong.archive, shaOf('right'))).sha256, shaOf('wrong'));
  const empty = await archiveFacts(archiveOf('').archive);
  assert.deepEqual([empty.sha256, empty.pageSums.length], [shaOf(''), 0]);
});

test('a member has thirty seconds of processor time, and one more for each megabyte', (t) => {
  let used = 0;
  t.mock.method(process, 'threadCpuUsage', (before?: NodeJS.CpuUsage) => ({
    user: used * 1e6 - (before?.user ?? 0),
    system: 0,
  }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const time = new MemberTime('udx/a.gml');
  const work = (bytes: number, seconds: number) =>
    time.work(bytes, () => {
      used += seconds;
    });
  work(2_000_000, 32);
  work(1_000_000, 1);
  assert.throws(
    () => work(500_000, 0.6),
    (error) =>
      error instanceof OverBudget &&
      error.member === 'udx/a.gml' &&
      error.message ===
        'udx/a.gml: Its first 3500000 bytes took 34 s of processor time to read; 34 s are allowed.',
  );
});

test('quality in short has the checks with errors, three places of each', () => {
  assert.equal(qualityOf(null), null);
  const item = (line: number, position: number[] | null) => ({
    ...{ file: 'a.gml', id: 'x', line, message: `m${line}`, position, more: 1 },
  });
  const check = { name: 'N', severity: 'error', items: [], errors: 0, warnings: 0 };
  const report = {
    ...{ package: 'a', spec: 4, files: [], counts: [], skipped: [] },
    checks: [
      { ...check, code: 'no code', errors: 5, items: [1, 2, 3, 4].map((line) => item(line, null)) },
      { ...check, code: 'none' },
      { ...check, code: 'other', errors: 2, items: [item(1, [139, 35, 7]), item(2, [139, Number.NaN])] },
    ],
  } as unknown as InspectReport;
  const { spec, checks } = qualityOf(report)!;
  assert.equal(spec, 4);
  assert.deepEqual(
    checks.map(({ code, errors, title, places }) => [code, errors, title, places.map(({ line }) => line)]),
    [
      ['no code', 5, { ja: 'N', en: 'N' }, [1, 2, 3]],
      ['other', 2, { ja: 'N', en: 'N' }, [1, 2]],
    ],
  );
  const [first, second] = checks[1]!.places;
  assert.deepEqual(first, { file: 'a.gml', id: 'x', line: 1, message: 'm1', place: [139, 35] });
  assert.equal(second!.place, null);
});

test('a summary has the level and texture of its dataset', () => {
  const row = { ...cityPackage({ license: 'CC BY 4.0' }), files: 3, features: 4, archiveSize: null };
  const { lod, texture, license, files, features, archiveSize } = summaryOf(row);
  assert.deepEqual(
    [lod, texture, license, files, features, archiveSize],
    [null, null, 'CC BY 4.0', 3, 4, null],
  );
  const dataset = { lod: 2, texture: false } as NonNullable<PackageRow['dataset']>;
  const tiles = summaryOf({ ...row, dataset });
  assert.deepEqual([tiles.lod, tiles.texture, tiles.name], [2, false, row.name]);
  const unknown = { lod: null, texture: null } as unknown as NonNullable<PackageRow['dataset']>;
  assert.deepEqual([summaryOf({ ...row, dataset: unknown }).lod], [null]);
});
