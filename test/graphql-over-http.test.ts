/** GraphQL over HTTP as its audit suite has it: nothing that a server must or should do fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serverAudits } from 'graphql-http';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const PATH = '/datacatalog/graphql';
const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';

describe('GraphQL over HTTP', () => {
  let directory: string;
  let server: TestServer;

  before(async () => {
    directory = await tempDirectory();
    const { data } = await ingestSample(directory);
    server = await startServer(data);
  });

  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  for (const audit of serverAudits({ url: () => `${server.address}${PATH}` })) {
    // What a server may do, this one leaves where the interface has it otherwise.
    if (audit.name.startsWith('MAY')) continue;
    it(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn();
      assert.equal(result.status, 'ok', 'reason' in result ? result.reason : '');
    });
  }

  it('chooses the media type by quality, and the status by it', async () => {
    for (const [accept, type, status] of [
      ['application/json', JSON_TYPE, 200],
      ['application/graphql-response+json', RESPONSE_TYPE, 400],
      ['application/graphql-response+json, application/json;q=0.9', RESPONSE_TYPE, 400],
      ['application/graphql-response+json;q=0.5, application/json', JSON_TYPE, 200],
      ['application/graphql-response+json;q=0, */*', JSON_TYPE, 200],
      ['image/png', JSON_TYPE, 200],
    ] as const) {
      const ask = (query: string) =>
        server.request(PATH, {
          method: 'POST',
          headers: { accept, 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
      const wrong = await ask('{nothing}');
      assert.equal(wrong.headers['content-type'], type, accept);
      assert.equal(wrong.status, status, accept);
      const partly = await ask('{areasAt(lng:200,lat:0){id}}');
      assert.equal(partly.status, 200, 'with data, which may be null');
      assert.match(String(partly.headers.vary), /accept\b/);
    }
  });
});
