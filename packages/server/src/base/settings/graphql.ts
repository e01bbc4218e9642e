/** Limits of GraphQL queries. */
import { integer } from './kinds.ts';

export const GRAPHQL_SETTINGS = {
  GRAPHQL_MAX_DEPTH: integer({
    minimum: 1,
    maximum: 1_000,
    default: 20,
    description: 'How many fields within fields a GraphQL query may ask for.',
  }),
  GRAPHQL_MAX_ALIASES: integer({
    minimum: 0,
    maximum: 100_000,
    default: 500,
    description: 'How many aliases a GraphQL query may have.',
  }),
  GRAPHQL_MAX_TOKENS: integer({
    minimum: 10,
    maximum: 1_000_000,
    default: 4_000,
    description: 'How many words and signs a GraphQL query may have.',
  }),
  GRAPHQL_MAX_BYTES: integer({
    minimum: 100,
    maximum: 10_000_000,
    default: 100_000,
    description: 'Longest GraphQL query that is accepted, bytes; variables do not count.',
  }),
  GRAPHQL_MAX_BODY_BYTES: integer({
    minimum: 1_000,
    maximum: 100_000_000,
    default: 1_000_000,
    description: 'Longest body of a GraphQL request, bytes; `MAX_BODY_BYTES` holds too.',
  }),
  GRAPHQL_MAX_LIST: integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description: 'How many entries one list in GraphQL arguments may have, such as area codes and ids.',
  }),
  GRAPHQL_MAX_SEARCH_TOKENS: integer({
    minimum: 1,
    maximum: 10_000,
    default: 200,
    description: 'How many `searchTokens` a GraphQL filter may have.',
  }),
  GRAPHQL_MAX_COST: integer({
    minimum: 100,
    maximum: 100_000_000,
    default: 2_000_000,
    description:
      'How many fields the answer to a GraphQL query may have, together with the objects that its filters look at ' +
      'times their conditions. Every field of every dataset of a whole country is about 1,000,000.',
  }),
  GRAPHQL_MAX_ANSWER_BYTES: integer({
    minimum: 10_000,
    maximum: 10_000_000_000,
    default: 64_000_000,
    description:
      'Largest answer to a GraphQL query, bytes of plain text. Every field of every dataset of a whole country is ' +
      'about 26 MB.',
  }),
};
