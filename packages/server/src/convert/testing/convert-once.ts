/**
 * Converts a package once, in a process of its own that may be killed: `convert-once.ts ZIP OUT PARTS`. Says `ready`
 * before it begins.
 */
import { convertZip } from './convert-zip.ts';

const [path, out, partsDirectory] = process.argv.slice(2) as [string, string, string];
process.stdout.write('ready\n');
await convertZip(path, '', {
  options: { compression: 'none', heights: 'elevation' },
  request: { out, partsDirectory },
});
