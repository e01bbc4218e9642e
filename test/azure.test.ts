/** The built program on a container of Azure Blob Storage: ingestion, answers, redirects, check, backup. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Azurite } from '../packages/store/src/testing/azurite.ts';
import { urlsOf } from './support/packs.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { writeSampleWithTiles } from './support/sample.ts';
import { startServer } from './support/server.ts';
import { ingest } from './support/store.ts';

const CITY_ZIP = '/datacatalog/citygml/47900-latest/citygml.zip';

describe('on a container of Azure', () => {
  let directory: string;
  let azurite: Azurite;
  let env: Record<string, string>;
  const data = () => join(directory, 'data');

  before(async () => {
    directory = await tempDirectory();
    azurite = await Azurite.start();
    env = { OBJECT_STORE: azurite.address('here'), ...azurite.env };
    const sample = join(directory, 'sample');
    await writeSampleWithTiles(sample);
    const { run } = await ingest(data(), [sample], env);
    assert.equal(run.code, 0, run.stdout);
  });
  after(async () => {
    await azurite[Symbol.asyncDispose]();
    await removeDirectory(directory);
  });

  it('serves what it keeps below the prefix, and sends callers to the container for zips', async () => {
    for await (const { name } of azurite.client().listBlobsFlat())
      assert.match(name, /^here\/(owner\.json|archives\/[0-9a-f-]+\.(zip|sums\.index))$/);
    await using server = await startServer(data(), { env: { ...env, ASSET_REDIRECT: 'presigned' } });
    assert.equal((await server.request('/health/ready')).status, 200);
    const [gml] = await urlsOf(server, '47900', 'bldg');
    const whole = await server.request(gml!);
    assert.equal(whole.status, 200);
    const part = await server.request(gml!, { headers: { range: 'bytes=100-299' } });
    assert.deepEqual([part.status, part.body.equals(whole.body.subarray(100, 300))], [206, true]);

    const zip = String((await server.request(CITY_ZIP)).headers.location);
    const redirect = await server.request(zip);
    assert.equal(redirect.status, 302);
    const location = String(redirect.headers.location);
    assert.ok(location.startsWith(`${azurite.endpoint}/container/here/archives/`), location);
    assert.ok(!location.includes(azurite.key));
    const read = await fetch(location);
    assert.match(String(read.headers.get('content-disposition')), /^attachment; filename=/);
    const head = await server.request(zip, { method: 'HEAD' });
    const bytes = Buffer.from(await read.arrayBuffer());
    assert.deepEqual(
      [String(bytes.length), bytes.toString('latin1', 0, 2)],
      [head.headers['content-length'], 'PK'],
    );
  });

  it('is checked, and backed up beside it, like any other store', async () => {
    const settings = { DATA_DIR: data(), ...env };
    const check = await runProgram(['check', '--json'], settings);
    assert.equal(check.code, 0, check.stdout + check.stderr);
    const place = azurite.address('backups');
    const backup = await runProgram(['backup', place], settings);
    assert.equal(backup.code, 0, backup.stdout + backup.stderr);
    const keys: string[] = [];
    for await (const { name } of azurite.client().listBlobsFlat({ prefix: 'backups/' })) keys.push(name);
    assert.ok(keys.length >= 4, keys.join(' '));
    const inside = await runProgram(['backup', azurite.address('here/backups')], settings);
    assert.notEqual(inside.code, 0);
    assert.match(inside.stderr, /are within each other/);
    const bucket = await runProgram(['check', '--bucket'], settings);
    assert.match(bucket.stderr, /names no bucket of S3/);
    const all = [check, backup, inside, bucket].map(({ stdout, stderr }) => stdout + stderr).join('');
    assert.ok(!all.includes(azurite.key));
  });

  it('needs keys, and says where they come from', async () => {
    const { code, stderr } = await runProgram(['check'], {
      DATA_DIR: data(),
      OBJECT_STORE: env.OBJECT_STORE!,
    });
    assert.notEqual(code, 0);
    assert.match(stderr, /set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN/);
  });
});
