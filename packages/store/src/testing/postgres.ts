import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { PostgresServer } from './postgres-server.ts';

/** A database that nobody else uses, dropped when it is disposed of. */
export interface FreshDatabase extends AsyncDisposable {
  url: string;
}

let server: Promise<PostgresServer> | null = null;

/**
 * An empty database: on the server of TEST_DATABASE_URL, which `scripts/test.ts` starts once for all tests, else on one
 * of this process. With `template`, a copy of that database, which nobody may have open.
 */
export async function freshDatabase(template: FreshDatabase | null = null): Promise<FreshDatabase> {
  const url = process.env.TEST_DATABASE_URL || (await ownServer()).url();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const copied = template === null ? 'template1' : new URL(template.url).pathname.slice(1);
  // Without a log of every page: nothing has to survive here.
  await administer(url, `CREATE DATABASE ${name} TEMPLATE ${copied} STRATEGY FILE_COPY`);
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  return {
    url: fresh.href,
    [Symbol.asyncDispose]: () => administer(url, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** The URL of an empty database, which is dropped after the test. */
export async function withPostgres(t: TestContext): Promise<string> {
  const database = await freshDatabase();
  t.after(() => database[Symbol.asyncDispose]());
  return database.url;
}

function ownServer(): Promise<PostgresServer> {
  server ??= PostgresServer.start();
  return server;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
