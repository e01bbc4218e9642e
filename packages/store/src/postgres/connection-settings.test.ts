import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { connectionSettings } from './connection-settings.ts';

test('names the database without user and password', () => {
  const { config, name } = connectionSettings('postgres://me:secret@db.example.jp:5433/city', {});
  assert.equal(name, 'postgres://db.example.jp:5433/city');
  const { user, password, ssl } = new pg.Client(config) as pg.Client & { ssl: unknown };
  assert.deepEqual([user, password, ssl], ['me', 'secret', false]);
  assert.equal(connectionSettings('postgresql://[::1]/city', {}).name, 'postgres://[::1]:5432/city');
});

test('TLS as libpq means it, by the address or by variables', () => {
  const tlsOf = (url: string, env: NodeJS.ProcessEnv = {}) =>
    (new pg.Client(connectionSettings(url, env).config) as unknown as { ssl: unknown }).ssl;
  assert.deepEqual(tlsOf('postgres://h/d?sslmode=verify-full'), {});
  assert.deepEqual(tlsOf('postgres://h/d?sslmode=require'), { rejectUnauthorized: false });
  assert.equal(tlsOf('postgres://h/d?sslmode=disable', { PGSSLMODE: 'require' }), false);
  assert.deepEqual(tlsOf('postgres://h/d', { PGSSLMODE: 'verify-full' }), {});
  const { ca } = tlsOf('postgres://h/d', { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: import.meta.filename }) as {
    ca: string;
  };
  assert.match(ca, /^import assert/);
});

test('what cannot be read is refused without a word of the address', () => {
  for (const [url, message] of [
    ['postgres://me:secret@h:port/d', /^DATABASE_URL cannot be read/],
    ['postgres://me:secret@h/d?sslmode=verify-ca', /^DATABASE_URL cannot be read/],
    ['postgres://me:secret@h/d?sslmode=prefer', /^sslmode of DATABASE_URL, or PGSSLMODE, is none of disable/],
    ['postgres://me:secret@h/d?sslmode=require&sslrootcert=/nowhere', /^DATABASE_URL cannot be read/],
  ] as const) {
    assert.throws(
      () => connectionSettings(url, {}),
      (error: Error) =>
        error instanceof RangeError &&
        message.test(error.message) &&
        !/secret/.test(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`),
      url,
    );
  }
});
