import assert from 'node:assert/strict';
import { test } from 'node:test';
import { geoidHeight, readGsigeo2011, readRevision, revisionAt } from '@citymodel/geo';
import Fastify from 'fastify';
import { handleFailures } from '../answers/failures.ts';
import { serveGeoidHeight } from './geoid.ts';

async function ask(query: string) {
  const app = Fastify();
  handleFailures(app, () => {});
  app.get('/h', serveGeoidHeight());
  const { statusCode, payload } = await app.inject(`/h?${query}`);
  await app.close();
  return { status: statusCode, answer: JSON.parse(payload) };
}

test('the height of a place is that of the model, by the datum that is asked for', async () => {
  const [lat, lng] = [35.68, 139.77];
  const height = geoidHeight(readGsigeo2011(), lng, lat)!;
  const text = height.toFixed(3);
  const place = { lat, lng, geoid_height: Number(text), geoid: text };
  const before = { ...place, datum: 'jgd2011', model: 'GSIGEO2011' };
  assert.deepEqual(await ask(`lat=${lat}&lng=${lng}`), { status: 200, answer: before });
  assert.deepEqual((await ask(`lat=${lat}&lng=${lng}&datum=JGD2011`)).answer, before);
  const revision = revisionAt(readRevision(), lng, lat)!;
  const { answer } = await ask(`lat=${lat}&lng=${lng}&datum=jgd2024`);
  assert.equal(answer.geoid, (height - revision).toFixed(3));
  assert.equal(answer.geoid_height, Number(answer.geoid));
  assert.equal(answer.revision, Number(revision.toFixed(5)));
  assert.match(answer.model, /^GSIGEO2011 less ./);
});

test('where the revision is not known the height is that of before, and says so', async () => {
  const grid = readGsigeo2011();
  const revision = readRevision();
  const unknown = Array.from(
    { length: 30 * 26 },
    (_, i) => [20.5 + Math.floor(i / 30), 120.5 + (i % 30)] as const,
  ).find(([lat, lng]) => geoidHeight(grid, lng, lat) !== null && revisionAt(revision, lng, lat) === null)!;
  const [lat, lng] = unknown;
  const { answer } = await ask(`lat=${lat}&lng=${lng}&datum=jgd2024`);
  const text = geoidHeight(grid, lng, lat)!.toFixed(3);
  assert.deepEqual(answer, {
    ...{ lat, lng, geoid_height: Number(text), geoid: text },
    ...{ datum: 'jgd2024', model: 'GSIGEO2011', revision: null },
  });
});

test('other data and places beyond the model are refused', async () => {
  for (const [query, reason] of [
    ['lat=35&lng=139&datum=wgs84', /datum is neither jgd2011 nor jgd2024/],
    ['lat=35&lng=0', /lies outside of GSIGEO2011/],
    ['lat=91&lng=139', /lat/],
    ['lat=35', /lng/],
  ] as const) {
    const { status, answer } = await ask(query);
    assert.equal(status, 400, query);
    assert.match(answer.reason, reason);
  }
});
