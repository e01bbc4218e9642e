/** Compiles generated programs as their users would. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './program.ts';

const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/**
 * Writes the files, which may import each other as `./name.js`, compiles them strictly for a browser, and imports the
 * one that is named. Fails with what the compiler complains about.
 */
export async function compileAndImport<T>(
  directory: string,
  files: Record<string, string>,
  entry: string,
): Promise<T> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const options =
    '--strict --noUncheckedIndexedAccess --target es2022 --module nodenext --lib es2022,dom,dom.iterable --types ' +
    '--skipLibCheck --outDir out';
  const sources = Object.keys(files).map((name) => join(directory, name));
  try {
    await promisify(execFile)(process.execPath, [COMPILER, ...sources, ...options.split(' ')], {
      cwd: directory,
    });
  } catch (error) {
    throw new Error(`does not compile:\n${(error as { stdout: string }).stdout}`);
  }
  return import(pathToFileURL(join(directory, 'out', entry)).href);
}
