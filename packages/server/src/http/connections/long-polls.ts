import type { FastifyRequest } from 'fastify';
import { networkOf } from './network-of.ts';
import type { Pipelining } from './pipelining.ts';

export interface LongPollLimits {
  /** Callers of one address, or of one /64 network of IPv6, that may wait at the same time. */
  perAddress: number;
  /** Callers that may wait at the same time. */
  total: number;
}

/** A caller that waits: `signal` is aborted when it should be answered at once. */
export interface LongPoll extends Disposable {
  signal: AbortSignal;
}

/** Requests that wait for a change before they are answered. */
export class LongPolls {
  readonly #limits: LongPollLimits;
  readonly #pipelining: Pipelining;
  readonly #byAddress = new Map<string, number>();
  #count = 0;

  constructor(limits: LongPollLimits, pipelining: Pipelining) {
    this.#limits = limits;
    this.#pipelining = pipelining;
  }

  /** Requests that wait now. */
  get size(): number {
    return this.#count;
  }

  /** Null when as many wait as may: the request is then answered with what is known now. */
  begin(request: FastifyRequest): LongPoll | null {
    const address = networkOf(request.ip);
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#count >= this.#limits.total || ofAddress >= this.#limits.perAddress) return null;
    this.#count++;
    this.#byAddress.set(address, ofAddress + 1);
    const controller = new AbortController();
    // Answers leave in the order of the requests: a caller who comes behind would wait as long.
    const forget = this.#pipelining.onCrowded(request.raw.socket, () => controller.abort());
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        forget();
        this.#count--;
        const left = this.#byAddress.get(address)! - 1;
        if (left === 0) this.#byAddress.delete(address);
        else this.#byAddress.set(address, left);
      },
    };
  }
}
