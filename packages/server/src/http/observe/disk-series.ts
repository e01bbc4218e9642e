import { waitPatiently, withPatience } from '@citymodel/base';
import { Gauge, type Registry } from 'prom-client';
import type { DiskWatch } from './disk-checks.ts';

/** How long a disk may take to tell what is left, ms; one that takes longer is left out. */
const ASK_MS = 2_000;

/** The series of what is left on disks; the function brings it up to date, and never rejects. */
export function diskSeries(registry: Registry, disks: DiskWatch): () => Promise<void> {
  const free = new Gauge({
    name: 'citymodel_disk_free_bytes',
    help: 'Room where this process writes: its data, and its cache of a bucket; 0 when nothing can be written.',
    labelNames: ['part'],
    registers: [registry],
  });
  return async () => {
    const looks = disks.parts.map(async (part) => {
      const look = () => withPatience(() => waitPatiently(() => disks.look(part)), ASK_MS);
      const found = await look().catch(() => null);
      if (found?.free == null) free.remove(part);
      else free.set({ part }, found.free);
    });
    await Promise.all(looks);
  };
}
