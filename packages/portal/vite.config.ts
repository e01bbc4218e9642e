import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { tables } from './tables.ts';

const cesium = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../node_modules/cesium/package.json'), 'utf8'),
);

/** Parts of Node.js, which modules import that the pages share a package with and do not use. */
const NODE = /^node:/;

/**
 * Modules that the pages share with the server read tables from the disk; the pages use none of these, and refuse what
 * asks for Node.js.
 */
function withoutNode(): Plugin {
  return {
    name: 'without-node',
    enforce: 'pre',
    transform: (code, id) =>
      /[\\/]packages[\\/](?!portal)/.test(id) && code.includes('import.meta.url')
        ? { code: code.replaceAll('import.meta.url', "'node:'"), map: null }
        : null,
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const found = file.type === 'chunk' ? file.imports.filter((name) => NODE.test(name)) : [];
        if (found.length > 0) this.error(`${file.fileName} needs ${found.join(', ')}, which browsers lack.`);
      }
    },
  };
}

/**
 * The page is served from any path, so every reference in it is relative. Files that the build names by their
 * content go to `assets/`, where they may be kept for ever; what CesiumJS looks for by name is copied to a
 * directory with its version in the name by `scripts/build-portal.ts`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  plugins: [tables(), withoutNode()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  define: { __CESIUM__: JSON.stringify(`cesium-${cesium.version}`) },
  build: {
    outDir: '../server/dist/portal',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // MapLibre and CesiumJS are what they are; each comes only with the view that needs it.
    chunkSizeWarningLimit: 6_000,
    modulePreload: { polyfill: false },
    rolldownOptions: { external: NODE },
  },
});
