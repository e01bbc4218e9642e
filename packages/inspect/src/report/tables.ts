/** The official tables of a report: errors of each kind, overviews by file, and summaries. */
import { posix } from 'node:path';
import { type Check, PLACE_COLUMNS } from '../check.ts';
import { CHECKS } from '../checks/index.ts';
import { placeOf } from '../run/file-checks.ts';
import type { InspectReport, ReportItem } from './report.ts';

export interface OfficialFile {
  /** Name of the file: `01_共通_L04エラー.csv`. */
  name: string;
  text: string;
}

const PLACES = new Set<string>(PLACE_COLUMNS);
/** Sections of the official overviews by file, with the beginning of their names. */
const OVERVIEWS: Record<string, string> = {
  bldg: '02_建築物',
  tran: '03_交通',
  frn: '04_都市設備',
  veg: '04_植生',
  luse: '05_土地利用',
  urf: '05_都市計画決定情報',
  area: '05_区域',
  lsld: '07_土砂災害警戒区域',
  dem: '08_地形',
  brid: '09_橋梁',
  tun: '09_トンネル',
  ubld: '09_地下街',
  cons: '10_その他の構造物',
  wtr: '11_水部',
  unf: '12_地下埋設物',
  gen: '13_汎用都市オブジェクト',
};

/** All tables as CSV (UTF-8 with a byte order mark, as spreadsheets open it) and summaries as JSON. */
export function* officialFiles(
  report: InspectReport,
  checks: readonly Check[] = CHECKS,
): Generator<OfficialFile> {
  yield { name: '01_共通.csv', text: csv(commonRows(report)) };
  const index = new Map(report.files.map(({ path }, i) => [path, i + 1]));
  for (const [file, of] of Map.groupBy(tablesOf(report, checks), ({ table }) => table)) {
    const rows: unknown[][] = [[...of[0]!.columns]];
    for (const { columns, item } of of) rows.push(columns.map((column) => cellOf(column, item, index)));
    yield { name: `${file}.csv`, text: csv(rows) };
  }
  for (const [summary, prefix] of Object.entries(OVERVIEWS)) {
    const listed = report.checks.filter(({ code }) => summaryOf(code, checks) === summary);
    if (listed.length === 0) continue;
    const names = listed.map(({ name }) => name);
    const rows: unknown[][] = [['Index', 'Filename', ...names]];
    for (const { path } of report.files.filter((file) => isIn(file.path, listed, checks))) {
      rows.push([index.get(path), posix.basename(path), ...listed.map(({ files }) => files[path] ?? 0)]);
    }
    yield { name: `${prefix}_検査結果一覧.csv`, text: csv(rows) };
  }
  const summaries = Map.groupBy(report.checks, ({ code }) => summaryOf(code, checks));
  for (const [summary, listed] of summaries) {
    if (summary === null) continue;
    const counts = listed.map(({ code, name, errors, files }) => ({
      name,
      // The official summary counts files there, and not names.
      count: report.likeUpstream && code === 'gen.name' ? Object.keys(files).length : errors,
    }));
    yield { name: `summary_${summary}.json`, text: `${JSON.stringify(counts, null, 2)}\n` };
  }
}

function summaryOf(code: string, checks: readonly Check[]): string | null {
  return checks.find((check) => check.code === code)?.summary ?? null;
}

function isIn(path: string, listed: readonly { code: string }[], checks: readonly Check[]): boolean {
  const folder = placeOf(path)?.folder ?? '';
  return listed.some(
    ({ code }) => checks.find((check) => check.code === code)?.folders?.includes(folder) ?? false,
  );
}

interface TableRow {
  table: string;
  columns: readonly string[];
  item: ReportItem;
}

function tablesOf(report: InspectReport, checks: readonly Check[]): TableRow[] {
  return report.checks.flatMap(({ code, items }) => {
    const table = checks.find((check) => check.code === code)?.table ?? null;
    if (table === null) return [];
    return items.map((item) => {
      const folder =
        (item.file === null ? null : placeOf(item.file)?.folder) ?? String(item.row?.package ?? '');
      return { table: table.file.replace('TYPE', folder), columns: table.columns, item };
    });
  });
}

function cellOf(column: string, { file, row }: ReportItem, index: ReadonlyMap<string, number>): unknown {
  if (row?.[column] !== undefined || !PLACES.has(column)) return row?.[column] ?? '';
  if (file === null) return '';
  const place = placeOf(file);
  if (column === 'Index') return index.get(file) ?? '';
  if (column === 'Folder' || column === 'dirs') return place?.directory ?? '';
  if (column === 'package') return place?.folder ?? '';
  return posix.basename(file);
}

const STATUS = { fault: 'NOT_WELL_FORMED', invalid: 'INVALID', valid: 'VALID', unknown: 'NOT_VALIDATED' };
const LARGE = 1 << 30;

/** The overview of checks that concern all files. */
function commonRows(report: InspectReport): unknown[][] {
  const of = (code: string, path: string) =>
    report.checks.find((check) => check.code === code)?.files[path] ?? 0;
  const isValidated = report.checks.some(({ code }) => code === 'L02');
  const rows: unknown[][] = [
    [
      'Index',
      'Folder',
      'Filename',
      'サイズ[KB]',
      '1GB以下',
      'XML検証結果',
      'L01エラー',
      'L02エラー',
      'L03エラー',
      'L03エラー詳細',
      'L04エラー',
      '不正なcodeSpace数',
      'L05CRS識別子',
      '不正なCRS識別子',
      'L06エラー',
      'T03エラー',
      'xlink参照先なし',
      'gml:id重複',
      'gml:id書式不正',
      'L-frn-01エラー',
      '補足',
    ],
  ];
  report.files.forEach(({ path, bytes, isWellFormed }, i) => {
    const invalid = of('L02', path) > 0 ? STATUS.invalid : isValidated ? STATUS.valid : STATUS.unknown;
    rows.push([
      i + 1,
      placeOf(path)?.directory ?? '',
      posix.basename(path),
      Math.floor(bytes / 1024),
      bytes <= LARGE ? 'OK' : 'Over',
      isWellFormed ? invalid : STATUS.fault,
      of('L01', path),
      of('L02', path),
      of('L03', path),
      JSON.stringify(otherTypes(report, path)),
      of('L04', path),
      of('codeSpace', path),
      of('L05', path) > 0 ? 'Wrong' : 'OK',
      report.checks.find(({ code }) => code === 'L05')?.items.find(({ file }) => file === path)?.ref ?? '',
      of('L06', path),
      of('T03', path),
      of('xlink', path),
      of('C01', path),
      of('gmlid', path),
      of('L-frn-01', path),
      '',
    ]);
  });
  return rows;
}

/** Feature types that do not belong into the folder of a file, with their numbers. */
function otherTypes(report: InspectReport, path: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { file, ref } of report.checks.find(({ code }) => code === 'L03')?.items ?? []) {
    if (file === path && ref !== null) counts[ref] = (counts[ref] ?? 0) + 1;
  }
  return counts;
}

/** RFC 4180, with a byte order mark. */
function csv(rows: readonly (readonly unknown[])[]): string {
  return `\ufeff${rows.map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`;
}

function csvCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
