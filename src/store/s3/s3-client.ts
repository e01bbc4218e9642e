import { S3Client } from '@aws-sdk/client-s3';
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts';
import type { S3Address } from './s3-address.ts';

/** How long the store may take, ms. */
export interface S3Times {
  /** Until a connection stands. */
  connect: number;
  /** Until an answer begins, and between any two pieces of it. */
  answer: number;
}

export const DEFAULT_TIMES: S3Times = { connect: 3_000, answer: 15_000 };

/** Requests at once; further ones wait. Streams are not among them: each lasts as long as its consumer takes. */
const AT_ONCE = 64;
/** Connections, those of streams included; a server has fewer callers than that (MAX_CONNECTIONS). */
const MAX_SOCKETS = 10_000;
/** How often a request is tried before it fails; pauses between grow, and are chosen at random. */
const ATTEMPTS = 4;

/** The way to a store: a client, and a limit of what is asked of it at once. */
export interface S3Link {
  client: S3Client;
  /** Work enters before it asks, and leaves when it has the whole answer: in the SDK's own queue its time would run. */
  limit: ConcurrencyLimit;
  times: S3Times;
}

/** An object as it was when it was opened. */
export interface S3Object {
  link: S3Link;
  bucket: string;
  /** As the store has it, with the prefix. */
  storeKey: string;
  /** As callers know it. */
  key: string;
  /** As the store gave it, with its quotes. */
  etag: string;
  /** Bytes. */
  size: number;
}

export function openLink(address: S3Address, times = DEFAULT_TIMES): S3Link {
  return { client: createClient(address, times), limit: new ConcurrencyLimit(AT_ONCE), times };
}

/** A client of the store at an address, with keys as the SDK finds them: environment, profile, role of the machine. */
function createClient(address: S3Address, times: S3Times): S3Client {
  return new S3Client({
    // A store that is not AWS mostly has no regions, but signatures want one.
    ...(address.region !== null
      ? { region: address.region }
      : address.endpoint !== null && process.env.AWS_REGION === undefined
        ? { region: 'us-east-1' }
        : {}),
    ...(address.endpoint === null ? {} : { endpoint: address.endpoint }),
    forcePathStyle: address.pathStyle,
    maxAttempts: ATTEMPTS,
    // Older stores do not know the newer checksums; bodies are signed by their SHA-256 in any case.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: times.connect,
      requestTimeout: times.answer,
      socketTimeout: times.answer,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: 2 ** 30,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: AT_ONCE, noDelay: true },
      httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: AT_ONCE, noDelay: true },
    },
  });
}
