/**
 * What bodies of requests may take: bytes in memory of all requests together, and bytes that are read only to be
 * dropped.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { networkOf } from './network-of.ts';

export interface BodyLimits {
  /** Bytes of bodies that all requests together may have in memory. */
  maxBytesInFlight: number;
  /** Bytes of these that requests of one network may have (`networkOf`). */
  maxBytesPerNetwork: number;
  /** Bytes of a refused body that are read before the connection is closed, so that the caller reads the answer. */
  maxBytesDropped: number;
}

/** Registers the limits for all routes of the app. */
export function limitBodies(app: FastifyInstance, limits: BodyLimits): void {
  const budget = new BodyBudget(limits.maxBytesInFlight, limits.maxBytesPerNetwork);
  app.addHook('onRequest', (request, _reply, done) => {
    const encoding = request.headers['content-encoding'];
    const isPlain = encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity';
    done(isPlain || !hasBody(request) ? undefined : encodedBody(encoding));
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    // What goes to the disk as it comes takes no memory.
    if (!hasBody(request) || isStreamed(request)) return done(null, payload);
    const counted = new CountedBody(budget, networkOf(request.ip), isSmall(request));
    // Until the answer is sent, what was made of the body is in memory, too.
    reply.raw.once('close', () => counted.forget());
    // Not `pipeline`: it would end the connection when the body is refused.
    payload.once('error', (error) => counted.destroy(error));
    done(null, payload.pipe(counted));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode >= 400 && hasBody(request) && !request.raw.complete) {
      dropRest(request, reply, limits.maxBytesDropped);
    }
    done(null, payload);
  });
}

/** A body up to this size is small: GraphQL, calls of tools, packs of some files. */
const SMALL_BYTES = 64 * 1_024;
/** Part of the memory that large bodies leave to small ones. */
const SMALL_PART = 1 / 8;

/** Counts bytes that are in memory. */
export class BodyBudget {
  readonly #limit: number;
  readonly #perNetwork: number;
  readonly #networks = new Map<string, number>();
  #bytes = 0;

  constructor(limit: number, perNetwork = limit) {
    this.#limit = limit;
    this.#perNetwork = perNetwork;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False when a limit would be passed; nothing is counted then. */
  take(bytes: number, network: string, isSmall: boolean): boolean {
    const own = (this.#networks.get(network) ?? 0) + bytes;
    const limit = isSmall ? this.#limit : this.#limit * (1 - SMALL_PART);
    if (this.#bytes + bytes > limit || own > this.#perNetwork) return false;
    this.#bytes += bytes;
    this.#networks.set(network, own);
    return true;
  }

  giveBack(bytes: number, network: string): void {
    this.#bytes -= bytes;
    const own = (this.#networks.get(network) ?? 0) - bytes;
    if (own > 0) this.#networks.set(network, own);
    else this.#networks.delete(network);
  }
}

class CountedBody extends Transform {
  readonly #budget: BodyBudget;
  readonly #network: string;
  readonly #isSmall: boolean;
  #taken = 0;

  constructor(budget: BodyBudget, network: string, isSmall: boolean) {
    super();
    this.#budget = budget;
    this.#network = network;
    this.#isSmall = isSmall;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#budget.take(chunk.length, this.#network, this.#isSmall)) {
      done(
        new ServiceError(503, 'unavailable', {
          reason: 'The server receives too many large requests at the moment. Try again.',
          retryAfter: 5,
        }),
      );
      return;
    }
    this.#taken += chunk.length;
    done(null, chunk);
  }

  forget(): void {
    this.#budget.giveBack(this.#taken, this.#network);
    this.#taken = 0;
    this.destroy();
  }
}

function isStreamed({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { isStreamed?: boolean }).isStreamed === true;
}

function hasBody({ headers }: FastifyRequest): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return headers['content-length'] !== undefined && headers['content-length'] !== '0';
}

/** As announced; more than that never comes. A body without a length may be of any. */
function isSmall({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= SMALL_BYTES;
}

function encodedBody(encoding: string): ServiceError {
  return new ServiceError(415, 'invalid request body', {
    reason: `Content-Encoding ${encoding.slice(0, 50)} is not accepted; send the body without compression.`,
  });
}

/**
 * Reads and drops what the caller still sends. Many clients send the whole body before they read the answer; a
 * connection that closes before shows them a broken connection instead.
 */
function dropRest({ raw }: FastifyRequest, reply: FastifyReply, limit: number): void {
  // The framework asks for the connection to be closed as soon as the answer is sent.
  reply.removeHeader('connection');
  keepUntilRead(raw, reply.raw);
  let left = limit;
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.socket.destroy();
  });
  raw.resume();
}

/**
 * Where the caller asked for the connection to be closed, it is closed when the answer is sent and the body was read.
 */
function keepUntilRead(request: FastifyRequest['raw'], response: FastifyReply['raw']): void {
  if (response.shouldKeepAlive) return;
  response.shouldKeepAlive = true;
  request.once('end', () => {
    if (response.writableFinished) request.socket.end();
    else response.once('finish', () => request.socket.end());
  });
}
