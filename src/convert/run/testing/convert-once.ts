/** Converts a package once, in a process of its own that may be killed: `convert-once.ts ZIP OUT PARTS`. Says `ready` before it begins. */
import { convertPackage } from '../convert.ts';

const [path, out, partsDirectory] = process.argv.slice(2) as [string, string, string];
process.stdout.write('ready\n');
await convertPackage(
  {
    address: { kind: 'upload', path, overrides: {} },
    options: {
      tiles: '1.1',
      compression: 'none',
      slim: false,
      unlit: false,
      pmtiles: false,
      lods: null,
      heights: 'elevation',
    },
    types: null,
    out,
    partsDirectory,
    geoid: '',
    jobs: 0,
    share: null,
    isWanted: async () => true,
  },
  {
    objectStore: null,
    objects: null,
    threadModule: new URL('file:///nowhere'),
    signal: new AbortController().signal,
    onProgress() {},
  },
);
