/** The program `citymodel`: one file per command, all of them on this screen. */
import { constants, setPriority } from 'node:os';
import { StoreUnavailable } from '@citymodel/store';
import { Command } from 'commander';
import { InvalidSettings } from '../base/settings.ts';
import { VERSION } from '../base/version.ts';
import { ConversionFailed } from '../convert/conversion-failed.ts';
import { dropUnread } from './broken-pipes.ts';
import { COMMANDS } from './commands.ts';
import { endWithNpm } from './end-with-npm.ts';
import { languageOf } from './language.ts';

/**
 * Commands that nobody waits for as for an answer: a server on the same machine goes before them. Workers make packs,
 * which people wait for.
 */
const PATIENT = new Set(['ingest', 'check', 'inspect', 'convert', 'reindex', 'move', 'backup', 'restore']);

const program = new Command('citymodel')
  .description('Publishes 3D city models: CityGML, 3D Tiles and MVT packages behind one public interface.')
  .version(VERSION)
  .showHelpAfterError('(add --help for what is accepted)')
  .addHelpText('after', '\nSettings are environment variables; see docs/settings.md.');

dropUnread(process.stdout, process.stderr);
endWithNpm(process.env);

const command = process.argv[2] ?? '';
if (PATIENT.has(command)) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
for (const name of Object.hasOwn(COMMANDS, command) ? [command] : Object.keys(COMMANDS)) {
  (await COMMANDS[name]!())(program);
}
if (languageOf(process.env) === 'ja') {
  (await import('./translate-help.ts')).translateHelp(program);
}

/** Exit code of a conversion that a full disk ended (EX_IOERR of sysexits.h): scripts make room and try again. */
const DISK_FULL = 74;

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof InvalidSettings || error instanceof StoreUnavailable) {
    console.error(`citymodel: ${error.message}`);
    process.exitCode = 2;
  } else if (error instanceof ConversionFailed || isFileError(error)) {
    console.error(`citymodel: ${error.message}`);
    process.exitCode = error instanceof ConversionFailed && error.code === 'NO_SPACE' ? DISK_FULL : 1;
  } else {
    console.error(error);
    process.exitCode = 70;
  }
}

/**
 * What a file system says of a path, such as one that was given and is no directory: nothing that a stack would
 * explain.
 */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
