/** The program of the threads of a conversion. */
import { serveThread } from '../convert/run/work-thread.ts';
import { openObjectStore, type StoreSettings } from '../store/open-stores.ts';

await serveThread((settings) => openObjectStore(settings as StoreSettings));
