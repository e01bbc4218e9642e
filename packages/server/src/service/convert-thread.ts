/** The program of the threads of a conversion. */

import { openObjectStore, type StoreSettings } from '@citymodel/store';
import { serveThread } from '../convert/work-thread.ts';

await serveThread((settings) => openObjectStore(settings as StoreSettings));
