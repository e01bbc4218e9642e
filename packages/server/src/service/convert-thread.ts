/** The program of the threads of a conversion. A thread that reads files alone loads no stores. */

import type { StoreSettings } from '@citymodel/store';
import { serveThread } from '../convert/work-thread.ts';

await serveThread(async (settings) => {
  const { openObjectStore } = await import('./object-stores.ts');
  return openObjectStore(settings as StoreSettings);
});
