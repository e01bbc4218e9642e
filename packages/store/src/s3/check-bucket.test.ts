import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Asked, FakeS3, type Fault } from '../testing/fake-s3.ts';
import { checkBucket } from './check-bucket.ts';
import { parseS3Address } from './s3-address.ts';
import { closeLink, openLink } from './s3-client.ts';
import { S3Verbs } from './s3-verbs.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

const ORIGIN = 'https://city.example.jp';
const NO_RULE = 'no lifecycle rule gives up unfinished uploads, or it may not be read';
const WORKS = [
  'the bucket answers',
  'objects are written',
  'ranges are read',
  'an object that was replaced is not mixed with the new one (If-Match)',
  'an object is not overwritten by a second writer (If-None-Match)',
  'large objects are written in parts',
  'unfinished uploads are given up',
  'objects are listed',
];
const CORS = 'pages of other origins may read from it (CORS)';
const RANGES = 'the address that ASSET_REDIRECT leads to answers ranges';

async function bucket(t: TestContext): Promise<FakeS3> {
  const fake = await FakeS3.start();
  t.after(() => fake[Symbol.asyncDispose]());
  fake.settings = {
    lifecycle:
      '<LifecycleConfiguration><Rule><AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation>' +
      '</AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>',
    versioning: '<VersioningConfiguration/>',
  };
  return fake;
}

const look = (fake: FakeS3, redirect = '') =>
  checkBucket(parseS3Address(fake.address('a/prefix')), { redirect, origin: ORIGIN });

/** What is no success, with what to do. */
const rest = (findings: Awaited<ReturnType<typeof look>>) =>
  findings.flatMap(({ what, state, advice }) => (state === 'ok' ? [] : [`${state} ${what}: ${advice}`]));

test('a bucket that does all that is needed is right, and nothing stays in it', async (t) => {
  const fake = await bucket(t);
  const findings = await look(fake);
  assert.deepEqual(
    findings,
    [...WORKS, 'objects are deleted'].map((what) => ({ what, state: 'ok', advice: '' })),
  );
  assert.deepEqual([fake.objects.size, fake.uploads.size], [0, 0]);
  const parts = fake.asked.filter(({ query }) => query.has('partNumber')).map(({ body }) => body);
  assert.equal(
    parts.reduce((sum, bytes) => sum + bytes, 0),
    17 * 2 ** 20,
  );
  assert.ok(parts.length > 1);
  assert.ok(fake.asked.some(({ range }) => range === 'bytes=50000-50999'));
});

test('settings of the bucket that nothing fails without are hints', async (t) => {
  const fake = await bucket(t);
  fake.settings = {
    versioning: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
  };
  const hints = rest(await look(fake));
  assert.equal(hints.length, 2);
  assert.ok(hints[0]!.startsWith(`hint ${NO_RULE}: the sweep does it;`));
  assert.ok(hints[1]!.startsWith('hint the bucket keeps old versions: deleted packages go on to take room;'));
  fake.settings.lifecycle = '<LifecycleConfiguration><Rule><ID>x</ID></Rule></LifecycleConfiguration>';
  fake.settings.versioning = '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>';
  assert.deepEqual(
    rest(await look(fake)).map((line) => line.split(':')[0]),
    [`hint ${NO_RULE}`],
  );
});

test('a bucket that does not answer, or takes nothing, is looked at no further', async (t) => {
  const fake = await bucket(t);
  fake.fault = () => ({ status: 403, code: 'AccessDenied' });
  assert.deepEqual(
    (await look(fake)).map(({ what, state }) => [what, state]),
    [['the bucket answers', 'fault']],
  );
  fake.fault = ({ method, key }) =>
    method === 'PUT' && key !== '' ? { status: 403, code: 'AccessDenied' } : null;
  const findings = await look(fake);
  assert.deepEqual(
    findings.map(({ what, state }) => [what, state]),
    [
      ['the bucket answers', 'ok'],
      ['objects are written', 'fault'],
    ],
  );
  assert.match(findings[1]!.advice, /AccessDenied/);
});

test('what a store does not look at is a fault that says what may happen', async (t) => {
  const faults: Array<[fault: (asked: Asked, fake: FakeS3) => Fault | null, line: RegExp]> = [
    [
      ({ key, query }) =>
        key === '' && query.has('list-type') ? { status: 403, code: 'AccessDenied' } : null,
      /^fault objects are listed: .*AccessDenied/,
    ],
    [
      ({ method, query }) =>
        method === 'PUT' && query.has('partNumber') ? { status: 400, code: 'InvalidPart' } : null,
      /^fault large objects are written in parts: .*InvalidPart/,
    ],
    [
      ({ method, key, query }) =>
        method === 'DELETE' && key !== '' && query.has('uploadId')
          ? { status: 403, code: 'AccessDenied' }
          : null,
      /^fault unfinished uploads are given up: /,
    ],
    [
      ({ method, query }) =>
        method === 'POST' && query.has('delete') ? { status: 403, code: 'AccessDenied' } : null,
      /^fault objects are deleted: .*AccessDenied/,
    ],
  ];
  for (const [fault, line] of faults) {
    const fake = await bucket(t);
    fake.fault = (asked) => fault(asked, fake);
    const lines = rest(await look(fake));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0]!, line);
  }
});

