import type { ArchivesOptions } from '@citymodel/store';
import type { Logger } from 'pino';
import type { Metrics } from './metrics.ts';

/** Counts reads whose bytes were not those that were packed, and writes each into the log. */
export function tellDamage(metrics: Metrics, log: Logger): NonNullable<ArchivesOptions['onDamage']> {
  return (key, range) => {
    metrics.readDamaged();
    log.error({ key, ...range }, 'bytes of an object are not those that were packed; they are read again');
  };
}
