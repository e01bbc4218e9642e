import type { Command } from 'commander';
import pino from 'pino';
import { readSettings } from '../base/settings.ts';
import { createPackWorker } from '../service/pack-service.ts';
import { Archives } from '../store/archives.ts';
import { storesOf } from './stores.ts';

/** Archives that are kept open. */
const MAX_OPEN_ARCHIVES = 64;

export function addWorker(program: Command): void {
  program
    .command('worker')
    .description(
      'Build packs that servers accept, PACK_WORKERS at once, until SIGTERM or SIGINT. Any number of workers may run.',
    )
    .action(async () => {
      const settings = readSettings(process.env);
      if (settings.PACK_WORKERS === 0) {
        console.error('citymodel: PACK_WORKERS is 0, so this worker would do nothing; set it to 1 or more.');
        process.exitCode = 2;
        return;
      }
      const log = pino({ level: settings.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
      const stores = await storesOf(settings);
      const archives = new Archives(stores.objects, { maxOpen: MAX_OPEN_ARCHIVES });
      const worker = createPackWorker(settings, { ...stores, archives, log });
      worker.start();
      log.info({ packs: settings.PACK_WORKERS }, 'working');
      // The worker's own timer does not keep the process alive.
      const alive = setInterval(() => {}, 2 ** 30);
      const stop = async (signal: string) => {
        log.info({ signal }, 'stopping');
        clearInterval(alive);
        try {
          await worker.stop();
          await archives.close();
          await stores.close();
        } catch (error) {
          log.error({ err: error }, 'stopping failed');
          process.exitCode = 1;
        }
      };
      process.once('SIGTERM', stop);
      process.once('SIGINT', stop);
    });
}
