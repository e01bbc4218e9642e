/** The command that ingests packages beside a running server, for people who read it there. */
import { basename, isAbsolute, relative } from 'node:path';
import { SETTINGS, type Settings } from '../../base/settings.ts';

/** Settings that say where packages are kept. */
const WHERE = ['DATA_DIR', 'DATABASE_URL', 'OBJECT_STORE'] as const;

/** How a process was started. */
export interface Started {
  /** The file of the program, as `process.argv` has it. */
  program: string;
  /** The working directory. */
  directory: string;
  env: Record<string, string | undefined>;
}

/**
 * The command for the one who stands in the working directory of the server, and the names of the settings that it
 * needs: those that differ from their defaults. Values and paths of the machine are not told.
 */
export function ingestCommand(
  settings: Pick<Settings, (typeof WHERE)[number]>,
  { program, directory, env }: Started,
): { command: string; settings: string[] } {
  return {
    command: `${programOf(program, directory, env)} ingest`,
    settings: WHERE.filter((name) => settings[name] !== SETTINGS[name].default),
  };
}

function programOf(program: string, directory: string, env: Started['env']): string {
  // npm says so to whatever it starts: npx, npm start, npm run demo.
  if (env.npm_command !== undefined) return 'npx citymodel';
  if (basename(program) === 'citymodel') return 'citymodel';
  const path = relative(directory, program);
  const isBelow = basename(program) === 'citymodel.js' && !path.startsWith('..') && !isAbsolute(path);
  return isBelow ? `node ${path}` : 'npx citymodel';
}
