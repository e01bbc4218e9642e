/** Answers queries: read, checked, executed over one state of the catalogue, and kept as long as that state. */

import { Slices } from '@citymodel/base';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { GeneratedDocument, type ReadyDocument } from '../base/generated-document.ts';
import { RequestBudget } from '../base/request-budget.ts';
import { AnswerText } from './answer-text.ts';
import type { CatalogueGraph } from './catalogue-graph.ts';
import { Documents, withCode } from './documents.ts';
import { badInput, checkArguments, overLimit, type QueryLimits } from './limits.ts';
import { buildGraphSchema, type QueryContext } from './schema.ts';
import { Selections } from './selection.ts';
import { AnswerWriter, LostAnswer } from './write-answer.ts';

export interface GraphRequest {
  query: string;
  variables?: unknown;
  operationName?: unknown;
}

export interface GraphAnswer {
  /** `{data?, errors?}` as JSON. */
  document: ReadyDocument;
  /** False when the request was refused before anything was executed. */
  hasData: boolean;
  /**
   * Fields of the answer and objects that filters looked at; 0 when it was kept from before or nothing was executed.
   */
  cost: number;
  /** True when the answer was kept from before. */
  kept: boolean;
}

export interface ExecutorOptions {
  limits: QueryLimits;
  /** Called with what was thrown unexpectedly; callers of the service are told nothing of it. */
  onError(error: unknown): void;
  /** Lets other work run; awaited every few milliseconds. */
  pause(): Promise<void>;
}

/** Longest query and variables whose answer is kept, UTF-16 code units. */
const MAX_KEY = 20_000;
/** A query of more UTF-16 code units may take several milliseconds to check. */
const LONG_QUERY = 5_000;
/** Errors in variables that are reported of one request. */
const MAX_ERRORS = 20;
const ADVICE = 'Ask for fewer fields or areas at once, or filter by fewer entries.';

export class Executor {
  readonly schema = buildGraphSchema();
  readonly #options: ExecutorOptions;
  readonly #documents: Documents;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#documents = new Documents(this.schema, options.limits);
  }

  /** The answer to a request; whatever is wrong with it is told in `errors`. Throws the signal's reason. */
  async answer(graph: CatalogueGraph, request: GraphRequest, signal?: AbortSignal): Promise<GraphAnswer> {
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
    // Checking cannot pause; what comes next need not add to its turn.
    if (request.query.length > LONG_QUERY) await this.#options.pause();
    const key = JSON.stringify([request.query, operationName, variables]);
    const cached = key.length > MAX_KEY ? undefined : graph.answers.find(key);
    if (cached !== undefined) return { document: cached, hasData: true, cost: 0, kept: true };

    const answer = await this.#execute(graph, document, {
      variables: variables as Record<string, unknown>,
      operationName,
      signal,
    });
    if (answer.hasData && !answer.isFaulty && key.length <= MAX_KEY) graph.answers.keep(key, answer.document);
    return answer;
  }

  async #execute(
    graph: CatalogueGraph,
    document: DocumentNode,
    {
      variables,
      operationName,
      signal,
    }: {
      variables: Record<string, unknown>;
      operationName: string | undefined;
      signal: AbortSignal | undefined;
    },
  ): Promise<GraphAnswer & { isFaulty?: boolean }> {
    const operation = operationOf(document, operationName);
    if (operation instanceof GraphQLError) return refused([operation]);
    const rootType = this.schema.getRootType(operation.operation);
    if (rootType == null) {
      const message = `The schema has no ${operation.operation}; only queries are answered.`;
      return refused([
        new GraphQLError(message, { nodes: [operation], extensions: { code: 'BAD_USER_INPUT' } }),
      ]);
    }
    const coerced = getVariableValues(this.schema, operation.variableDefinitions ?? [], variables, {
      maxErrors: MAX_ERRORS,
    });
    if (coerced.errors !== undefined) {
      return refused(coerced.errors.map((error) => withCode(error, 'BAD_USER_INPUT')));
    }
    const { limits, pause } = this.#options;
    const budget = new RequestBudget(
      { items: limits.maxCost, bytesHeld: limits.maxAnswerBytes, bytesRead: 0 },
      ADVICE,
    );
    const context: QueryContext = { graph, budget };
    const selections = new Selections({
      schema: this.schema,
      fragments: fragmentsOf(document),
      variables: coerced.coerced,
      checkArguments: (args) => checkArguments(args, limits),
    });
    const text = new AnswerText();
    const writer = new AnswerWriter({ selections, text, budget, slices: new Slices(pause), context, signal });
    try {
      text.add('{"data":');
      await writer.write(selections.of(rootType, [operation.selectionSet]));
      const { errors, faults } = this.#mask(writer.errors);
      text.add(errors.length === 0 ? '}' : `,"errors":${JSON.stringify(errors)}}`);
      const finished = await text.finish();
      return {
        document: finished,
        hasData: true,
        cost: budget.used.items,
        kept: false,
        isFaulty: faults > 0,
      };
    } catch (error) {
      text.drop();
      const cost = budget.used.items;
      if (error instanceof ServiceError) {
        const tooLarge = overLimit(error.reason ?? error.message, { nodes: [operation] });
        return { ...refused([tooLarge]), cost };
      }
      if (error instanceof LostAnswer) {
        const { errors } = this.#mask(writer.errors);
        const lost = GeneratedDocument.ofJson({ data: null, errors });
        return { document: lost, hasData: true, cost, kept: false, isFaulty: true };
      }
      throw error;
    }
  }

  /** Errors as callers may see them: what was thrown unexpectedly is logged instead. */
  #mask(thrown: readonly GraphQLError[]): { errors: GraphQLError[]; faults: number } {
    let faults = 0;
    const errors = thrown.map((error) => {
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
    return { errors, faults };
  }
}

/** The operation that is meant (GraphQL, section 6.1), or why none is. */
function operationOf(
  document: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | GraphQLError {
  const all = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const found = name === undefined ? all : all.filter((operation) => operation.name?.value === name);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) return badInput('Give operationName: the query has several operations.');
  return badInput(
    name === undefined ? 'The query has no operation.' : `The query has no operation of that name.`,
  );
}

function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

function refused(errors: readonly GraphQLError[]): GraphAnswer {
  return { document: GeneratedDocument.ofJson({ errors }), hasData: false, cost: 0, kept: false };
}
