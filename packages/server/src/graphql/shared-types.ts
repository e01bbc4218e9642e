import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql';

/**
 * Types that files other than their own refer to. They refer to each other in circles. So each file looks up the
 * others' types when the schema reads the fields; `schema.ts` has collected them before.
 */
export interface SharedTypes {
  Prefecture: GraphQLObjectType;
  City: GraphQLObjectType;
  Ward: GraphQLObjectType;
  CityGMLDataset: GraphQLObjectType;
  Dataset: GraphQLInterfaceType;
  PlateauDatasetType: GraphQLObjectType;
  PlateauSpec: GraphQLObjectType;
  PlateauSpecMinor: GraphQLObjectType;
}
