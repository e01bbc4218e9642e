import { RemoteStore } from '../remote/remote-store.ts';
import { DEFAULT_TIMES, type StoreTimes, storeLink } from '../remote/store-link.ts';
import type { AzureAddress } from './azure-address.ts';
import { azureClient } from './azure-client.ts';
import { AzureVerbs } from './azure-verbs.ts';

/** Objects of a container of Azure Blob Storage, below a prefix. */
export class AzureStore extends RemoteStore {
  /** Nothing is asked of the store yet. Throws a RangeError where there are no keys. */
  constructor(address: AzureAddress, times: StoreTimes = DEFAULT_TIMES) {
    const client = azureClient(address, times);
    const link = storeLink((ms) => verbs.look(ms), times);
    const verbs = new AzureVerbs(link, client, address);
    super(link, verbs);
  }
}
