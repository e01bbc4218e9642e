/**
 * Puts the program and the libraries that it uses into few files: finding and reading some four hundred modules takes a tenth of
 * the time in which a server starts. Parts that are loaded when they are needed stay files of their own.
 */
import { relative, resolve } from 'node:path';
import { build, normalizePath, type Plugin } from 'vite';

/** Replaces `cli/main.js` in a directory of compiled modules; the other modules stay, for the threads that load them. */
export async function bundleProgram(directory: string): Promise<void> {
  const target = resolve(directory, 'cli');
  await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [keepLocations(normalizePath(resolve(directory)), target), WITHOUT_DIRNAME],
    // Native code for images: an optional package, which stays outside.
    ssr: { noExternal: true, external: ['sharp'] },
    build: {
      ssr: true,
      target: 'node24',
      outDir: target,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      // Names, versions and licences of the libraries that the files contain.
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: {
          main: resolve(target, 'main.js'),
          // Threads of conversions and inspections, which need libraries too.
          'convert-thread': resolve(directory, 'service/convert-thread.js'),
          'inspect-thread': resolve(directory, 'service/inspect-thread.js'),
        },
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Draco asks for the directory of its module, although it is given its WebAssembly; modules of the bundle have no such variable. */
const WITHOUT_DIRNAME: Plugin = {
  name: 'without-dirname',
  transform(code, id) {
    return id.includes('/draco3d/') ? { code: code.replaceAll('__dirname', "'.'"), map: null } : null;
  },
};

/** Modules go on finding the files beside them, from where the bundle lies. */
function keepLocations(root: string, target: string): Plugin {
  return {
    name: 'keep-locations',
    transform(code, id) {
      if (!id.startsWith(root) || !code.includes('import.meta.url')) return null;
      const location = `new URL(${JSON.stringify(normalizePath(relative(target, id)))}, import.meta.url).href`;
      return { code: code.replaceAll('import.meta.url', location), map: null };
    },
  };
}
