/** Who may use the operator's interface: anybody who has the token of ADMIN_TOKEN. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';

/** Wrong tokens that one network may send within the time below; then it waits. */
const MAX_FAILURES = 10;
const FAILURES_MS = 60_000;
/** Networks whose failures are counted: those seen last. */
const MAX_NETWORKS = 10_000;
/** Longest header that is looked at, characters. */
const MAX_HEADER = 1_000;

export class AdminToken {
  readonly #digest: Buffer;
  readonly #failures = new LRUCache<string, number>({
    max: MAX_NETWORKS,
    ttl: FAILURES_MS,
    noUpdateTTL: true,
  });

  constructor(token: string) {
    this.#digest = digestOf(token);
  }

  /**
   * Checks a header `Authorization: Bearer {token}` of a request from a network (`networkOf`). The right token always
   * goes through: wrong ones of others who share the address must not lock the operator out. Throws ServiceError 401
   * for a wrong one, 429 once a network has sent too many.
   */
  check(header: string | undefined, network: string): void {
    const token = /^Bearer +(\S+)$/i.exec(header?.slice(0, MAX_HEADER) ?? '')?.[1];
    // Digests have one length, whatever was sent, and are compared in a time that tells nothing.
    if (token !== undefined && timingSafeEqual(digestOf(token), this.#digest)) return;
    const failures = this.#failures.get(network) ?? 0;
    if (failures >= MAX_FAILURES) {
      throw new ServiceError(429, 'too many requests', {
        reason: 'Too many wrong tokens came from this address. Wait a minute, or send the right one.',
        retryAfter: Math.max(1, Math.ceil(this.#failures.getRemainingTTL(network) / 1_000)),
      });
    }
    // A caller who sends none only learns that one is needed.
    if (token !== undefined) this.#failures.set(network, failures + 1);
    throw new ServiceError(401, 'unauthorized', {
      reason:
        token === undefined
          ? 'Send the token of the operator as Authorization: Bearer {token}.'
          : 'The token is not that of the operator (ADMIN_TOKEN).',
    });
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
