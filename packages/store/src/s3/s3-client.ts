import { HeadBucketCommand, type HeadBucketCommandOutput, S3Client } from '@aws-sdk/client-s3';
import {
  AT_ONCE,
  ATTEMPTS,
  DEFAULT_TIMES,
  MAX_SOCKETS,
  type StoreTimes,
  storeLink,
  watchTry,
} from '../remote/store-link.ts';
import { refusePages } from './refuse-pages.ts';
import type { S3Address } from './s3-address.ts';
import { S3_FAULTS } from './s3-errors.ts';
import type { S3Link } from './s3-link.ts';

export function openLink(address: S3Address, times: StoreTimes = DEFAULT_TIMES): S3Link {
  const client = createClient(address, times);
  const link = { ...storeLink((ms) => lookAt(client, address.bucket, ms), times), client };
  watchTries(link);
  refusePages(client);
  return link;
}

/** Ends all connections. */
export function closeLink({ client, gate }: S3Link): void {
  gate.close();
  client.destroy();
}

/** Asks for the bucket once, within a time, ms. Any answer but one of a fault is one. Rejects as the SDK does. */
export async function lookAt(client: S3Client, bucket: string, ms: number): Promise<HeadBucketCommandOutput> {
  return client.send(new HeadBucketCommand({ Bucket: bucket }), {
    abortSignal: AbortSignal.timeout(ms),
    requestTimeout: ms,
  });
}

/** Tells of each try of a client, those that the SDK repeats too. */
function watchTries(link: S3Link): void {
  link.client.middlewareStack.add(
    (next, { commandName = 'Other' }) =>
      (args) =>
        watchTry(link, { store: 'S3', operation: commandName.replace(/Command$/, '') }, statusOfTry, () =>
          next(args),
        ),
    { step: 'deserialize', name: 'watchTries', priority: 'high' },
  );
}

/** An answer that the SDK could not read, such as a page of a proxy, has its status elsewhere. */
function statusOfTry(error: unknown): number | undefined {
  return (
    S3_FAULTS.statusOf(error) ?? (error as { $response?: { statusCode?: number } }).$response?.statusCode
  );
}

/** A client of the store at an address, with keys as the SDK finds them: environment, profile, role of the machine. */
function createClient(address: S3Address, times: StoreTimes): S3Client {
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
