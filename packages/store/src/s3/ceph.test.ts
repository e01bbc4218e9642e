import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { StoreUnavailable } from '../catalogue-store.ts';
import { CEPH_KEYS, Ceph, cephIsMissing } from '../testing/ceph.ts';
import { killRounds } from '../testing/kill-rounds.ts';
import { chunks, collect, isOneByte, objectStoreConformance } from '../testing/object-store-conformance.ts';
import { checkBucket } from './check-bucket.ts';
import { parseS3Address } from './s3-address.ts';
import { S3Store } from './s3-store.ts';

const missing = await cephIsMissing();

describe('on a real S3, the gateway of Ceph', { skip: missing ?? false }, () => {
  let ceph: Ceph;
  before(async () => {
    Object.assign(process.env, CEPH_KEYS);
    ceph = await Ceph.start();
  });
  after(() => ceph[Symbol.asyncDispose]());

  const open = (prefix: string) => new S3Store(parseS3Address(ceph.address(prefix)));

  objectStoreConformance('Ceph', async () => {
    const prefix = randomUUID();
    return { open: async () => open(prefix), async [Symbol.asyncDispose]() {} };
  });

  test('a killed writer leaves whole objects or none, and parts that can be given up', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ceph-kill-'));
    const store = open('kill');
    try {
      const program = join(import.meta.dirname, '..', 'testing', 'put-forever.ts');
      await killRounds(program, [ceph.address('kill'), directory, '20000000'], 4, async (lines, round) => {
        const there = new Set<string>();
        for await (const { key, size } of store.list(`archives/${round}-`)) {
          there.add(key);
          assert.equal(size, 20_000_000);
          await using handle = await store.open(key);
          for await (const bytes of handle.stream(0, size)) assert.ok(isOneByte(bytes));
        }
        for (const key of lines.slice(1)) assert.ok(there.has(key), `${key} was acknowledged`);
        assert.ok(there.size - (lines.length - 1) <= 1, 'at most one object was put and not acknowledged');
      });
      await store.abortUploads(new Date(Date.now() + 60_000), () => false);
      assert.equal(await store.abortUploads(new Date(Date.now() + 60_000), () => false), 0);
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
  });

  test('has a bucket that does all that is needed, once pages may read from it', async () => {
    const address = parseS3Address(ceph.address('check'));
    const options = { redirect: 'presigned', origin: 'https://city.example.jp' };
    const faults = async () =>
      (await checkBucket(address, options)).filter(({ state }) => state === 'fault').map(({ what }) => what);
    assert.deepEqual(await faults(), ['pages of other origins may read from it (CORS)']);
    const client = new S3Client({ endpoint: ceph.endpoint, region: 'us-east-1', forcePathStyle: true });
    const rule = {
      AllowedMethods: ['GET', 'HEAD'],
      AllowedOrigins: ['*'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag', 'Content-Range', 'Content-Length', 'Accept-Ranges'],
    };
    await client.send(
      new PutBucketCorsCommand({ Bucket: ceph.bucket, CORSConfiguration: { CORSRules: [rule] } }),
    );
    assert.deepEqual(await faults(), []);
    const hints = async () =>
      (await checkBucket(address, options)).filter(({ state }) => state === 'hint').map(({ what }) => what);
    const unfinished = 'no lifecycle rule gives up unfinished uploads, or it may not be read';
    assert.deepEqual(await hints(), [unfinished]);
    const givesUp = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } };
    for (const [more, expected] of [
      [{ Expiration: { Days: 30 } }, [unfinished, 'the bucket keeps old versions']],
      [givesUp, ['the bucket keeps old versions']],
    ] as const) {
      await client.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket: ceph.bucket,
          LifecycleConfiguration: {
            Rules: [{ ID: 'rule', Status: 'Enabled', Filter: { Prefix: 'nothing/' }, ...more }],
          },
        }),
      );
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket: ceph.bucket, VersioningConfiguration }));
      assert.deepEqual(await hints(), expected);
    }
    client.destroy();
  });

  test('goes on when the gateway is there again, in the middle of a read', async () => {
    const store = open('gone');
    try {
      const bytes = Buffer.alloc(20_000_000, 9);
      await store.put('k', chunks(bytes));
      await using handle = await store.open('k');
      await ceph.killGateway();
      await assert.rejects(handle.read(0, 10), StoreUnavailable);
      await assert.rejects(store.probe(), StoreUnavailable);
      await ceph.startGateway();
      await store.probe();
      assert.ok(bytes.equals(await collect(handle, 0, bytes.length)));
    } finally {
      await store.close();
    }
  });
});
