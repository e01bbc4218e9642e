import { defineConfig } from 'vite';

/**
 * The page is served from any path, so every reference in it is relative. Files that the build names by their
 * content go to `assets/`, where they may be kept for ever; what CesiumJS looks for by name is copied by
 * `scripts/build-portal.ts`.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
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
