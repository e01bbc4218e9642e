import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InspectReport, ReportCheck } from '@citymodel/inspect';
import { factsOfCheck, inspectedOf, KEPT_PLACES, reportFrom } from './kept-report.ts';

type ReportItem = ReportCheck['items'][number];

const item = (message: string, more: Partial<ReportItem> = {}): ReportItem => ({
  file: 'udx/bldg/53394525_bldg_6697_op.gml',
  id: `id ${message}`,
  ref: `ref ${message}`,
  line: 7,
  type: 'bldg:Building',
  lod: 2,
  message,
  position: null,
  ...more,
});

const check = (code: string, severity: ReportCheck['severity'], items: ReportItem[], left = 0) => ({
  ...{ code, name: `name ${code}`, severity, items, left },
  errors: items.length + left,
  files: { 'udx/bldg/53394525_bldg_6697_op.gml': items.length + left },
});

const reportOf = (checks: ReportCheck[], more: Partial<InspectReport> = {}): InspectReport => ({
  package: '13101_chiyoda-ku_city_2023_citygml_1_op',
  spec: 4,
  ok: false,
  complete: true,
  plane: 6677,
  objects: null,
  checks,
  counts: [],
  files: [],
  skipped: [],
  ...more,
});

const NOW = '2026-11-25T00:00:00.000Z';

test('errors and warnings are summed apart, whatever checks stand between', () => {
  const { quality } = inspectedOf(
    reportOf([
      check('C01', 'error', [item('a'), item('b')], 3),
      check('L04', 'warning', [item('c')]),
      check('C02', 'error', []),
      check('C03', 'error', [item('d')]),
      check('L05', 'warning', [item('e')], 10),
    ]),
    NOW,
  );
  assert.deepEqual(quality, {
    ...{ spec: 4, errors: 6, warnings: 12, complete: true },
    ...{ scope: 'inspection', checkedAt: NOW },
  });
  const none = inspectedOf(reportOf([], { complete: false, inPassing: true }), NOW).quality;
  assert.deepEqual([none.errors, none.warnings, none.complete, none.scope], [0, 0, false, 'ingestion']);
});

test('places are numbered through all checks; only three finite numbers are a place', () => {
  const { findings } = inspectedOf(
    reportOf([
      check('C01', 'error', [item('a', { position: [139.7, 35.6, 3.5] }), item('b')]),
      check('L04', 'warning', [
        item('c', { position: [139.7, Number.NaN, 0] }),
        item('d', { position: [139.7, 35.6] as unknown as [number, number, number] }),
        item('e', { position: [139, 35, 0, 0] as unknown as [number, number, number], row: { 列: 1 } }),
      ]),
    ]),
    NOW,
  );
  const rows = [...findings];
  assert.deepEqual(
    rows.map(({ position, code, message, place, row }) => [position, code, message, place, row]),
    [
      [0, 'C01', 'a', [139.7, 35.6, 3.5], null],
      [1, 'C01', 'b', null, null],
      [2, 'L04', 'c', null, null],
      [3, 'L04', 'd', null, null],
      [4, 'L04', 'e', null, { 列: 1 }],
    ],
  );
  const { file, id, ref, line, type, lod } = rows[0]!;
  assert.deepEqual(
    [file, id, ref, line, type, lod],
    [item('a').file, 'id a', 'ref a', 7, 'bldg:Building', 2],
  );
});

test('of one check the first thousand places are kept, and the rest is counted', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => item(`${i}`));
  const { report, findings } = inspectedOf(
    reportOf([
      check('C01', 'error', many(1_002), 5),
      check('C02', 'error', many(1_000), 2),
      check('C03', 'error', many(3)),
    ]),
    NOW,
  );
  assert.equal(KEPT_PLACES, 1_000);
  const rows = [...findings];
  assert.equal(rows.length, 2_003);
  assert.deepEqual(
    [rows[999], rows[1_000]].map((row) => [row!.position, row!.code, row!.message]),
    [
      [999, 'C01', '999'],
      [1_000, 'C02', '0'],
    ],
  );
  const kept = JSON.parse(report) as { checks: Array<{ left: number; errors: number; items?: unknown }> };
  assert.deepEqual(
    kept.checks.map(({ left, errors, items }) => [left, errors, items]),
    [
      [7, 1_007, undefined],
      [2, 1_002, undefined],
      [0, 3, undefined],
    ],
  );
});

test('what is kept becomes the report again', () => {
  const report = reportOf([
    check('C01', 'error', [
      item('a', { position: [139.7, 35.6, 3.5], row: { Building: 'a', n: 0 } }),
      item('b', { file: null, id: null, ref: null, line: null, type: null, lod: null }),
    ]),
    check('L04', 'warning', []),
    check('C02', 'error', [item('c')]),
  ]);
  const { report: kept, findings } = inspectedOf(report, NOW);
  const again = reportFrom(JSON.parse(kept), [...findings]);
  assert.deepEqual(again, report);
  assert.ok(!('row' in again.checks[0]!.items[1]!), 'a finding without a row of the official table has none');
});

test('the facts of a check are those of its code', () => {
  assert.ok(factsOfCheck('C01')!.rule.en.length > 10);
  assert.notDeepEqual(factsOfCheck('C01'), factsOfCheck('L04'));
  assert.equal(factsOfCheck('X99'), null);
});
