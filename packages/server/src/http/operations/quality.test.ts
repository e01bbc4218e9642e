import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FindingRow } from '@citymodel/store';
import Fastify from 'fastify';
import { cityPackage, snapshotOf } from '../../catalogue/testing/snapshot-rows.ts';
import type { KeptReport } from '../../quality/kept-report.ts';
import { handleFailures } from '../answers/failures.ts';
import type { ServiceContext } from '../context.ts';
import { serveQuality } from './quality.ts';

const QUALITY = {
  ...{ spec: 4, errors: 3, warnings: 0, complete: true, scope: 'inspection' as const },
  checkedAt: '2026-11-25T00:00:00.000Z',
};
const city = cityPackage({ year: 2023, quality: QUALITY, name: '13101_千代田_2023' });
const snapshot = await snapshotOf(city);
const CHECK = { code: 'L04', name: 'コード値', severity: 'error', errors: 9, left: 2 };
const SKIPPED = { file: null, reason: 'no list', count: 2 };
const KEPT = {
  ...{ package: city.name, ok: false, counts: [], files: [] },
  ...{ spec: 4, plane: 9, objects: 'objects.csv', skipped: [SKIPPED], complete: true },
  checks: [CHECK, { ...CHECK, code: 'X99', severity: 'warning' }],
} as unknown as KeptReport;
const finding = (position: number, change: Partial<FindingRow> = {}): FindingRow => ({
  ...{ position, code: 'L04', file: 'udx/a.gml', id: 'bldg_a', ref: null, line: 7, type: 'Building' },
  ...{ lod: 1, message: 'said', place: [139.5, 35.25, 4], row: { 列: 1 }, ...change },
});

async function ask(path: string, { kept = KEPT as KeptReport | null, findings = [finding(0)] } = {}) {
  const asked: Array<Record<string, unknown>> = [];
  const context = {
    watch: { current: () => snapshot },
    catalogue: {
      qualityReport: async (no: number) => (no === city.no && kept !== null ? JSON.stringify(kept) : null),
      async findings(query: { limit: number }) {
        asked.push({ ...query });
        return findings.slice(0, query.limit);
      },
    },
  } as unknown as ServiceContext;
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/q/:spec', serveQuality(context));
  const { statusCode, headers, payload } = await app.inject(`/q/${path}`);
  await app.close();
  return { status: statusCode, headers, text: payload, json: () => JSON.parse(payload), asked };
}

test('a page has checks with their rules, places, and where the next page begins', async () => {
  const { json, asked } = await ask('13101-latest?limit=2', { findings: [0, 5, 9].map((n) => finding(n)) });
  assert.deepEqual(asked, [{ packageNo: city.no, code: null, after: -1, limit: 3 }]);
  const { package: name, quality, plane, objects, checks, skipped, places, next } = json();
  assert.deepEqual([name, quality, plane, objects], [city.name, QUALITY, 9, 'objects.csv']);
  assert.deepEqual(skipped, [SKIPPED]);
  assert.equal(next, 5);
  const { row: _, ...first } = finding(0);
  assert.deepEqual(places, [first, { ...first, position: 5 }]);
  const [known, unknown] = checks;
  const { code, name: official, severity, errors, left, title, rule } = known;
  assert.deepEqual({ code, name: official, severity, errors, left }, CHECK);
  assert.equal(typeof title, 'object');
  assert.notEqual(rule, undefined);
  assert.deepEqual([unknown.title, unknown.rule], [null, null]);
});

test('the last page has no next one, and a page may be of one check, or without places', async () => {
  const two = { findings: [finding(0), finding(5)] };
  assert.equal((await ask('13101-2023?limit=2', two)).json().next, null);
  const none = (await ask('13101-2023?limit=0', two)).json();
  assert.deepEqual([none.places, none.next], [[], null]);
  const { asked } = await ask('13101-2023?check=L04&after=41', two);
  assert.deepEqual(asked, [{ packageNo: city.no, code: 'L04', after: 41, limit: 101 }]);
  for (const query of ['limit=1001', 'limit=-1', 'after=-2', 'format=xml'])
    assert.equal((await ask(`13101-2023?${query}`)).status, 400, query);
  assert.equal((await ask('13101-2023?limit=1000&after=1000000000')).status, 200);
});

test('a package that was not inspected has no report, and one that is not there no answer', async () => {
  const { status, json } = await ask('13101-2023', { kept: null });
  assert.equal(status, 200);
  const empty = { package: city.name, quality: null, checks: [], skipped: [], places: [], next: null };
  assert.deepEqual(json(), empty);
  const csv = await ask('13101-2023?format=csv', { kept: null });
  assert.equal(csv.status, 404);
  assert.match(csv.json().reason, /was not inspected/);
  assert.equal((await ask('13102-2023')).status, 404);
  assert.equal((await ask('13101')).status, 400);
});

test('documents have all places', async () => {
  const findings = [finding(0), finding(1, { code: 'T09', place: null, message: 'a "b", c', id: null })];
  const csv = await ask('13101-2023?format=csv', { findings });
  assert.deepEqual(csv.asked, [{ packageNo: city.no, code: null, after: -1, limit: 150_000 }]);
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8');
  const name = encodeURIComponent(city.name);
  assert.equal(csv.headers['content-disposition'], `attachment; filename="${name}_quality.csv"`);
  const [head, first, second] = csv.text.split('\r\n');
  assert.match(
    head!,
    /^\ufeff?check,name,severity,file,line,gml:id,ref,type,lod,longitude,latitude,height,message$/,
  );
  assert.equal(first, 'L04,コード値,error,udx/a.gml,7,bldg_a,,Building,1,139.5,35.25,4,said');
  assert.equal(second, 'T09,,,udx/a.gml,7,,,Building,1,,,,"a ""b"", c"');
  const geojson = await ask('13101-2023?format=geojson', { findings });
  assert.equal(geojson.headers['content-type'], 'application/geo+json; charset=utf-8');
  assert.match(String(geojson.headers['content-disposition']), /_quality\.geojson"$/);
  assert.deepEqual(geojson.json().features[0].geometry.coordinates.slice(0, 2), [139.5, 35.25]);
  const html = await ask('13101-2023?format=html', { findings });
  assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(html.headers['content-disposition'], undefined);
  assert.match(html.text, /L04/);
});
