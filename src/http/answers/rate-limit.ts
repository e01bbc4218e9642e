import { isIPv6 } from 'node:net';
import { ServiceError } from '../../base/errors.ts';

export interface RateLimitOptions {
  /** Requests that one address may make in a minute; 0 means any number. */
  perMinute: number;
  /** Milliseconds that only grow. */
  now?: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Addresses that are remembered: those seen last, at about 150 bytes each. */
const MAX_ADDRESSES = 50_000;

/**
 * A bucket of tokens for each address: it holds a minute's worth, a request takes one, and they come back evenly. The
 * memory is bounded; an address that is forgotten begins with a full bucket. Each process counts for itself.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Least recently seen first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perMinute, now = () => performance.now() }: RateLimitOptions) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Addresses remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Counts a request. Throws ServiceError 429 `too many requests` with the seconds until the next one is taken. */
  take(address: string): void {
    if (this.#perMinute === 0) return;
    const key = networkOf(address);
    const now = this.#now();
    const known = this.#buckets.get(key) ?? { tokens: this.#perMinute, at: now };
    const perMs = this.#perMinute / 60_000;
    const tokens = Math.min(this.#perMinute, known.tokens + (now - known.at) * perMs);
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    if (this.#buckets.size > MAX_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value!);
    if (tokens >= 1) return;
    throw new ServiceError(429, 'too many requests', {
      reason: `At most ${this.#perMinute} of these requests are accepted from one address in a minute.`,
      retryAfter: Math.ceil((1 - tokens) / perMs / 1_000),
    });
  }
}

/** What counts as one caller: an IPv4 address, or the /64 network that one subscriber has in IPv6. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const first = groupsOf(head);
  // An IPv4 address at the end stands for two groups.
  const last = groupsOf(tail).flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
  const zeros = new Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  const network = [...first, ...zeros, ...last].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
