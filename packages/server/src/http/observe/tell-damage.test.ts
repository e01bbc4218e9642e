import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { Metrics } from './metrics.ts';
import { tellDamage } from './tell-damage.ts';

test('each damaged read is counted and logged with its place', async () => {
  const lines: string[] = [];
  const metrics = new Metrics();
  const tell = tellDamage(metrics, pino({}, { write: (line: string) => void lines.push(line) }));
  tell('archives/a.zip', { offset: 7, length: 9 });
  tell('archives/a.zip', { offset: 7, length: 9 });
  assert.match((await metrics.exposed()).text, /^citymodel_damaged_reads_total 2$/m);
  assert.equal(lines.length, 2);
  const { key, offset, length, level } = JSON.parse(lines[0]!);
  assert.deepEqual([key, offset, length, level], ['archives/a.zip', 7, 9, 50]);
});
