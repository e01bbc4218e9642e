/** What a query may ask for at most, as far as its text tells. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
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
  /** Fields of the answer, as `Budget` counts them. */
  maxCost: number;
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
  const known = new Map<string, Measure | 'open'>();
  const measureFragment = (name: string): Measure => {
    const before = known.get(name);
    if (before === 'open') return { depth: 0, aliases: 0 };
    if (before !== undefined) return before;
    known.set(name, 'open');
    const fragment = fragments.get(name);
    const measure = fragment === undefined ? { depth: 0, aliases: 0 } : measureSet(fragment.selectionSet);
    known.set(name, measure);
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
    if (depth > limits.maxDepth) {
      errors.push(overLimit(`The query is ${depth} fields deep; at most ${limits.maxDepth} are accepted.`));
    }
    if (aliases > limits.maxAliases) {
      errors.push(overLimit(`The query has ${aliases} aliases; at most ${limits.maxAliases} are accepted.`));
    }
  }
  return errors;
}

/** An error that says that a limit is exceeded. */
export function overLimit(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'QUERY_TOO_LARGE' } });
}
