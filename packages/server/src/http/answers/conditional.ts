/** Conditional requests: what the caller has already, and what it insists on (RFC 9110, section 13). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { ServiceError } from '../../base/errors.ts';

/** What is known of the present answer. */
export interface Validators {
  /** Entity tag, quoted, with `W/` where it is weak. */
  etag: string;
  lastModified?: Date;
}

/**
 * Sets the headers of the validators. True when the caller has the answer already: it then gets `304`. Throws
 * ServiceError 412 where `If-Match` or `If-Unmodified-Since` ask for another one.
 */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, validators: Validators): boolean {
  const { headers } = request;
  const { etag, lastModified } = validators;
  reply.header('etag', etag);
  if (lastModified !== undefined) reply.header('last-modified', lastModified.toUTCString());
  checkPreconditions(request, validators);
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === etag) return true;
  const ifModifiedSince = headers['if-modified-since'];
  if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false;
  // Without `cache-control: no-cache` of the caller: a condition that was sent is meant.
  return fresh(
    { 'if-none-match': ifNoneMatch, 'if-modified-since': ifModifiedSince },
    { etag, ...(lastModified && { 'last-modified': lastModified.toUTCString() }) },
  );
}

function checkPreconditions({ headers }: FastifyRequest, { etag, lastModified }: Validators): void {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!strongMatch(ifMatch, etag)) throw otherBytes('If-Match');
  } else if (lastModified !== undefined) {
    // A date that is none counts as not sent.
    const since = Date.parse(headers['if-unmodified-since'] ?? '');
    if (Math.floor(lastModified.getTime() / 1_000) * 1_000 > since) throw otherBytes('If-Unmodified-Since');
  }
}

/** A weak tag never matches here (section 13.1.1). */
function strongMatch(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return !etag.startsWith('W/') && header.split(',').some((candidate) => candidate.trim() === etag);
}

function otherBytes(header: string): ServiceError {
  return new ServiceError(412, 'precondition failed', {
    reason: `The bytes are not those that ${header} names.`,
  });
}
