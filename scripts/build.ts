/**
 * Builds the program into `packages/server/dist`: bundles it, builds the portal and the pages of the documentation, and
 * copies the data tables that are read at run time. The new build takes the old one's place in one step, when it is
 * whole. When nothing has changed since the last one, it stays.
 */
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { addBrowserLicenses } from './browser-licenses.ts';
import { buildPages } from './build-pages.ts';
import { buildPortal } from './build-portal.ts';
import { bundleProgram, placeInBuild } from './bundle-program.ts';
import { fingerprint, isMadeFrom, STAMP } from './made-from.ts';
import { openToAll } from './open-to-all.ts';

process.chdir(join(import.meta.dirname, '..'));
const SERVER = 'packages/server';
const DIST = `${SERVER}/dist`;

/** More than is read: every file that is not a test's or a build's, and what the libraries are. */
const sources = globSync(['package*.json', 'tsconfig*.json', '{packages,scripts}/**/*.*'], {
  exclude: ['**/node_modules/**', '**/dist/**', `${SERVER}/.dist-*/**`, '**/*.test.ts'],
}).filter((path) => statSync(path).isFile());
const madeFrom = fingerprint(sources);
if (isMadeFrom(DIST, madeFrom)) process.exit();

const directory = mkdtempSync(`${SERVER}/.dist-`);
try {
  for (const file of globSync(
    ['packages/*/src/**/*.{tsv,geoid,revision}', 'packages/*/src/**/generated/*.json'],
    {
      exclude: ['packages/citygml/src/schema/facts/**'],
    },
  )) {
    cpSync(file, join(directory, placeInBuild(file)));
  }
  for (const [name, user] of [
    ['draco_encoder', 'packages/tiles/src/convert/mesh/draco.ts'],
    ['draco_decoder', 'packages/tiles/src/picture/draco-decoder.ts'],
  ] as const) {
    cpSync(`node_modules/draco3d/${name}.wasm`, join(directory, dirname(placeInBuild(user)), `${name}.wasm`));
  }
  await bundleProgram(directory);
  buildPages(`${directory}/pages`);
  await buildPortal(`${directory}/portal`, `${DIST}/portal`);
  addBrowserLicenses(directory);
  writeFileSync(join(directory, STAMP), madeFrom);
  // The directory was made for one user alone.
  openToAll(directory);
  const old = `${directory}-old`;
  if (existsSync(DIST)) renameSync(DIST, old);
  renameSync(directory, DIST);
  rmSync(old, { recursive: true, force: true });
} catch (error) {
  rmSync(directory, { recursive: true, force: true });
  throw error;
}
