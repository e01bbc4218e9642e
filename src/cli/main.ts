/** The program `citymodel`: one file per command, all of them on this screen. */
import { Command } from 'commander';
import { InvalidSettings } from '../base/settings.ts';
import { VERSION } from '../base/version.ts';
import { StoreUnavailable } from '../store/catalogue-store.ts';
import { addCheck } from './check.ts';
import { addDemo } from './demo.ts';
import { addIngest } from './ingest.ts';
import { addList } from './list.ts';
import { addPack } from './pack.ts';
import { addRemove } from './remove.ts';
import { addSample } from './sample.ts';
import { addServe } from './serve.ts';
import { addWorker } from './worker.ts';

const program = new Command('citymodel')
  .description('Publishes 3D city models: CityGML, 3D Tiles and MVT packages behind one public interface.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what is accepted)')
  .addHelpText('after', '\nSettings are environment variables; see docs/settings.md.');

addServe(program);
addIngest(program);
addList(program);
addRemove(program);
addCheck(program);
addPack(program);
addWorker(program);
addSample(program);
addDemo(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof InvalidSettings || error instanceof StoreUnavailable) {
    console.error(`citymodel: ${error.message}`);
    process.exitCode = 2;
  } else {
    console.error(error);
    process.exitCode = 70;
  }
}
