/** What front ends are built with: typed operations of GraphQL Code Generator, and the cache of Apollo Client. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core/index.js';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  printSchema,
} from 'graphql';
import { SAMPLE_CITY } from '../packages/sample/src/facts.ts';
import { exampleQueries } from '../packages/server/src/graphql/examples.ts';
import { compileAndImport } from './support/compile.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Answer = any;

let directory: string;
let server: TestServer;
let introspection: IntrospectionQuery;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data, { reachable: true });
  const answer = await server.json<Answer>('/datacatalog/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  introspection = answer.data;
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** Operations as a viewer of city models has them, with fragments on every concrete type. */
const OPERATIONS = `
fragment Item on DatasetItem { __typename id format name url layers parentId
  ... on PlateauDatasetItem { lod texture floodingScale fileSize formatVersion compositeUrl latestUrl }
  ... on RelatedDatasetItem { originalFormat originalUrl }
  ... on GenericDatasetItem { id } }
fragment DatasetBasic on Dataset { __typename id name description year registerationYear groups openDataUrl \
prefectureId prefectureCode cityId cityCode wardId wardCode typeCode
  prefecture { name code } city { name code } ward { name code }
  type { id code name category order ... on PlateauDatasetType { flood plateauSpec { year } } ... on \
RelatedDatasetType { id } ... on GenericDatasetType { id } }
  items { ...Item }
  ... on PlateauDataset { subname subcode suborder river { name admin } plateauSpecMinor { id name version year } }
  ... on RelatedDataset { id } ... on GenericDataset { id } }
query Areas($input: AreasInput!) { areas(input: $input) { __typename id code name type ... on City { prefecture { \
id } planarCrsEpsgCode citygml { url } } ... on Ward { city { id } } } }
query Datasets($input: DatasetsInput!) { datasets(input: $input) { ...DatasetBasic } }
query DatasetById($id: ID!) { node(id: $id) { id ... on Dataset { ...DatasetBasic } } }
query Nodes($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }
query CityGml($input: CitygmlDatasetsInput!) { citygmlDatasets(input: $input) { id cityCode url fileSize year \
featureTypes metadataZipUrls plateauSpecMinor { version } city { name } admin } }
query Types { datasetTypes { id code order } plateauSpecs { id majorVersion minorVersions { id } datasetTypes { id \
} } years }
`;

/** A program over the generated types; wrong types in it do not compile. */
const PROGRAM = `
import type { AreasQuery, AreasQueryVariables, CityGmlQuery, CityGmlQueryVariables, DatasetsQuery, \
DatasetsQueryVariables, TypesQuery } from './types.js';

async function ask<Data, Variables>(url: string, query: string, operationName: string, variables: Variables): \
Promise<Data> {
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: \
JSON.stringify({ query, operationName, variables }) });
  const { data, errors } = await reply.json() as { data: Data; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

export async function run(url: string, query: string) {
  const { areas } = await ask<AreasQuery, AreasQueryVariables>(url, query, 'Areas', { input: { areaTypes: ['CITY'], \
includeParents: true } });
  const code: string = areas[0]!.code;
  const { datasets } = await ask<DatasetsQuery, DatasetsQueryVariables>(url, query, 'Datasets', { input: { \
areaCodes: [code], includeTypes: ['bldg'] } });
  const lods: number[] = [];
  for (const dataset of datasets) {
    const order: number = dataset.type.order;
    if (dataset.__typename !== 'PlateauDataset') throw new Error(String(order));
    for (const item of dataset.items) {
      if (item.__typename === 'PlateauDatasetItem' && item.texture === 'TEXTURE' && item.lod != null) \
lods.push(item.lod);
    }
  }
  const { citygmlDatasets } = await ask<CityGmlQuery, CityGmlQueryVariables>(url, query, 'CityGml', { input: { \
prefectureCodes: [code] } });
  const size: number | null | undefined = citygmlDatasets[0]!.fileSize;
  const { years } = await ask<TypesQuery, Record<string, never>>(url, query, 'Types', {});
  return { areas: areas.map(({ code }) => code), lods, size, years: years satisfies number[] };
}
`;

