/** Directory of the files that CesiumJS loads by name, beside the bundle; see `vite.config.ts`. */
declare const __CESIUM__: string;
