/** Types for editions of the product specification. */
import { GraphQLID, GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql';
import { type Field, listOf, plain, type QueryContext, required, resolved } from './fields.ts';
import { type DatasetsInput as DatasetsArguments, filterDatasets } from './filters.ts';
import { DatasetsInput } from './inputs.ts';
import { Node } from './node-type.ts';
import type { SharedTypes } from './shared-types.ts';
import type { SpecMinorNode, SpecNode } from './spec-node.ts';

/** Editions, major ones and as the data names them. */
export function specTypes(types: SharedTypes) {
  const PlateauSpec: GraphQLObjectType = new GraphQLObjectType<SpecNode, QueryContext>({
    name: 'PlateauSpec',
    description: 'A major edition of the product specification of city models.',
    interfaces: [Node],
    fields: (): Record<string, Field<SpecNode>> => ({
      id: plain(required(GraphQLID), 'Stable id: `ps_4`.'),
      majorVersion: plain(required(GraphQLInt), 'Number of the edition: 4.'),
      year: plain(required(GraphQLInt), 'Fiscal year of the oldest data here that follows it.'),
      datasetTypes: resolved<SpecNode>(
        listOf(types.PlateauDatasetType),
        'Types of the datasets that follow it.',
        (spec) => spec.datasetTypes,
      ),
      minorVersions: resolved<SpecNode>(
        listOf(PlateauSpecMinor),
        'Its editions in detail.',
        (spec) => spec.minorVersions,
      ),
    }),
  });

  const PlateauSpecMinor: GraphQLObjectType = new GraphQLObjectType<SpecMinorNode, QueryContext>({
    name: 'PlateauSpecMinor',
    description: 'An edition of the product specification of city models.',
    interfaces: [Node],
    fields: (): Record<string, Field<SpecMinorNode>> => ({
      id: plain(required(GraphQLID), 'Stable id: `ps_4.1`.'),
      name: plain(required(GraphQLString), 'Name: `第4.1版`.'),
      version: plain(required(GraphQLString), 'Version: `4.1`.'),
      majorVersion: plain(required(GraphQLInt), 'Number of the major edition: 4.'),
      year: plain(required(GraphQLInt), 'Fiscal year of the oldest data here that follows it.'),
      parentId: plain(required(GraphQLID), 'Id of the major edition.'),
      parent: resolved<SpecMinorNode>(required(PlateauSpec), 'The major edition.', (spec) => spec.parent),
      datasets: resolved<SpecMinorNode>(
        listOf(types.Dataset),
        'Datasets that follow it.',
        (spec, { input }, { graph, budget }) =>
          filterDatasets(
            graph.datasetsBy(spec),
            { ...((input ?? {}) as DatasetsArguments), plateauSpec: null },
            budget,
          ),
        {
          input: {
            type: DatasetsInput,
            description: 'Which of them; `plateauSpec` and `areaCodes` are ignored.',
          },
        },
      ),
    }),
  });

  return { PlateauSpec, PlateauSpecMinor };
}
