import type { GraphQLInterfaceType, GraphQLObjectType } from 'graphql';

/**
 * Types that files other than their own refer to. They refer to each other in circles, so each file looks the others' up
 * when the schema reads the fields, and `schema.ts` puts them together before that.
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
