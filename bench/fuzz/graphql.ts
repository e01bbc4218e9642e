/**
 * GraphQL documents and variables over packages in memory. What is refused says why with a code; what is answered is
 * what the reference implementation answers over the same schema.
 */
import assert from 'node:assert/strict';
import { graphqlSync } from 'graphql';
import { RequestBudget } from '../../packages/server/src/base/request-budget.ts';
import { cityPackage, tilePackage } from '../../packages/server/src/catalogue/testing/snapshot-rows.ts';
import { exampleQueries } from '../../packages/server/src/graphql/examples.ts';
import { asking } from '../../packages/server/src/graphql/testing/ask.ts';
import type { OpenKind } from './kind.ts';
import { JSON_VALUES, mutateJson, mutateText, NUMBERS } from './mutate.ts';

const TOKENS = [
  '{', '}', '(', ')', '[', ']', ':', '!', '$', '@', '...', '|', '=', '#', '"', '"""', ' ', ',', 'a:', 'query',
  'fragment F on Dataset', '...F', 'on',
  'mutation', 'subscription', '@skip(if:true)', '@include(if:false)', '@a', '__typename', ('__schema{types{name}' +
    '}'), '__type(name:"Area")', 'null',
  'true', 'id', 'name', 'datasets', 'areas', 'area(code:"13101")', 'input:', '$i', 'String', 'ALL', '\\u0000',
  '"\\ud800"', 'wards', 'parent',
  'datasets(input:{searchTokens:["a","b"]}){id}', 'nodes(ids:["d_a"]){id}', ...NUMBERS,
] as const; // biome-ignore format: a table
const VALUES = [
  ...JSON_VALUES,
  '13101',
  'bldg',
  ['13101', '13101'],
  ['a'],
  2023,
  { searchTokens: ['a'] },
  { areaCodes: ['13'] },
];
const WITH_VARIABLES = {
  query: 'query($i:DatasetsInput,$c:AreaCode!){datasets(input:$i){id name year}area(code:$c){id name}}',
  variables: { i: { areaCodes: ['13101'], searchTokens: ['bldg'] }, c: '13101' },
};
const CODES = new Set([
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'QUERY_TOO_LARGE',
]);

const AMPLE = { items: 1e9, bytesHeld: 1e9, bytesRead: 0 };

export const openGraphql: OpenKind = async () => {
  const rows = [
    cityPackage(),
    cityPackage({ cityCode: '27100', wardCode: '27102' }),
    tilePackage(),
    tilePackage({ lod: 2 }),
    tilePackage({ format: 'MVT', type: 'tran' }, { cityCode: '27100' }),
  ];
  const { answer, faults, executor, graph } = await asking(rows);
  const seeds: Array<{ query: string; variables?: unknown }> = [
    WITH_VARIABLES,
    ...exampleQueries('13101').map(({ query, variables }) => ({
      query,
      variables: JSON.parse(variables || '{}'),
    })),
  ];
  return {
    name: 'graphql',
    batch: 20,
    async run(random, keep) {
      const seed = random.pick(seeds);
      const changesQuery = seed.variables === undefined || random.int(0, 1) === 0;
      const query = changesQuery ? mutateText(seed.query, random, TOKENS) : seed.query;
      const variables =
        seed.variables !== undefined && random.int(0, 1) === 0
          ? mutateJson(seed.variables, random, VALUES)
          : seed.variables;
      keep(() => JSON.stringify({ query, variables }));
      const { data, errors } = await answer(query, variables);
      assert.deepEqual(faults, []);
      assert.ok(
        errors !== undefined || (typeof data === 'object' && data !== null),
        'neither data nor errors',
      );
      const longest = query.length + (JSON.stringify(variables)?.length ?? 0);
      for (const error of errors ?? []) {
        assert.equal(typeof error.message, 'string');
        assert.ok(CODES.has(error.extensions?.code), `code ${error.extensions?.code}: ${error.message}`);
        assert.ok(
          error.message.length < 5_000 + 2 * longest,
          `a message of ${error.message.length} characters`,
        );
      }
      if (errors === undefined) {
        const budget = new RequestBudget(AMPLE, 'Ask for less.');
        const again = graphqlSync({
          schema: executor.schema,
          source: query,
          variableValues: variables as Record<string, unknown> | undefined,
          contextValue: { graph, budget },
        });
        assert.deepEqual({ data }, JSON.parse(JSON.stringify(again)));
      }
      return data === undefined ? 'refused' : 'accepted';
    },
  };
};