describe('GraphQL Code Generator', () => {
  it('makes types from our introspection that compile, and whose operations run', async () => {
    const schema = buildClientSchema(introspection);
    const types = await codegen({
      filename: 'types.ts',
      schema: parse(printSchema(schema)),
      schemaAst: schema,
      documents: [{ document: parse(OPERATIONS) }],
      plugins: [{ typescriptOperations: {} }],
      pluginMap: { typescriptOperations },
      config: {
        enumsAsTypes: true,
        nonOptionalTypename: true,
        scalars: { AreaCode: 'string', Any: 'unknown' },
      },
    });
    const { run } = await compileAndImport<{ run(url: string, query: string): Promise<Answer> }>(
      join(directory, 'codegen'),
      { 'types.ts': types, 'program.ts': PROGRAM },
      'program.js',
    );
    const result = await run(`${server.publicUrl}/datacatalog/graphql`, OPERATIONS);
    assert.deepEqual(result.areas, ['47', '47900', '47950']);
    // Only LOD 2 has images.
    assert.deepEqual(result.lods, [2, 2, 2]);
    assert.ok(result.size > 10_000);
    assert.deepEqual(result.years, [2024, 2023]);
  });

  it('takes docs/schema.graphql too, and every example', async () => {
    const text = await readFile(join(ROOT, 'docs/schema.graphql'), 'utf8');
    const types = await codegen({
      filename: 'types.ts',
      schema: parse(text),
      documents: exampleQueries(SAMPLE_CITY.code).map(({ query }) => ({ document: parse(query) })),
      plugins: [{ typescriptOperations: {} }],
      pluginMap: { typescriptOperations },
      config: {},
    });
    const schema = await codegen({
      filename: 'schema.ts',
      schema: parse(text),
      documents: [],
      plugins: [{ typescript: {} }],
      pluginMap: { typescript },
      config: {},
    });
    const files = { 'types.ts': types, 'schema.ts': schema };
    await compileAndImport(join(directory, 'examples'), files, 'types.js');
  });
});

describe('Apollo Client', () => {
  function client(): ApolloClient {
    const possibleTypes: Record<string, string[]> = {};
    for (const type of introspection.__schema.types) {
      if (type.kind === 'INTERFACE') possibleTypes[type.name] = type.possibleTypes.map(({ name }) => name);
    }
    return new ApolloClient({
      link: new HttpLink({ uri: `${server.publicUrl}/datacatalog/graphql` }),
      cache: new InMemoryCache({ possibleTypes }),
    });
  }

  const DATASETS = gql`
    query Datasets($code: AreaCode!) {
      area(code: $code) {
        id
        name
        datasets(input: { includeTypes: ["bldg"] }) {
          id
          ...Named
          items { id ... on DatasetItem { format url } ... on PlateauDatasetItem { lod texture parent { id } } }
        }
      }
    }
    fragment Named on Dataset { name type { id name } }
  `;

  it('reads what it has from its cache, by id and through fragments on interfaces', async () => {
    const apollo = client();
    const variables = { code: SAMPLE_CITY.code };
    const { data } = await apollo.query<Answer>({ query: DATASETS, variables });
    assert.equal(data.area.name, SAMPLE_CITY.name);
    const requests = server.log.length;
    const again = await apollo.query<Answer>({ query: DATASETS, variables });
    assert.deepEqual(again.data, data);
    assert.equal(server.log.length, requests);
    // Every object is in the cache once, under its type and id.
    const kept = Object.keys(apollo.cache.extract() as object);
    assert.equal(kept.filter((key) => key === `City:c_${SAMPLE_CITY.code}`).length, 1);
    for (const dataset of data.area.datasets) {
      assert.ok(kept.includes(`PlateauDataset:${dataset.id}`), dataset.id);
      assert.equal(dataset.type.name, '建築物モデル');
      const fragment = apollo.cache.readFragment<Answer>({
        id: `PlateauDataset:${dataset.id}`,
        fragment: gql`fragment Name on Dataset { name }`,
      });
      assert.equal(fragment.name, dataset.name);
      for (const item of dataset.items) assert.equal(item.parent.id, dataset.id);
    }
    apollo.stop();
  });

  it('gets the errors of a query that the schema does not have', async () => {
    const apollo = client();
    await assert.rejects(apollo.query({ query: gql`{ nothing }` }), /Cannot query field/);
    apollo.stop();
  });
});
