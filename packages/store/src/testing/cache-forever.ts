/** Keeps blocks in the cache directory of the first argument until it is killed. */
import { DiskCache } from '../cache/disk-cache.ts';

const disk = new DiskCache(process.argv[2]!, 5_000_000);
console.log('ready');
for (let i = 0; ; i++) {
  disk.put(`n${i % 200}`, Buffer.alloc(20_000, (i % 200) % 251));
  if (i % 20 === 0) await disk.settle();
  else await disk.get(`n${(i * 7) % 200}`);
}
