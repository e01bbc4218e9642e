/**
 * Errors that a caller caused or has to know of. The HTTP shell turns them into
 * `{error, reason?, url?}` with their status; the command line prints the reason.
 */

/** The fixed texts of the key `error` (interface decisions, section 1). */
export type ErrorText =
  | 'not found'
  | 'invalid url'
  | 'invalid domain'
  | 'cannot fetch'
  | 'internal'
  | 'id parameter is required'
  | 'sid parameter is required'
  | 'type parameter is required'
  | 'url parameter is required'
  | 'no urls provided'
  | 'invalid request body'
  | 'invalid request'
  | 'invalid spec'
  | 'invalid conditions'
  | 'invalid parameter'
  | 'invalid status'
  | 'no citygml files for the given types'
  | 'no features found'
  | 'too many bounds'
  | 'too many requests'
  | 'request too large'
  | 'range not satisfiable'
  | 'precondition failed'
  | 'method not allowed'
  | 'unauthorized'
  | 'conflict'
  | 'upload refused'
  | 'unavailable';

/** Longest reason and URL in the body of an error, UTF-16 code units: callers need not get back what they have sent. */
const MAX_REASON = 1_000;
const MAX_URL = 300;

export interface ServiceErrorOptions {
  /** A full sentence: what was wrong and what is accepted. */
  reason?: string;
  /** The URL that the error is about. */
  url?: string;
  /** Further top-level keys of the body, such as `status`. */
  extra?: Record<string, unknown>;
  /** Seconds after which trying again makes sense (`Retry-After`). */
  retryAfter?: number;
  cause?: unknown;
}

/** An answer other than success, with the HTTP status that it has. */
export class ServiceError extends Error {
  readonly status: number;
  readonly reason: string | undefined;
  readonly url: string | undefined;
  readonly extra: Record<string, unknown>;
  readonly retryAfter: number | undefined;

  constructor(status: number, error: ErrorText, options: ServiceErrorOptions = {}) {
    super(error, { cause: options.cause });
    this.name = 'ServiceError';
    this.status = status;
    this.reason = options.reason;
    this.url = options.url;
    this.extra = options.extra ?? {};
    this.retryAfter = options.retryAfter;
  }

  /** The JSON body of the error. */
  body(): Record<string, unknown> {
    return {
      error: this.message,
      ...(this.reason === undefined ? {} : { reason: shortened(this.reason, MAX_REASON) }),
      ...(this.url === undefined ? {} : { url: shortened(this.url, MAX_URL) }),
      ...this.extra,
    };
  }
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
