/** Queries read and checked once: front ends send the same few texts over and over. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkLimits, countTokens, overLimit, type QueryLimits } from './limits.ts';

/** A query that may be executed, or why not. */
export type CheckedDocument =
  | { document: DocumentNode; errors?: never }
  | { document?: never; errors: readonly GraphQLError[] };

/** Queries that are kept. */
const MAX_KEPT = 1_000;
/** Bytes that the kept queries take, about. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** Bytes that one word or sign takes in a query that has been read, about: its token, and its part of a node. */
const TOKEN_BYTES = 300;
/** Errors that are reported of one query. */
const MAX_ERRORS = 20;

export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: QueryLimits;
  /** Accepted queries only: the errors of a refused one take a thousand times as much as its text. */
  readonly #known: LRUCache<string, { document: DocumentNode; bytes: number }>;

  constructor(schema: GraphQLSchema, limits: QueryLimits) {
    this.#schema = schema;
    this.#limits = limits;
    this.#known = new LRUCache({
      max: MAX_KEPT,
      maxSize: MAX_KEPT_BYTES,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /** How many queries are kept. */
  get size(): number {
    return this.#known.size;
  }

  /** The query as a document, or its errors. */
  check(query: string): CheckedDocument {
    const cached = this.#known.get(query);
    if (cached !== undefined) return { document: cached.document };
    try {
      return this.#read(query);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { errors: [withCode(error, 'GRAPHQL_PARSE_FAILED')] };
    }
  }

  /** Throws a GraphQLError for what is no GraphQL. */
  #read(query: string): CheckedDocument {
    const { maxBytes } = this.#limits;
    const bytes = Buffer.byteLength(query);
    if (bytes > maxBytes) {
      throw overLimit(`The query has ${bytes} bytes; at most ${maxBytes} are accepted. Use variables.`);
    }
    const tokens = countTokens(query, this.#limits);
    const document = parse(query);
    const tooLarge = checkLimits(document, this.#limits);
    if (tooLarge.length > 0) return { errors: tooLarge };
    const errors = validate(this.#schema, document, specifiedRules, { maxErrors: MAX_ERRORS });
    // The library gives up on comparing thousands of fields of one name, and does not say why.
    if (errors.some((error) => error.message === 'Validation aborted.')) {
      return { errors: [overLimit('The query repeats the same fields too often to be checked.')] };
    }
    if (errors.length > 0) {
      return { errors: errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')) };
    }
    this.#known.set(query, { document, bytes: 2 * query.length + TOKEN_BYTES * tokens });
    return { document };
  }
}

/** The error with a code for programs, unless it has one. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code ??= code;
  return error;
}
