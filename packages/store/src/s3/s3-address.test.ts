import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseS3Address } from './s3-address.ts';

test('reads addresses of buckets', () => {
  assert.deepEqual(parseS3Address('s3://bucket'), {
    bucket: 'bucket',
    prefix: '',
    endpoint: null,
    region: null,
    pathStyle: false,
  });
  assert.deepEqual(
    parseS3Address(
      's3://my.bucket-1/a/b/?endpoint=http://127.0.0.1:7480/&region=ap-northeast-1&pathStyle=true',
    ),
    {
      bucket: 'my.bucket-1',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:7480',
      region: 'ap-northeast-1',
      pathStyle: true,
    },
  );
});

test('says what is wrong, and repeats no key', () => {
  for (const [text, message] of [
    ['s3://', /is no URL|names the bucket ""/],
    ['s3://AB', /bucket/],
    ['s3://bucket_1', /bucket/],
    ['s3://key:secret@bucket', /AWS_SECRET_ACCESS_KEY/],
    ['s3://bucket:80/', /port/],
    ['s3://bucket/a//b', /prefix/],
    ['s3://bucket/a%20b', /prefix/],
    ['s3://bucket/%zz', /prefix/],
    [`s3://bucket/${'a'.repeat(513)}`, /longer than 512/],
    ['s3://bucket?key=x', /parameter key/],
    ['s3://bucket?region=a&region=b', /region twice/],
    ['s3://bucket?endpoint=s3.example.jp', /endpoint/],
    ['s3://bucket?endpoint=http://u:secret@h', /endpoint/],
    ['s3://bucket?pathStyle=yes', /pathStyle/],
  ] as const) {
    assert.throws(
      () => parseS3Address(text),
      (error: Error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, /^OBJECT_STORE /);
        assert.match(error.message, message, text);
        assert.doesNotMatch(error.message, /secret@/);
        return true;
      },
    );
  }
});
