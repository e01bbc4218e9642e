/** What is noted of answers, packs, jobs and the catalogue, as the metrics expose it: milliseconds become seconds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

/** Long enough that a factor of nearly a thousand shows, ms. */
const LONG = 4_000_000;

async function linesOf(metrics: Metrics): Promise<string[]> {
  const { type, text } = await metrics.exposed();
  assert.match(type, /^text\/plain; version=0\.0\.4/);
  return text.split('\n').filter((line) => line.startsWith('citymodel_') && !line.includes('_bucket{'));
}

test('everything that is noted is a line, in seconds, bytes and numbers', async () => {
  const metrics = new Metrics();
  const before = new Set(await linesOf(metrics));
  metrics.answered({ method: 'GET', route: '/a', status: 200, ms: LONG, bytes: 9 });
  metrics.answered({ method: 'GET', route: '/a', status: 200, ms: LONG, bytes: 0 });
  metrics.answered({ method: 'POST', route: '/a', status: 503, ms: 0, bytes: 1 });
  metrics.catalogueBuilt(7, { citygml: 3, '3dtiles': 0 });
  metrics.catalogueFailed();
  metrics.catalogueLate(LONG);
  metrics.packEnded('failed', LONG);
  metrics.jobEnded({ kind: 'convert', outcome: 'done', ms: LONG });
  metrics.unavailable('objects');
  metrics.inflating(true);
  metrics.readDamaged();
  metrics.loopDelayed(LONG);
  metrics.watchLoop(() => 5);
  const lines = (await linesOf(metrics)).filter((line) => !before.has(line));
  assert.deepEqual(
    lines.map((line) => line.slice('citymodel_'.length)),
    [
      'http_requests_total{route="/a",method="GET",status="200"} 2',
      'http_requests_total{route="/a",method="POST",status="503"} 1',
      'http_request_duration_seconds_sum{route="/a"} 8000',
      'http_request_duration_seconds_count{route="/a"} 3',
      'http_response_bytes_total{route="/a"} 10',
      'catalogue_version 7',
      'catalogue_packages{kind="citygml"} 3',
      'catalogue_packages{kind="3dtiles"} 0',
      'catalogue_builds_total{outcome="built"} 1',
      'catalogue_builds_total{outcome="failed"} 1',
      'catalogue_late_total 1',
      'catalogue_late_seconds_total 4000',
      'fast_inflater 1',
      'damaged_reads_total 1',
      'packs_total{outcome="failed"} 1',
      'pack_duration_seconds_sum 4000',
      'pack_duration_seconds_count 1',
      'event_loop_delay_seconds_sum 4000',
      'event_loop_delay_seconds_count 1',
      'event_loop_longest_delay_seconds 5',
      'unavailable_total{cause="objects"} 1',
      'job_attempts_total{kind="convert",outcome="done"} 1',
      'job_seconds_total{kind="convert"} 4000',
    ],
  );
});

test('the age of the catalogue counts from when it was compared, and is nothing before', async (t) => {
  t.mock.method(performance, 'now', () => 2 * LONG);
  const metrics = new Metrics();
  let comparedAt: number | null = null;
  metrics.watchCatalogue(() => comparedAt);
  const age = async () => (await linesOf(metrics)).find((line) => line.includes('compared_seconds'));
  assert.equal(await age(), 'citymodel_catalogue_compared_seconds 0');
  comparedAt = LONG;
  assert.equal(await age(), 'citymodel_catalogue_compared_seconds 4000');
});

test('durations are counted in classes that grow about threefold', async () => {
  const metrics = new Metrics();
  metrics.answered({ method: 'GET', route: '/a', status: 200, ms: 0, bytes: 0 });
  const { text } = await metrics.exposed();
  const classesOf = (name: string) =>
    Array.from(
      text.matchAll(new RegExp(`^citymodel_${name}_bucket{.*le="([^"]*)"`, 'gm')),
      ([, edge]) => edge,
    ).join(' ');
  assert.deepEqual(
    ['http_request_duration_seconds', 'pack_duration_seconds', 'event_loop_delay_seconds'].map(classesOf),
    [
      '0.001 0.003 0.01 0.03 0.1 0.3 1 3 10 30 120 +Inf',
      '0.01 0.03 0.1 0.3 1 3 10 30 120 900 +Inf',
      '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 3 10 +Inf',
    ],
  );
});
