import type { Command } from 'commander';
import { readSettings, type Settings } from '../base/settings.ts';
import { startServer } from '../http/server.ts';
import { storesOf, sweepStores } from './stores.ts';

/** How often a running server looks for packages whose time is over. */
const SWEEP_MS = 60_000;

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('Serve the catalogue, the searches and the assets.')
    .action(() => runServe(readSettings(process.env)));
}

/** Serves until SIGTERM or SIGINT. Resolves when the server listens. */
export async function runServe(settings: Settings): Promise<void> {
  const stores = await storesOf(settings);
  const server = await startServer(settings, stores);
  const sweepQuietly = async () => {
    try {
      const report = await sweepStores(stores, settings);
      if (report.intents + report.packages + report.objects > 0) server.log.info(report, 'swept the store');
    } catch (error) {
      server.log.error({ err: error }, 'the sweep of the store failed');
    }
  };
  await sweepQuietly();
  const timer = setInterval(sweepQuietly, SWEEP_MS);
  timer.unref();
  const stop = async (signal: string) => {
    server.log.info({ signal }, 'stopping');
    clearInterval(timer);
    try {
      await server.stop();
      await stores.close();
      process.exit(0);
    } catch (error) {
      server.log.error({ err: error }, 'stopping failed');
      process.exit(1);
    }
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
