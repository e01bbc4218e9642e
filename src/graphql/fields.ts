/** Fields whose answers are objects: each charges the budget for them before they are resolved. */
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
import type { Budget } from './budget.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';

/** What resolvers see of a request. */
export interface QueryContext {
  graph: CatalogueGraph;
  budget: Budget;
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

/** An object. */
export function one<S>(
  type: GraphQLOutputType,
  description: string,
  get: (source: S, args: Record<string, unknown>, context: QueryContext) => unknown,
  args: GraphQLFieldConfigArgumentMap = {},
): Field<S> {
  return {
    type,
    description,
    args,
    resolve(source, given, context, info) {
      context.budget.charge(1, info);
      return get(source, given, context);
    },
  };
}

/** Objects. */
export function many<S>(
  type: GraphQLOutputType,
  description: string,
  get: (source: S, args: Record<string, unknown>, context: QueryContext) => readonly unknown[],
  args: GraphQLFieldConfigArgumentMap = {},
): Field<S> {
  return {
    type,
    description,
    args,
    resolve(source, given, context, info) {
      const objects = get(source, given, context);
      context.budget.charge(objects.length, info);
      return objects;
    },
  };
}
