/** Queries read and checked once: front ends send the same few texts over and over. */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { checkLimits, overLimit, type QueryLimits } from './limits.ts';

/** A query that may be executed, or why not. */
export type CheckedDocument =
  | { document: DocumentNode; errors?: never }
  | { document?: never; errors: readonly GraphQLError[] };

/** Characters of the texts that are kept. */
const MAX_KEPT = 4 * 1024 * 1024;
/** Errors that are reported of one query. */
const MAX_ERRORS = 20;

export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #limits: QueryLimits;
  /** The one used longest ago first. */
  readonly #known = new Map<string, CheckedDocument>();
  #kept = 0;

  constructor(schema: GraphQLSchema, limits: QueryLimits) {
    this.#schema = schema;
    this.#limits = limits;
  }

  /** The query as a document, or its errors. */
  check(query: string): CheckedDocument {
    let known = this.#known.get(query);
    if (known === undefined) {
      known = this.#read(query);
      this.#kept += query.length;
    } else {
      this.#known.delete(query);
    }
    this.#known.set(query, known);
    for (const oldest of this.#known.keys()) {
      if (this.#kept <= MAX_KEPT) break;
      this.#known.delete(oldest);
      this.#kept -= oldest.length;
    }
    return known;
  }

  #read(query: string): CheckedDocument {
    const { maxBytes, maxTokens } = this.#limits;
    const bytes = Buffer.byteLength(query);
    if (bytes > maxBytes) {
      return {
        errors: [overLimit(`The query has ${bytes} bytes; at most ${maxBytes} are accepted. Use variables.`)],
      };
    }
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      if (/more tha[nt] \d+ tokens/.test(error.message)) {
        return {
          errors: [
            overLimit(`The query has more than ${maxTokens} words and signs, the most that is accepted.`),
          ],
        };
      }
      return { errors: [withCode(error, 'GRAPHQL_PARSE_FAILED')] };
    }
    const tooLarge = checkLimits(document, this.#limits);
    if (tooLarge.length > 0) return { errors: tooLarge };
    const errors = validate(this.#schema, document, specifiedRules, { maxErrors: MAX_ERRORS });
    if (errors.length === 0) return { document };
    // The library gives up on comparing thousands of fields of one name, and does not say why.
    if (errors.some((error) => error.message === 'Validation aborted.')) {
      return { errors: [overLimit('The query repeats the same fields too often to be checked.')] };
    }
    return { errors: errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')) };
  }
}

/** The error with a code for programs, unless it has one. */
export function withCode(error: GraphQLError, code: string): GraphQLError {
  error.extensions.code ??= code;
  return error;
}
