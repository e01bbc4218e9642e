/**
 * Compiles `src/` to `dist/`, builds the portal and the pages of the documentation into it, and copies the data tables that are read at run time. The new build takes the old one's
 * place in one step, when it is whole.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { addBrowserLicenses } from './browser-licenses.ts';
import { buildPages } from './build-pages.ts';
import { buildPortal } from './build-portal.ts';
import { bundleProgram } from './bundle-program.ts';
import { openToAll } from './open-to-all.ts';

const made = mkdtempSync('.dist-');
try {
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', made];
  execFileSync(process.execPath, compiler, { stdio: 'inherit' });
  for (const file of globSync('src/**/*.{json,tsv,sql,html,css,geoid,revision}', {
    exclude: ['src/citygml/schema/facts/**'],
  })) {
    cpSync(file, file.replace(/^src/, made));
  }
  cpSync('node_modules/draco3d/draco_encoder.wasm', `${made}/convert/mesh/draco_encoder.wasm`);
  await bundleProgram(made);
  buildPages(`${made}/pages`);
  await buildPortal(`${made}/portal`, 'dist/portal');
  addBrowserLicenses(made);
  // The directory was made for one user alone.
  openToAll(made);
  const old = `${made}-old`;
  if (existsSync('dist')) renameSync('dist', old);
  renameSync(made, 'dist');
  rmSync(old, { recursive: true, force: true });
} catch (error) {
  rmSync(made, { recursive: true, force: true });
  // The compiler has said what is wrong.
  if ((error as { status?: unknown }).status === undefined) throw error;
  process.exitCode = 1;
}
