/** What a stranger can ask in GraphQL, against the built server, with `/health/live` asked beside it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Beside, beside } from './support/beside.ts';
import { goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestOne } from './support/store.ts';

const PATH = '/datacatalog/graphql';
/** Generous: the machine may be busy. What these requests did before took minutes and gigabytes. */
const LONGEST_MS = 5_000;
const GROWTH_MB = 150;

interface Reply {
  status: number;
  bytes: number;
  codes: string[];
}

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const zip = await writeZip(`${directory}/${PACKAGE}.zip`, goodPackage());
  await ingestOne(`${directory}/data`, [zip]);
  server = await startServer(`${directory}/data`, { env: { PACK_WORKERS: '0' } });
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

async function post(query: string, variables?: unknown): Promise<Reply> {
  const reply = await server.request(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const codes = [...reply.text.slice(-20_000).matchAll(/"code":"([A-Z_]+)"/g)].map(([, code]) => code!);
  return { status: reply.status, bytes: reply.body.length, codes };
}

function assertCheap({ live, grownMb }: Beside<unknown>): void {
  assert.ok(live.at(-1)! < LONGEST_MS, `others waited ${Math.round(live.at(-1)!)} ms`);
  assert.ok(grownMb === null || grownMb < GROWTH_MB, `${Math.round(grownMb!)} MB`);
}

const times = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('a stranger', () => {
  it('cannot fill the memory with queries, wrong ones and right ones', async () => {
    // 100 kB for each wrong query stayed in memory: 300 MB.
    const attack = await beside(server, async () => {
      for (let i = 0; i < 3_000; i += 10) {
        const queries = Array.from({ length: 10 }, (_, k) =>
          (i + k) % 2 === 0 ? `{${'a '.repeat(20)}}#${i + k}` : `{years}#${i + k}`,
        );
        for (const { status } of await Promise.all(queries.map((query) => post(query)))) {
          assert.equal(status, 200);
        }
      }
    });
    assertCheap(attack);
  });

  it('cannot stop the server with long lists', async () => {
    const filter = (count: number) =>
      `query($i:DatasetsInput){${times(count, (i) => `a${i}:datasets(input:$i){id}`)}}`;
    const digits = (count: number) => Array.from({ length: count }, (_, i) => String(10_000 + (i % 90_000)));
    const attack = await beside(server, async () => [
      await post(filter(300), { i: { searchTokens: [...Array(3_000).fill('デ'), 'zzzz'] } }),
      await post(filter(300), { i: { searchTokens: Array(200).fill('デ'.repeat(300)) } }),
      await post(filter(1), { i: { areaCodes: digits(600_000) } }),
      await post(filter(300), { i: { areaCodes: digits(1_000) } }),
      await post('query($i:[ID!]!){nodes(ids:$i){id}}', { i: digits(100_001) }),
      await post('query($i:[ID!]!){nodes(ids:$i){id}}', { i: digits(90_000) }),
    ]);
    assert.deepEqual(
      attack.result.map(({ status, codes }) => [status, codes[0]]),
      [
        [200, 'BAD_USER_INPUT'],
        [200, undefined],
        [413, undefined],
        [200, undefined],
        [400, 'BAD_REQUEST'],
        [200, 'BAD_USER_INPUT'],
      ],
    );
    assertCheap(attack);
  });

  it('gets no hundred megabytes of schema', async () => {
    const type = 'fragment T on __Type{name description fields{name description args{name description}}}';
    const query = `{${times(370, (i) => `a${i}:__schema{types{...T}}`)}} ${type}`;
    const attack = await beside(server, () => post(query));
    assert.equal(attack.result.status, 200);
    assert.ok(attack.result.bytes < 70e6, `${attack.result.bytes} bytes`);
    assertCheap(attack);
  });

  it('cannot have a query checked for long that repeats fields and fragments', async () => {
    const fragments = times(290, (i) => `fragment F${i} on Dataset{items{id}}`);
    const attack = await beside(server, async () => [
      await post(`{${times(990, () => 'datasets{id}')}}`),
      await post(`{${times(330, () => 'datasets{a:items{parent{id}}}')}}`),
      await post(`{datasets{${times(290, (i) => `...F${i}`)}}} ${fragments}`),
    ]);
    assert.deepEqual(
      attack.result.map(({ codes }) => codes[0]),
      ['QUERY_TOO_LARGE', 'QUERY_TOO_LARGE', undefined],
    );
    assertCheap(attack);
  });
});
