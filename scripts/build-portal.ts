/**
 * Builds `packages/portal`: bundles it, copies what CesiumJS loads by name, and compresses everything once, so that no
 * request has to. When nothing has changed since an earlier build, that one is taken over.
 */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { fingerprint, isMadeFrom, STAMP } from './made-from.ts';

const ROOT = join(import.meta.dirname, '..');
const ENGINE = join(ROOT, 'node_modules/@cesium/engine');

/**
 * What CesiumJS fetches at run time for the tiles that the portal shows: workers and WebAssembly for Draco and
 * KTX2, and tables that it wants in any case. Terrain, imagery and the sky are not used.
 */
const CESIUM_FILES: Array<[from: string, to: string]> = [
  ['Build/Workers/*.js', 'Workers'],
  ['Source/Assets/approximateTerrainHeights.json', 'Assets'],
  // Of the table for the position of the sun, the part with the moment at which the scene stands still.
  ['Source/Assets/IAU2006_XYS/IAU2006_XYS_18.json', 'Assets/IAU2006_XYS'],
  ['Source/ThirdParty/draco_decoder.wasm', 'ThirdParty'],
  ['Source/ThirdParty/basis_transcoder.wasm', 'ThirdParty'],
];

/** Below this size compressing saves nothing, bytes. */
const COMPRESS_FROM = 1_000;
/** Brotli's best level takes seconds for megabytes; above this size a lower one does nearly as well. */
const BEST_BELOW = 600_000;

/**
 * Builds into the directory `out`, which need not exist.
 *
 * @param earlier directory of an earlier build, which may not exist either
 */
export async function buildPortal(out: string, earlier: string): Promise<void> {
  const madeFrom = fingerprint(sources());
  if (isMadeFrom(earlier, madeFrom)) {
    cpSync(earlier, out, { recursive: true });
    return;
  }
  const { build } = await import('vite');
  const outDir = resolve(out);
  const configFile = join(ROOT, 'packages/portal/vite.config.ts');
  await build({ configFile, logLevel: 'warn', build: { outDir, license: { fileName: '.licenses.md' } } });
  // The operator's page shares no file with the portal, which so loads nothing of it.
  const rolldownOptions = { input: join(ROOT, 'packages/portal/admin.html') };
  const license = { fileName: '.licenses-admin.md' };
  await build({
    configFile,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: false, rolldownOptions, license },
  });
  copyCesium(outDir);
  await compressAll(outDir);
  writeFileSync(join(outDir, STAMP), madeFrom);
}

/** Sources of the service that the portal uses too. */
const SHARED = [
  'packages/{base,geo}/src/**/*.ts',
  'packages/server/src/shared.ts',
  'packages/server/src/catalogue/names/**/*.{ts,tsv}',
  'packages/server/src/base/errors.ts',
  'packages/server/src/catalogue/specs/*.ts',
  'packages/server/src/features/attribute-filter.ts',
];

function sources(): string[] {
  const own = globSync('packages/portal/**/*.{ts,tsx,css,html,svg,json,webp}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  // What the portal shares with the service, and what the libraries are.
  return [...own, ...globSync(SHARED, { cwd: ROOT }), 'package-lock.json', 'scripts/build-portal.ts'];
}

function copyCesium(out: string): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/cesium/package.json'), 'utf8'));
  const target = join(out, `assets/cesium-${version}`);
  for (const [from, to] of CESIUM_FILES) {
    const found = globSync(from, { cwd: ENGINE });
    if (found.length === 0) throw new Error(`CesiumJS ${version} has no ${from}, which the portal copies.`);
    mkdirSync(join(target, to), { recursive: true });
    for (const file of found)
      cpSync(join(ENGINE, file), join(target, to, file.slice(dirname(file).length + 1)));
  }
}

async function compressAll(out: string): Promise<void> {
  const files = globSync('assets/**/*.{js,mjs,css,json,svg,wasm}', { cwd: out });
  const compressOne = async (file: string) => {
    const path = join(out, file);
    const bytes = readFileSync(path);
    if (bytes.length < COMPRESS_FROM) return;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: bytes.length < BEST_BELOW ? 11 : 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
    writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  };
  await Promise.all(files.map(compressOne));
}
