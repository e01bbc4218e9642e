/** Requests to the service that the page comes from, and what to tell people when one fails. */
import { config } from './config.ts';

/**
 * `offline`: no answer. `absent`: the operation is not offered here. `missing`: what was asked for does not exist.
 * `refused`: the request was not accepted. `busy`: later perhaps.
 */
export type FailureKind = 'offline' | 'absent' | 'missing' | 'refused' | 'busy';

export class ApiFailure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  /** The service's own sentence, when it gave one. */
  readonly reason: string;

  constructor(kind: FailureKind, status: number, reason: string) {
    super(`${kind} (${status}): ${reason}`);
    this.name = 'ApiFailure';
    this.kind = kind;
    this.status = status;
    this.reason = reason;
  }
}

export interface RequestInitJson {
  signal?: AbortSignal | undefined;
  /** Sent as JSON with POST. */
  body?: unknown;
}

/** The JSON of a path of the interface, e.g. `/datacatalog/…`. Throws ApiFailure, or the abort of the signal. */
export async function api<T>(path: string, { signal, body }: RequestInitJson = {}): Promise<T> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(config.base + path, {
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiFailure('offline', 0, String(error));
  }
  let value: { error?: string; reason?: string } | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // A proxy's own page, or nothing: told by the status.
  }
  if (response.ok && value !== null) return value as T;
  throw new ApiFailure(
    kindOf(response.status, value?.reason ?? ''),
    response.status,
    value?.reason ?? value?.error ?? '',
  );
}

function kindOf(status: number, reason: string): FailureKind {
  if (status === 404 || status === 405) return /There is no operation/.test(reason) ? 'absent' : 'missing';
  if (status === 429 || status === 502 || status === 503 || status === 504) return 'busy';
  return status >= 500 ? 'busy' : 'refused';
}

/**
 * Files by condition, operation 7: of each municipality and type the newest year, or every year. The separators of
 * conditions stay readable.
 */
export function filesPath(
  condition: string,
  { types, everyYear = false }: { types?: readonly string[]; everyYear?: boolean } = {},
): string {
  const path = encodeURIComponent(condition).replace(/%(2C|3A|2F)/g, decodeURIComponent);
  const query = [
    ...(types && types.length > 0 ? [`types=${types.join(',')}`] : []),
    ...(everyYear ? ['all_years=true'] : []),
  ];
  return `/datacatalog/citygml/${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** How much the file search would find. */
export function countsPath(
  condition: string,
  options: { types?: readonly string[]; everyYear?: boolean } = {},
): string {
  return filesPath(condition, options).replace('/datacatalog/citygml/', '/datacatalog/counts/');
}

/** Attributes of features, operation 11; those of CityGML 3.0 under the names of 2.0, which the pages know. */
export function attributesPath(url: string, ids: readonly string[]): string {
  return `/citygml/attributes?url=${encodeURIComponent(url)}&id=${ids.map(encodeURIComponent).join(',')}&attributes=v2`;
}
