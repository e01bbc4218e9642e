import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { foreignAnswer, isForeign } from '../remote/foreign-answer.ts';
import type { StoreTimes } from '../remote/store-link.ts';
import { watchedAgent } from '../remote/watched-agent.ts';
import type { AzureAddress } from './azure-address.ts';

/** A client of a container, and what signs addresses; null for keys that cannot. */
export interface AzureClient {
  container: ContainerClient;
  signer: StorageSharedKeyCredential | null;
  /** When the token ends, ms since 1970; null for a key, and for a token whose end the account keeps. */
  keysEnd: number | null;
  /** Ends all connections. */
  close(): void;
}

/**
 * A client with the keys of `env`: AZURE_STORAGE_KEY, or AZURE_STORAGE_SAS_TOKEN. Throws a RangeError, which does not
 * repeat them, when there are none, or not of the right form.
 */
export function azureClient(
  { url, account }: AzureAddress,
  times: StoreTimes,
  env: NodeJS.ProcessEnv = process.env,
): AzureClient {
  const key = env.AZURE_STORAGE_KEY ?? '';
  const token = (env.AZURE_STORAGE_SAS_TOKEN ?? '').replace(/^\?/, '');
  if (key === '' && token === '') {
    throw new RangeError(
      'OBJECT_STORE is a container of Azure, but there are no keys; set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN',
    );
  }
  if (key !== '' && !/^[A-Za-z0-9+/]+={0,2}$/.test(key))
    throw new RangeError('AZURE_STORAGE_KEY is no key of a storage account, which is base64');
  if (key === '' && !/(?:^|&)sig=/.test(token))
    throw new RangeError('AZURE_STORAGE_SAS_TOKEN is no token: it has no signature (sig=)');
  const signer = key === '' ? null : new StorageSharedKeyCredential(account, key);
  const agent = watchedAgent(new URL(url).protocol, times);
  // Requests are tried again by `tried`, which the figures see.
  const pipeline = newPipeline(signer ?? new AnonymousCredential(), { retryOptions: { maxTries: 1 } });
  const onTheWay: RequestPolicyFactory = {
    create: (next) => ({
      async sendRequest(request) {
        request.agent = agent;
        // The SDK has read what is no success, and throws it.
        const answer = await next.sendRequest(request).catch((error: { response?: RawAnswer }) => {
          throw isPage(error.response) ? foreignAnswer() : error;
        });
        if (!isPage(answer)) return answer;
        answer.readableStreamBody?.resume();
        throw foreignAnswer();
      },
    }),
  };
  pipeline.factories.push(onTheWay);
  return {
    container: new ContainerClient(signer === null ? `${url}?${token}` : url, pipeline),
    signer,
    keysEnd: signer === null ? endOf(token) : null,
    close: () => agent.destroy(),
  };
}

/** What an answer has before and after the SDK has read it. */
interface RawAnswer {
  status: number;
  headers: { get(name: string): string | undefined };
}

/** Every answer of Azure has the id of its request. */
function isPage(answer: RawAnswer | undefined): boolean {
  if (answer === undefined) return false;
  const { status, headers } = answer;
  const [contentType, etag, requestId] = ['content-type', 'etag', 'x-ms-request-id'].map((name) =>
    headers.get(name),
  );
  return isForeign({ status, contentType, etag, requestId });
}

/** `se` of a token (https://learn.microsoft.com/rest/api/storageservices/create-service-sas), ms since 1970. */
function endOf(token: string): number | null {
  const end = Date.parse(new URLSearchParams(token).get('se') ?? '');
  return Number.isNaN(end) ? null : end;
}
