/** Fields of the schema's types. */
import {
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
} from 'graphql';
import type { RequestBudget } from '../base/request-budget.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';

/** What resolvers see of a request. */
export interface QueryContext {
  graph: CatalogueGraph;
  /** Charged by filters with the objects that they look at; the fields of the answer are charged by who writes it. */
  budget: RequestBudget;
}

/** A named type, which is nullable by itself. */
type Named = GraphQLScalarType | GraphQLEnumType | GraphQLObjectType | GraphQLInterfaceType;

export type Field<S> = GraphQLFieldConfig<S, QueryContext>;

/** A value that the object has under the field's name. */
export function plain<S>(type: GraphQLOutputType, description: string): Field<S> {
  return { type, description };
}

export function required(type: Named): GraphQLOutputType {
  return new GraphQLNonNull(type);
}

export function listOf(type: Named): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
}

/** An object, or several, that a function gives. */
export function resolved<S>(
  type: GraphQLOutputType,
  description: string,
  get: (source: S, args: Record<string, unknown>, context: QueryContext) => unknown,
  args: GraphQLFieldConfigArgumentMap = {},
): Field<S> {
  return { type, description, args, resolve: get };
}
