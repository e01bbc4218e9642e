/** What a query may ask for at most, as far as its text and its arguments tell. */

import { quoted } from '@citymodel/base';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type SelectionSetNode,
  Source,
  type Token,
  TokenKind,
} from 'graphql';

export interface QueryLimits {
  /** Fields within fields. */
  maxDepth: number;
  /** Fields with a name of the caller's own. */
  maxAliases: number;
  /** Words, names and signs of the text. */
  maxTokens: number;
  /** Bytes of the text. */
  maxBytes: number;
  /** Entries of one list in arguments, such as area codes and ids. */
  maxList: number;
  /** Entries of `searchTokens`, each of which is compared with everything that is searched. */
  maxSearchTokens: number;
  /** Fields of the answer, and objects that filters look at times the conditions on each. */
  maxCost: number;
  /** Bytes of the answer. */
  maxAnswerBytes: number;
}

/** Longest text in arguments, UTF-16 code units: names, codes and ids are far shorter. */
const MAX_TEXT = 300;
/** Brackets within brackets that any query may have, besides those of its fields. */
const MAX_NESTING = 100;

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Counts the words and signs of a query before it is read, because what reads it calls itself for each bracket. Throws
 * a GraphQLError for a query of too many, one that is nested too deeply, and one with signs that GraphQL does not know.
 */
export function countTokens(query: string, { maxTokens, maxDepth }: QueryLimits): number {
  const source = new Source(query);
  const lexer = new Lexer(source);
  const maxNesting = MAX_NESTING + 2 * maxDepth;
  let depth = 0;
  let count = 0;
  let token: Token = lexer.advance();
  for (; token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (++count > maxTokens) {
      throw overLimit(`The query has more than ${maxTokens} words and signs, the most that is accepted.`, {
        source,
        positions: [token.start],
      });
    }
    if (CLOSING.has(token.kind)) depth--;
    if (!OPENING.has(token.kind)) continue;
    if (++depth > maxNesting) {
      throw overLimit(`The query has more than ${maxNesting} brackets within brackets.`, {
        source,
        positions: [token.start],
      });
    }
  }
  return count;
}

interface Measure {
  depth: number;
  aliases: number;
}

/**
 * Errors of a query that is too deep or has too many aliases; fragments count wherever they are used. Its fragments may
 * refer to each other in circles, which validation refuses later.
 */
export function checkLimits(document: DocumentNode, limits: QueryLimits): GraphQLError[] {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Measure | 'open'>();
  const measureFragment = (name: string): Measure => {
    const before = measured.get(name);
    if (before === 'open') return { depth: 0, aliases: 0 };
    if (before !== undefined) return before;
    measured.set(name, 'open');
    const fragment = fragments.get(name);
    const measure = fragment === undefined ? { depth: 0, aliases: 0 } : measureSet(fragment.selectionSet);
    measured.set(name, measure);
    return measure;
  };
  const measureSet = (set: SelectionSetNode): Measure => {
    let depth = 0;
    let aliases = 0;
    for (const selection of set.selections) {
      let inner: Measure = { depth: 0, aliases: 0 };
      if (selection.kind === Kind.FRAGMENT_SPREAD) inner = measureFragment(selection.name.value);
      else if (selection.selectionSet !== undefined) inner = measureSet(selection.selectionSet);
      if (selection.kind === Kind.FIELD) inner = { ...inner, depth: inner.depth + 1 };
      if (selection.kind === Kind.FIELD && selection.alias !== undefined) inner.aliases += 1;
      depth = Math.max(depth, inner.depth);
      aliases += inner.aliases;
    }
    return { depth, aliases };
  };
  const errors: GraphQLError[] = [];
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, aliases } = measureSet(definition.selectionSet);
    const at = { nodes: [definition] };
    if (depth > limits.maxDepth) {
      errors.push(
        overLimit(`The query is ${depth} fields deep; at most ${limits.maxDepth} are accepted.`, at),
      );
    }
    if (aliases > limits.maxAliases) {
      errors.push(
        overLimit(`The query has ${aliases} aliases; at most ${limits.maxAliases} are accepted.`, at),
      );
    }
  }
  return errors;
}

/** Checks the lengths of lists and texts in the arguments of a field. Throws a GraphQLError, `BAD_USER_INPUT`. */
export function checkArguments(args: Record<string, unknown>, limits: QueryLimits): void {
  for (const [name, value] of Object.entries(args)) {
    if (Array.isArray(value)) {
      const limit = name === 'searchTokens' ? limits.maxSearchTokens : limits.maxList;
      if (value.length > limit) {
        throw badInput(`${name} has ${value.length} entries; at most ${limit} are accepted in one list.`);
      }
      for (const entry of value) checkText(name, entry);
    } else if (typeof value === 'object' && value !== null) {
      checkArguments(value as Record<string, unknown>, limits);
    } else {
      checkText(name, value);
    }
  }
}

function checkText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value.length <= MAX_TEXT) return;
  throw badInput(
    `${name} has a text of ${value.length} characters, ${quoted(value, 20)}; at most ${MAX_TEXT} are accepted.`,
  );
}

/** Where in the query an error lies. */
type Place = { nodes: readonly OperationDefinitionNode[] } | { source: Source; positions: number[] };

/** An error that says that a limit is exceeded. */
export function overLimit(message: string, place?: Place): GraphQLError {
  return new GraphQLError(message, { ...place, extensions: { code: 'QUERY_TOO_LARGE' } });
}

/** An error in variables or arguments. */
export function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
