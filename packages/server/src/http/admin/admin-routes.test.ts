/** The operator's routes at the router, without a socket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import { CITY, type InjectedService, injectService } from '../testing/inject-service.ts';
import type { AdminJob } from './admin-jobs.ts';

const TOKEN = 'a'.repeat(32);

describe('the operator', () => {
  let service: InjectedService;
  let city: PackageRow;
  let tiles: PackageRow;
  before(async () => {
    service = await injectService({ ADMIN_TOKEN: TOKEN });
    const { catalogue } = service.at.stores;
    [city] = (await catalogue.findPackages({ name: CITY })) as [PackageRow];
    [tiles] = (await catalogue.findPackages({ name: `${CITY}_luse_mvt_lod1` })) as [PackageRow];
  });
  after(() => service[Symbol.asyncDispose]());

  const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, token = TOKEN) =>
    service.ask(`/admin/${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  const post = async (path: string) => {
    const answer = await ask('POST', path);
    return { status: answer.status, job: answer.json<AdminJob & { reason: string }>() };
  };

  test('needs the token for every route', async () => {
    for (const [method, path] of [
      ['GET', 'uploads'],
      ['GET', 'jobs'],
      ['POST', `packages/${city.id}/convert`],
      ['DELETE', `packages/${city.id}?name=${CITY}`],
    ] as const)
      assert.equal((await ask(method, path, 'b'.repeat(32))).status, 401, path);
  });

  test('asks for work on live CityGML alone', async () => {
    for (const work of ['convert', 'inspect']) {
      const { status, job } = await post(`packages/${city.id}/${work}`);
      assert.deepEqual([status, job.kind, job.state, job.mayIngest], [200, work, 'queued', false]);
      for (const id of [tiles.id, '00000000-0000-8000-8000-000000000000', 'x']) {
        const refused = await post(`packages/${id}/${work}`);
        assert.equal(refused.status, 404, id);
        assert.match(refused.job.reason, /no live CityGML package/);
      }
    }
  });

  test('sees jobs page by page, cancels, retries and forgets them', async () => {
    const { job } = await post(`packages/${city.id}/convert`);
    const list = (await ask('GET', 'jobs?limit=1')).json<{ jobs: AdminJob[]; pages: number }>();
    assert.equal(list.jobs.length, 1);
    assert.ok(list.pages >= 1);
    assert.equal((await ask('GET', `jobs/${job.id}`)).json<AdminJob>().id, job.id);
    assert.equal((await post(`jobs/${job.id}/retry`)).status, 409, 'it waits');
    assert.equal((await ask('DELETE', `jobs/${job.id}`)).status, 409, 'it has not ended');
    assert.equal((await post(`jobs/${job.id}/ingest`)).status, 409, 'it is no dry run');
    assert.equal((await post(`jobs/${job.id}/cancel`)).job.state, 'cancelled');
    assert.equal((await post(`jobs/${job.id}/retry`)).job.state, 'queued');
    assert.equal((await post(`jobs/${job.id}/cancel`)).status, 200);
    const gone = await ask('DELETE', `jobs/${job.id}`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    for (const [method, path] of [
      ['GET', `jobs/${job.id}`],
      ['POST', `jobs/${job.id}/cancel`],
      ['POST', `jobs/${job.id}/retry`],
      ['POST', `jobs/${job.id}/ingest`],
      ['DELETE', `jobs/${job.id}`],
    ] as const)
      assert.equal((await ask(method, path)).status, 404, path);
  });

  test('sees the uploads, and how many there may be', async () => {
    const { uploads, maxBytes, maxCount } = (await ask('GET', 'uploads')).json<Record<string, unknown>>();
    assert.deepEqual(uploads, []);
    assert.ok(Number(maxBytes) > 0 && Number(maxCount) > 0);
    assert.equal((await post('uploads/00000000-0000-4000-8000-000000000000/check')).status, 404);
  });

  test('removes a package by its name, and brings it back', async () => {
    const path = `packages/${city.id}`;
    for (const name of ['', '?name=other']) {
      const answer = await ask('DELETE', path + name);
      assert.equal(answer.status, 400);
      assert.match(answer.json<{ reason: string }>().reason, new RegExp(`name=${CITY}`));
    }
    assert.equal((await post(`${path}/bring-back`)).status, 409, 'it is live');
    assert.equal((await ask('DELETE', `${path}?name=${CITY}`)).status, 204);
    const [row] = await service.at.stores.catalogue.findPackages({ id: city.id });
    assert.equal(row!.state, 'removed');
    assert.equal((await ask('DELETE', `${path}?name=${CITY}`)).status, 404);
    assert.equal((await post(`${path}/convert`)).status, 404);
    assert.equal((await ask('DELETE', 'packages/x?name=x')).status, 404);
    assert.equal((await post('packages/x/bring-back')).status, 404);
  });
});
