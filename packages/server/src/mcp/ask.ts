/** How the tools reach the operations of the interface. */
export interface OperationAnswer {
  status: number;
  /** The parsed body; an error object when the status is 400 or above. */
  json: unknown;
  /** True when the answer was too long and only its first entries are here. */
  isCut?: boolean;
}

export interface AskOptions {
  /** Asks by `POST` with this as JSON; by `GET` without one. */
  body?: object;
  /** Ends the work on the answer. */
  signal?: AbortSignal;
  /** Address of who asks, whose rates and shares count; that of this machine unless given. */
  address?: string;
  /** Bytes of the answer that are read at most. */
  maxBytes?: number;
  /**
   * Lists and objects around the entries of which the first are enough when the answer is longer; it is refused (413)
   * unless given.
   */
  entriesAt?: number;
}

/**
 * Asks an operation: `GET` of the path with its query, or `POST` when there is a body. A status of 400 or above is an
 * answer, not an exception.
 */
export type Ask = (path: string, options?: AskOptions) => Promise<OperationAnswer>;

/** The operation refused: its sentence is the tool's. */
export class ToolError extends Error {}

/** The body of a success. Throws a ToolError that says what the operation says. */
export async function askJson(ask: Ask, path: string, options?: AskOptions): Promise<unknown> {
  return (await askEntries(ask, path, options)).json;
}

/** The body of a success, and whether it has the first entries alone. Throws as `askJson`. */
export async function askEntries(
  ask: Ask,
  path: string,
  options?: AskOptions,
): Promise<{ json: unknown; isCut: boolean }> {
  const { status, json, isCut = false } = await ask(path, options);
  if (status < 400) return { json, isCut };
  const { error, reason } = (json ?? {}) as { error?: string; reason?: string };
  if (status === 413) throw new ToolError('The answer is too large. Ask for a smaller area or fewer types.');
  throw new ToolError(reason ?? error ?? `The operation answers with status ${status}.`);
}

/** Data of a GraphQL query. Throws a ToolError with its first error. */
export async function askGraphql<T>(
  ask: Ask,
  query: string,
  variables: object,
  signal?: AbortSignal,
): Promise<T> {
  const answer = (await askJson(ask, '/datacatalog/graphql', {
    body: { query, variables },
    ...(signal === undefined ? {} : { signal }),
  })) as { data?: T; errors?: Array<{ message: string }> };
  const [error] = answer.errors ?? [];
  if (error !== undefined) throw new ToolError(error.message);
  return answer.data!;
}
