import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { tables } from './tables.ts';

const cesium = JSON.parse(
  readFileSync(join(import.meta.dirname, '../node_modules/cesium/package.json'), 'utf8'),
);

/**
 * The page is served from any path, so every reference in it is relative. Files that the build names by their
 * content go to `assets/`, where they may be kept for ever; what CesiumJS looks for by name is copied to a
 * directory with its version in the name by `scripts/build-portal.ts`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  plugins: [tables()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  define: { __CESIUM__: JSON.stringify(`cesium-${cesium.version}`) },
  build: {
    outDir: '../dist/portal',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // MapLibre and CesiumJS are what they are; each comes only with the view that needs it.
    chunkSizeWarningLimit: 6_000,
    modulePreload: { polyfill: false },
  },
});
