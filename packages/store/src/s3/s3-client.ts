import { S3Client } from '@aws-sdk/client-s3';
import { ConcurrencyLimit } from '@citymodel/base';
import { LinkEnd } from './link-end.ts';
import { RequestFigures } from './request-figures.ts';
import type { S3Address } from './s3-address.ts';
import { lookAt, watchTries } from './s3-ask.ts';
import type { S3Link, S3Times } from './s3-link.ts';
import { StoreGate } from './store-gate.ts';

export const DEFAULT_TIMES: S3Times = { connect: 3_000, answer: 15_000 };

/** Requests at once; further ones wait. Streams are not among them: each lasts as long as its consumer takes. */
const AT_ONCE = 64;
/** Connections, those of streams included; a server has fewer callers than that (MAX_CONNECTIONS). */
const MAX_SOCKETS = 10_000;
/** How often a request is tried before it fails; pauses between grow, and are chosen at random. */
const ATTEMPTS = 4;
/** How long a look at a store that did not answer may take, ms. */
const LOOK_MS = 2_000;

export function openLink(address: S3Address, times = DEFAULT_TIMES): S3Link {
  const client = createClient(address, times);
  const gate = new StoreGate(() => lookAt(client, address.bucket, LOOK_MS));
  const link = {
    client,
    limit: new ConcurrencyLimit(AT_ONCE),
    gate,
    end: new LinkEnd(),
    figures: new RequestFigures(),
    times,
  };
  watchTries(link);
  return link;
}

/** Ends what is under way, for a process that stops. */
export function giveUpLink({ client, gate, end }: S3Link): void {
  gate.close();
  end.come();
  // Answers that have begun end with their connections.
  client.destroy();
}

/** Ends all connections. */
export function closeLink({ client, gate }: S3Link): void {
  gate.close();
  client.destroy();
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
