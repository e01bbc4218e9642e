/** GraphQL over HTTP at the router: bodies, media types and states. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CITY, type InjectedService, injectService } from '../testing/inject-service.ts';

const PATH = '/datacatalog/graphql';
const QUERY = '{ years }';
const GRAPHQL = 'application/graphql-response+json';

let service: InjectedService;
before(async () => {
  service = await injectService({ GRAPHQL_MAX_BODY_BYTES: '2000' });
});
after(() => service[Symbol.asyncDispose]());

const post = (payload: string | undefined, type: string | undefined, accept?: string) =>
  service.ask(PATH, {
    method: 'POST',
    headers: { ...(type !== undefined && { 'content-type': type }), ...(accept !== undefined && { accept }) },
    ...(payload !== undefined && { payload }),
  });
const get = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  service.ask(`${PATH}?${new URLSearchParams(parameters)}`, { headers });

test('a query comes as JSON, as itself, or in the address', async () => {
  const data = { data: { years: [2023] } };
  const answers = [
    await post(JSON.stringify({ query: QUERY }), 'application/json'),
    await post(JSON.stringify({ query: QUERY }), 'application/vnd.example+json'),
    await post(QUERY, 'application/graphql'),
    await post(QUERY, 'Application/GraphQL; charset=utf-8'),
    await get({ query: QUERY }),
    await get({ query: QUERY, variables: '' }),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json(), data);
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(answer.headers.vary, 'accept, accept-encoding');
  }
});

test('variables and the name of an operation count, wherever they stand', async () => {
  const query = 'query a { years } query b { __typename }';
  const named = { query, operationName: 'b' };
  const typed = { data: { __typename: 'Query' } };
  assert.deepEqual((await post(JSON.stringify(named), 'application/json')).json(), typed);
  assert.deepEqual((await get(named)).json(), typed);
  const asking = 'query ($skip: Boolean!) { years @skip(if: $skip) __typename }';
  for (const [skip, data] of [
    [true, { __typename: 'Query' }],
    [false, { years: [2023], __typename: 'Query' }],
  ] as const) {
    const variables = { skip };
    assert.deepEqual((await get({ query: asking, variables: JSON.stringify(variables) })).json(), { data });
    const body = JSON.stringify({ query: asking, variables });
    assert.deepEqual((await post(body, 'application/json')).json(), { data });
  }
  const wrong = (await get({ query: asking, variables: 'no json' })).json<{ errors: unknown[] }>();
  assert.equal(wrong.errors.length, 1);
});

test('a body that is no query is refused with what it must be', async () => {
  const refusals: Array<[body: string | undefined, type: string | undefined, reason: RegExp]> = [
    ['', 'application/graphql', /The body is empty; it must be the query|no text under the key|must be JSON/],
    [' \n', 'application/graphql', /^The body is empty; it must be the query\.$/],
    [QUERY, 'text/plain', /^The Content-Type of the body must be application\/json\.$/],
    [QUERY, 'text/plain; charset=utf-8', /^The Content-Type of the body/],
    ['{', 'application/json', /^The body must be JSON: /],
    ['[]', 'application/json', /^The body must be one request, .* not a list of them\.$/],
    ['{}', 'application/json', /^The body has no text under the key "query"\.$/],
    ['null', 'application/json', /^The body has no text under the key "query"\.$/],
    ['{"query":"  "}', 'application/json', /^The body has no text under the key "query"\.$/],
    ['{"query":7}', 'application/json', /^The body has no text under the key "query"\.$/],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'application/json', /one request/],
    [`${'['.repeat(101)}${']'.repeat(101)}`, 'application/json', /100/],
    [undefined, undefined, /./],
  ];
  for (const [body, type, reason] of refusals) {
    const answer = await post(body, type);
    assert.equal(answer.status, 400, `${type}: ${body}`);
    const { error, reason: why, errors } = answer.json<{ error: string; reason: string; errors: object[] }>();
    assert.equal(error, 'invalid request body');
    assert.match(why, reason);
    assert.deepEqual(errors, [{ message: why, extensions: { code: 'BAD_REQUEST' } }]);
  }
  const large = JSON.stringify({ query: `${QUERY}${' '.repeat(2_000)}` });
  assert.equal((await post(large, 'application/json')).status, 413);
});

test('what is wrong with a query has status 200, or 400 for who asks for the newer media type', async () => {
  const wrong = JSON.stringify({ query: '{ nothing }' });
  const right = JSON.stringify({ query: QUERY });
  const states = async (body: string, accept?: string) => {
    const { status, headers } = await post(body, 'application/json', accept);
    return [status, headers['content-type']];
  };
  const json = 'application/json; charset=utf-8';
  const newer = `${GRAPHQL}; charset=utf-8`;
  assert.deepEqual(await states(wrong), [200, json]);
  assert.deepEqual(await states(wrong, 'application/json'), [200, json]);
  assert.deepEqual(await states(wrong, GRAPHQL), [400, newer]);
  assert.deepEqual(await states(right, GRAPHQL), [200, newer]);
  assert.deepEqual(await states(right, `${GRAPHQL};q=0.1, application/json`), [200, json]);
  assert.deepEqual(await states(right, '*/*'), [200, json]);
});

test('an answer to a GET is known by its tag, and browsers get a page', async () => {
  const first = await get({ query: QUERY });
  const etag = String(first.headers.etag);
  assert.match(etag, /^W\/"/);
  assert.equal((await get({ query: QUERY }, { 'if-none-match': etag })).status, 304);
  const posted = await service.ask(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/graphql', 'if-none-match': etag },
    payload: QUERY,
  });
  assert.equal(posted.status, 200);
  const wrong = await get({ query: '{ nothing }' }, { 'if-none-match': '*', accept: GRAPHQL });
  assert.equal(wrong.status, 400);
  for (const [parameters, accept] of [
    [{}, '*/*'],
    [{ query: '' }, '*/*'],
    [{ query: QUERY }, 'text/html,*/*'],
  ] as const) {
    const page = await get(parameters, { accept });
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.match(page.text, new RegExp(CITY.slice(0, 5)));
  }
});
