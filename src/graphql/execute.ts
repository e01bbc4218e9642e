/** Answers queries: read, checked, executed at one go over one state of the catalogue, and kept as long as that state. */
import { type ExecutionResult, execute, GraphQLError } from 'graphql';
import { GeneratedDocument } from '../base/generated-document.ts';
import { Budget } from './budget.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';
import { Documents, withCode } from './documents.ts';
import type { QueryLimits } from './limits.ts';
import { buildGraphSchema, type QueryContext } from './schema.ts';

export interface GraphRequest {
  query: string;
  variables?: unknown;
  operationName?: unknown;
}

export interface GraphAnswer {
  /** `{data?, errors?}` as JSON. */
  document: GeneratedDocument;
  /** Fields of the answer; 0 when it was kept from before or nothing was executed. */
  fields: number;
  /** True when the answer was kept from before. */
  kept: boolean;
}

export interface ExecutorOptions {
  limits: QueryLimits;
  /** Called with what was thrown unexpectedly; callers of the service are told nothing of it. */
  onError(error: unknown): void;
}

/** Longest query and variables whose answer is kept, UTF-16 code units. */
const MAX_KEY = 20_000;

export class Executor {
  readonly schema = buildGraphSchema();
  readonly #options: ExecutorOptions;
  readonly #documents: Documents;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#documents = new Documents(this.schema, options.limits);
  }

  /** The answer to a request; whatever is wrong with it is told in `errors`. */
  answer(graph: CatalogueGraph, request: GraphRequest): GraphAnswer {
    const variables = request.variables ?? {};
    // Clients that build a request from a form send '' where nothing was chosen.
    const operationName = request.operationName === '' ? undefined : (request.operationName ?? undefined);
    if (typeof variables !== 'object' || Array.isArray(variables)) {
      return refused([badInput('variables must be an object whose keys are the names of the variables.')]);
    }
    if (operationName !== undefined && typeof operationName !== 'string') {
      return refused([badInput('operationName must be a string.')]);
    }
    const { document, errors } = this.#documents.check(request.query);
    if (errors !== undefined) return refused(errors);
    const key = JSON.stringify([request.query, operationName, variables]);
    const kept = key.length > MAX_KEY ? undefined : graph.answers.find(key);
    if (kept !== undefined) return { document: kept, fields: 0, kept: true };

    const budget = new Budget(this.#options.limits.maxCost);
    const contextValue: QueryContext = { graph, budget };
    const result = execute({
      schema: this.schema,
      document,
      contextValue,
      variableValues: variables as Record<string, unknown>,
      operationName,
    }) as ExecutionResult;
    const { body, faults } = this.#present(result);
    const made = GeneratedDocument.ofJson(body);
    if (key.length <= MAX_KEY && faults === 0) graph.answers.keep(key, made);
    return { document: made, fields: budget.spent, kept: false };
  }

  /** The result with unexpected errors masked; a query over the limit keeps nothing but that error. */
  #present(result: ExecutionResult): { body: object; faults: number } {
    if (result.errors === undefined) return { body: result, faults: 0 };
    const tooLarge = result.errors.find((error) => codeOf(error) === 'QUERY_TOO_LARGE');
    if (tooLarge !== undefined) return { body: { errors: [tooLarge] }, faults: 0 };
    let faults = 0;
    const errors = result.errors.map((error) => {
      const cause = error.originalError;
      if (cause === undefined || cause instanceof GraphQLError) return withCode(error, 'BAD_USER_INPUT');
      faults++;
      this.#options.onError(cause);
      return new GraphQLError('Something went wrong inside the service; it has been logged.', {
        ...(error.nodes === undefined ? {} : { nodes: error.nodes }),
        ...(error.path === undefined ? {} : { path: error.path }),
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      });
    });
    return { body: result.data === undefined ? { errors } : { errors, data: result.data }, faults };
  }
}

function refused(errors: readonly GraphQLError[]): GraphAnswer {
  return { document: GeneratedDocument.ofJson({ errors }), fields: 0, kept: false };
}

function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

function codeOf(error: GraphQLError): unknown {
  const { originalError } = error;
  return originalError instanceof GraphQLError ? originalError.extensions.code : error.extensions.code;
}
