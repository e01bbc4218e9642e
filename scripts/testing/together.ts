/**
 * Several files of tests in one process. Node's own way (`--test-isolation=none`) begins to follow promises before
 * `test-setup.ts` can keep it from that.
 *
 *     node --import ./scripts/test-setup.ts scripts/testing/together.ts [files]
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
