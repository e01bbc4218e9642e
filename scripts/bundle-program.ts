/**
 * Puts the program, the packages of this repository and the libraries into few files: finding and reading hundreds of
 * modules takes a tenth of the time in which a server starts. Parts that are loaded when they are needed stay files of
 * their own.
 */
import { join, relative, resolve } from 'node:path';
import { build, normalizePath, type Plugin } from 'vite';

const ROOT = resolve(import.meta.dirname, '..');
const SERVER = 'packages/server/src';

/**
 * Where a module or a data table lies in the build: those of the server at the top, those of other packages by the
 * package's name.
 */
export function placeInBuild(path: string): string {
  return normalizePath(path)
    .replace(`${SERVER}/`, '')
    .replace(/^packages\/([\w-]+)\/src\//, '$1/')
    .replace(/\.ts$/, '.js');
}

/** Writes `cli/main.js`, the programs of threads and what they share into a directory. */
export async function bundleProgram(directory: string): Promise<void> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    plugins: [keepLocations(), WITHOUT_DIRNAME, WITHOUT_FETCH],
    // Native code for images: an optional package, which stays outside.
    ssr: { noExternal: true, external: ['sharp'] },
    build: {
      ssr: true,
      target: 'node24',
      outDir: resolve(directory),
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      // Names, versions and licences of the libraries that the files contain.
      license: { fileName: 'cli/licenses.md' },
      rolldownOptions: {
        input: {
          'cli/main': join(ROOT, SERVER, 'cli/main.ts'),
          // Threads of conversions, of inspections and their XSDs, of SQLite, and of blocks that are inflated.
          'cli/convert-thread': join(ROOT, SERVER, 'service/convert-thread.ts'),
          'cli/changes-thread': join(ROOT, SERVER, 'service/changes-thread.ts'),
          'cli/inspect-thread': join(ROOT, SERVER, 'service/inspect-thread.ts'),
          'cli/schema-thread': join(ROOT, SERVER, 'service/schema-thread.ts'),
          'zip/read/parts-worker': join(ROOT, 'packages/zip/src/read/parts-worker.ts'),
          'store/sqlite/sqlite-worker': join(ROOT, 'packages/store/src/sqlite/sqlite-worker.ts'),
        },
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'cli/[name]-[hash].js' },
      },
    },
  });
}

/**
 * Draco asks for the directory of its module, although it is given its WebAssembly; modules of the bundle have no such
 * variable.
 */
const WITHOUT_DIRNAME: Plugin = {
  name: 'without-dirname',
  transform(code, id) {
    return id.includes('/draco3d/') ? { code: code.replaceAll('__dirname', "'.'"), map: null } : null;
  },
};

/**
 * Asks Node.js for HTTP as CommonJS does: an `import` of it reads all of its names at once, one of which compiles the
 * whole client behind `fetch` at each start of a server or a worker.
 */
const WITHOUT_FETCH: Plugin = {
  name: 'without-fetch',
  enforce: 'pre',
  resolveId: (id) => (/^(node:)?http$/.test(id) ? '\0http.cjs' : null),
  load: (id) => (id === '\0http.cjs' ? "module.exports = process.getBuiltinModule('node:http');" : null),
};

/**
 * Modules go on finding the files beside them: all bundled files lie in one folder, from which a module's place is
 * known.
 */
function keepLocations(): Plugin {
  const packages = normalizePath(join(ROOT, 'packages/'));
  return {
    name: 'keep-locations',
    transform(code, id) {
      if (!normalizePath(id).startsWith(packages) || !code.includes('import.meta.url')) return null;
      const place = normalizePath(relative('cli', placeInBuild(relative(ROOT, id))));
      const location = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', location), map: null };
    },
  };
}
