/** The schema of the catalogue in GraphQL (interface decisions, section 7). */
import {
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';
import { areaTypes } from './area-types.ts';
import { citygmlTypes } from './citygml-types.ts';
import { datasetTypes } from './dataset-types.ts';
import { listOf, plain, type QueryContext, resolved } from './fields.ts';
import {
  type AreasInput as AreasArguments,
  type CitygmlDatasetsInput as CitygmlArguments,
  type DatasetsInput as DatasetsArguments,
  type DatasetTypesInput as DatasetTypesArguments,
  findAreas,
  findAreasAt,
  findCityGml,
  findDatasets,
  findDatasetTypes,
  firstOf,
} from './filters.ts';
import { AreasInput, CitygmlDatasetsInput, DatasetsInput, DatasetTypesInput, LIMIT } from './inputs.ts';
import { Node } from './node-type.ts';
import { AreaCode } from './scalars.ts';
import type { SharedTypes } from './shared-types.ts';
import { specTypes } from './spec-types.ts';

export type { QueryContext } from './fields.ts';

type QueriedTypes = Pick<
  ReturnType<typeof areaTypes> & ReturnType<typeof datasetTypes> & SharedTypes,
  'Area' | 'Dataset' | 'DatasetType' | 'CityGMLDataset' | 'PlateauSpec'
>;

function queryType({
  Area,
  Dataset,
  DatasetType,
  CityGMLDataset,
  PlateauSpec,
}: QueriedTypes): GraphQLObjectType {
  return new GraphQLObjectType<unknown, QueryContext>({
    name: 'Query',
    description: 'What can be asked of the catalogue.',
    fields: {
      node: resolved(
        Node,
        'The object of an id; null when there is none.',
        (_, { id }, { graph }) => graph.node(String(id)),
        {
          id: { type: new GraphQLNonNull(GraphQLID), description: 'Id of any object.' },
        },
      ),
      nodes: resolved(
        new GraphQLNonNull(new GraphQLList(Node)),
        'The objects of ids, in their order; null for each id that there is none of.',
        (_, { ids }, { graph }) => (ids as string[]).map((id) => graph.node(id)),
        {
          ids: {
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))),
            description: 'Ids of any objects.',
          },
        },
      ),
      area: resolved(
        Area,
        'The area of a code; null when nothing is published there. Of a municipality and a ward with the same code, ' +
          'the municipality.',
        (_, { code }, { graph }) => graph.areas.byCode(String(code)) ?? null,
        {
          code: {
            type: new GraphQLNonNull(AreaCode),
            description: 'Code of a prefecture, municipality or ward.',
          },
        },
      ),
      areas: resolved(
        listOf(Area),
        'Areas by code, those that have datasets unless told otherwise.',
        (_, { input }, { graph, budget }) => findAreas(graph, (input ?? {}) as AreasArguments, budget),
        { input: { type: AreasInput, description: 'Which of them.' } },
      ),
      areasAt: resolved(
        listOf(Area),
        'Areas whose extent contains a point, by code. Extents are boxes, so neighbours may be among them.',
        (_, { lng, lat }, { graph, budget }) => {
          const [x, y] = [Number(lng), Number(lat)];
          if (Math.abs(x) > 180 || Math.abs(y) > 90) {
            throw new GraphQLError(
              `${x}, ${y} lies outside the world: lng is from -180 to 180, lat from -90 to 90.`,
              { extensions: { code: 'BAD_USER_INPUT' } },
            );
          }
          return findAreasAt(graph, x, y, budget);
        },
        {
          lng: { type: new GraphQLNonNull(GraphQLFloat), description: 'Longitude, degrees.' },
          lat: { type: new GraphQLNonNull(GraphQLFloat), description: 'Latitude, degrees.' },
        },
      ),
      datasetTypes: resolved(
        listOf(DatasetType),
        'Types of datasets by edition of the specification and order.',
        (_, { input }, { graph, budget }) =>
          findDatasetTypes(graph, (input ?? {}) as DatasetTypesArguments, budget),
        { input: { type: DatasetTypesInput, description: 'Which of them.' } },
      ),
      datasets: resolved(
        listOf(Dataset),
        'Datasets by area code, type and year, the newest first.',
        (_, { input, limit }, { graph, budget }) =>
          firstOf(findDatasets(graph, (input ?? {}) as DatasetsArguments, budget), limit),
        { input: { type: DatasetsInput, description: 'Which of them.' }, limit: LIMIT },
      ),
      datasetCount: resolved(
        new GraphQLNonNull(GraphQLInt),
        'How many datasets there are.',
        (_, { input }, { graph, budget }) =>
          findDatasets(graph, (input ?? {}) as DatasetsArguments, budget).length,
        { input: { type: DatasetsInput, description: 'Which of them.' } },
      ),
      citygmlDatasets: resolved(
        listOf(CityGMLDataset),
        'CityGML by area code, the newest year first.',
        (_, { input }, { graph, budget }) => findCityGml(graph, (input ?? {}) as CitygmlArguments, budget),
        { input: { type: CitygmlDatasetsInput, description: 'Which of them.' } },
      ),
      plateauSpecs: resolved(
        listOf(PlateauSpec),
        'Major editions of the product specification that data here follows.',
        (_source, _args, { graph }) => graph.specs,
      ),
      years: {
        ...plain<unknown>(
          listOf(GraphQLInt),
          'Fiscal years in which data here was produced, the newest first.',
        ),
        resolve: (_source, _args, { graph }) => graph.years,
      },
    },
  });
}

/** The schema; it holds no state. */
export function buildGraphSchema(): GraphQLSchema {
  const shared = {} as SharedTypes;
  const types = {
    ...areaTypes(shared),
    ...citygmlTypes(shared),
    ...datasetTypes(shared),
    ...specTypes(shared),
  };
  Object.assign(shared, types satisfies SharedTypes);
  return new GraphQLSchema({ query: queryType(types), types: Object.values(types) });
}
