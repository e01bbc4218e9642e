import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { StoreTimes } from '../remote/store-link.ts';
import { watchedAgent } from '../remote/watched-agent.ts';
import type { AzureAddress } from './azure-address.ts';

/** A client of a container, and what signs addresses; null for keys that cannot. */
export interface AzureClient {
  container: ContainerClient;
  signer: StorageSharedKeyCredential | null;
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
  const withAgent: RequestPolicyFactory = {
    create: (next) => ({
      sendRequest(request) {
        request.agent = agent;
        return next.sendRequest(request);
      },
    }),
  };
  pipeline.factories.push(withAgent);
  return {
    container: new ContainerClient(signer === null ? `${url}?${token}` : url, pipeline),
    signer,
    close: () => agent.destroy(),
  };
}
