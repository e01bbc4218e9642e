/**
 * Requests of anonymous callers that cost a server of the national catalogue most, each with a number that makes it
 * another.
 */
import { limitRequests } from './graphql-limit-requests.ts';

export interface WorstRequest {
  name: string;
  path(number: number): string;
  /** Sent by POST as JSON. */
  body?(number: number): string;
  gzip?: boolean;
}

/** A box around the country, different for each number. */
const box = (number: number): string => `${(120 + number * 1e-5).toFixed(5)},20,154,46`;

const call = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

export function worstRequests(): WorstRequest[] {
  const [graphql] = Object.values(limitRequests());
  const get = (name: string, path: (number: number) => string): WorstRequest => ({ name, path });
  return [
    get('catalogue by box, plain', (n) => `/datacatalog/citymodel-datasets?bbox=${box(n)}`),
    {
      ...get('catalogue by box, gzip', (n) => `/datacatalog/citymodel-datasets?bbox=${box(n)}`),
      gzip: true,
    },
    get('catalogue of all years', (n) => `/datacatalog/citymodel-datasets?all_years=1&bbox=${box(n)}`),
    get('datasets by text', (n) => `/datacatalog/datasets?text=a%20b%20c%20d%20e&limit=500&bbox=${box(n)}`),
    get('datasets, the last page', (n) => `/datacatalog/datasets?limit=500&sort=size&bbox=${box(n)}`),
    get('areas', (n) => `/datacatalog/areas?bbox=${box(n)}`),
    get('coverage', (n) => `/datacatalog/coverage?digits=6&bbox=${box(n)}`),
    get('counts of the country', (n) => `/datacatalog/counts/r:${box(n)}`),
    { ...get('files of the country, gzip', (n) => `/datacatalog/citygml/r:${box(n)}`), gzip: true },
    get('composite of the country', () => '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json'),
    get('status', () => '/status.json'),
    {
      name: 'GraphQL, datasets in full',
      path: () => '/datacatalog/graphql',
      body: (n) =>
        JSON.stringify({
          query: `{datasets(input:{year:${2022 + (n % 3)}}){id name items{id url name}}}#${n}`,
        }),
    },
    {
      name: 'GraphQL just below a limit',
      path: () => '/datacatalog/graphql',
      body: () => JSON.stringify(graphql),
    },
    {
      name: 'MCP, datasets of all kinds',
      path: () => '/mcp',
      body: (n) => call('plateau_search_datasets', { year: 2022 + (n % 3) }),
    },
    {
      name: 'MCP, files of the country',
      path: () => '/mcp',
      body: (n) => call('plateau_get_citygml_files', { condition: `r:${box(n)}` }),
    },
    {
      name: 'MCP, a batch of 100',
      path: () => '/mcp',
      body: () => `[${Array(100).fill(call('plateau_search_datasets', {})).join()}]`,
    },
    {
      name: 'pack with one URL of 3 MB',
      path: () => '/citygml/pack',
      body: () => JSON.stringify({ urls: [`http://a/${'x'.repeat(3_000_000)}`] }),
    },
    {
      name: 'pack with 10,000 URLs',
      path: () => '/citygml/pack',
      body: () =>
        JSON.stringify({
          urls: Array.from({ length: 10_000 }, (_, i) => `http://a/assets/${i}`.padEnd(290, 'x')),
        }),
    },
    {
      name: 'pack by conditions of 100 kB',
      path: () => '/citygml/pack',
      body: () => JSON.stringify({ conditions: `m:${'53394509,'.repeat(11_000)}` }),
    },
  ];
}
