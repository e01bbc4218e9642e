import { StoreUnavailable } from '../catalogue-store.ts';

/** What errors of the SDK have, of any class. */
interface S3Error extends Error {
  /** `NoSuchKey`, `SlowDown`, `TimeoutError` … */
  name: string;
  code?: string;
  $metadata?: { httpStatusCode?: number; requestId?: string };
}

/** HTTP status of a refused request; undefined when there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return (error as S3Error | null)?.$metadata?.httpStatusCode;
}

/** True when an object is not there; false when its bucket is not. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as S3Error).name !== 'NoSuchBucket';
}

/** True for an answer that a condition (`If-Match`, `If-None-Match`) does not hold. */
export function isPreconditionFailed(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** True when the upload of parts is not known (any more). */
export function isUploadGone(error: unknown): boolean {
  return (error as S3Error).name === 'NoSuchUpload';
}

/** True for a loss that asking again may mend: no answer, a cut line, a time-out, a fault or a throttle of the store. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined && status >= 300) return status >= 500 || status === 429 || status === 408;
  return true;
}

/** True when nothing came for as long as one waits. */
export function isTimeout(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'TimeoutError' || name === 'AbortError';
}

/** StoreUnavailable for whatever the store, or the way to it, could not do; says what, without addresses and keys. */
export function unavailable(error: unknown, doing: string): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const { name, code } = error as S3Error;
  const status = statusOf(error);
  const why = isTimeout(error) ? ADVICE.TimeoutError! : (ADVICE[name] ?? ADVICE[status ?? 0] ?? code ?? name);
  const answer = status === undefined || status < 300 ? '' : ` (${status} ${name})`;
  return new StoreUnavailable(`the object store cannot ${doing}: ${why}${answer}`, { cause: error, why });
}

/** What an operator can do about errors that do not pass. */
const ADVICE: Record<string | number, string> = {
  NoSuchBucket: 'the bucket that OBJECT_STORE names does not exist',
  AccessDenied: 'the keys do not allow it',
  InvalidAccessKeyId: 'the store does not know the access key',
  SignatureDoesNotMatch: 'the secret key is wrong',
  CredentialsProviderError:
    'there are no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile or a role',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: 'the bucket lies in another region; set region= in OBJECT_STORE',
  TimeoutError: 'it did not answer in time',
  403: 'the keys do not allow it',
};