test('stores that pass over conditions, lose objects in lists or mix bytes are found', async (t) => {
  const fake = await bucket(t);
  const { get, keys } = Map.prototype as Map<string, never>;
  // Every entity tag is right.
  fake.objects.get = function (key) {
    const object = get.call(this, key) as ReturnType<typeof this.get>;
    return object && { ...object, etag: '"same"' };
  };
  fake.objects.keys = () => new Map<string, never>().keys();
  const lines = rest(await look(fake));
  const starts = [
    'fault an object that was replaced is not mixed with the new one (If-Match): the store does not look at If-Match',
    'fault objects are listed: an object that was written is not in the list',
  ];
  assert.equal(lines.length, 2, lines.join('\n'));
  for (const [i, start] of starts.entries()) assert.ok(lines[i]!.startsWith(start), lines[i]!);
  fake.objects.keys = keys.bind(fake.objects) as typeof fake.objects.keys;
  fake.objects.get = function (key) {
    const object = get.call(this, key) as ReturnType<typeof this.get>;
    return object && { ...object, bytes: Buffer.alloc(object.bytes.length) };
  };
  assert.deepEqual(rest(await look(fake)), ['fault ranges are read: other bytes came than were written']);
});

test('where browsers are sent to it, it answers ranges and pages of other origins', async (t) => {
  const fake = await bucket(t);
  const address = `${fake.endpoint}/bucket/a/prefix`;
  const all = 'ETag, Content-Range, Content-Length, Accept-Ranges';
  // A look without its large object takes less time.
  fake.fault = ({ query }) => (query.has('partNumber') ? { status: 400, code: 'InvalidPart' } : null);
  const of = async (headers: Record<string, string>, redirect = address) => {
    fake.headers = headers;
    return rest(await look(fake, redirect)).filter((line) => !line.includes('InvalidPart'));
  };
  const cors = (origin: string, exposed: string) => ({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
  });
  for (const headers of [cors('*', all), cors(ORIGIN, '*')]) {
    assert.deepEqual(await of(headers), []);
    assert.deepEqual(await of(headers, 'presigned'), []);
  }
  assert.deepEqual(await of({}), [
    `fault ${CORS}: add a CORS rule to the bucket: docs/scaling.md has one to copy`,
  ]);
  assert.equal((await of(cors('https://other.example', all))).length, 1);
  assert.deepEqual(await of(cors('*', 'ETag, Content-Length')), [
    `fault ${CORS}: the CORS rule has to expose content-range, accept-ranges`,
  ]);
  const [wrong, ...more] = await of(cors('*', all), `${fake.endpoint}/other`);
  assert.ok(wrong!.startsWith(`fault ${RANGES}: it answered 404 to a range; give readers s3:GetObject`));
  assert.deepEqual(more, [`fault ${CORS}: add a CORS rule to the bucket: docs/scaling.md has one to copy`]);
  const nobody = await of(cors('*', all), 'http://127.0.0.1:1');
  assert.equal(nobody.length, 1, 'where nobody answers nothing is said of headers');
});

/** An address that is signed for callers shows where requests go; nothing is asked for it. */
async function signed(text: string): Promise<URL> {
  const address = parseS3Address(text);
  const link = openLink(address);
  try {
    const disposition = 'attachment; filename="a.zip"';
    const options = { seconds: 60, disposition, contentType: 'application/zip' };
    return new URL(await new S3Verbs(link, address).sign('archives/a.zip', options));
  } finally {
    closeLink(link);
  }
}

const placeOf = ({ origin, pathname }: URL) => `${origin}${pathname}`;
const regionOf = ({ searchParams }: URL) => searchParams.get('X-Amz-Credential')!.split('/')[2];

test('a bucket without an endpoint is one of AWS in its region', async () => {
  const url = await signed('s3://tiles/city?region=ap-northeast-1');
  assert.equal(placeOf(url), 'https://tiles.s3.ap-northeast-1.amazonaws.com/city/archives/a.zip');
  assert.equal(regionOf(url), 'ap-northeast-1');
});

test('an endpoint has its buckets in names or in paths, and a region that need not be named', async () => {
  delete process.env.AWS_REGION;
  const named = await signed('s3://tiles?endpoint=https://store.example.jp');
  assert.equal(placeOf(named), 'https://tiles.store.example.jp/archives/a.zip');
  assert.equal(regionOf(named), 'us-east-1');
  const inPath = await signed('s3://tiles?endpoint=http://store.example.jp:7480&pathStyle=true&region=jp');
  assert.equal(placeOf(inPath), 'http://store.example.jp:7480/tiles/archives/a.zip');
  assert.equal(regionOf(inPath), 'jp');
  process.env.AWS_REGION = 'eu-west-1';
  assert.equal(regionOf(await signed('s3://tiles?endpoint=https://store.example.jp')), 'eu-west-1');
  assert.equal(
    placeOf(await signed('s3://tiles')),
    'https://tiles.s3.eu-west-1.amazonaws.com/archives/a.zip',
  );
  delete process.env.AWS_REGION;
});

test('a signed address says how long it holds, and what the answer is called', async () => {
  const { searchParams } = await signed('s3://tiles?region=jp');
  assert.deepEqual(
    ['X-Amz-Expires', 'response-content-disposition', 'response-content-type'].map((name) =>
      searchParams.get(name),
    ),
    ['60', 'attachment; filename="a.zip"', 'application/zip'],
  );
});
