/** Directory of the files that CesiumJS loads by name, beside the bundle; see `vite.config.ts`. */
declare const __CESIUM__: string;

/** Addresses of tables that the build makes; see `packages/portal/tables.ts`. */
declare module 'virtual:*' {
  const url: string;
  export default url;
}
