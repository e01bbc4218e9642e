/** Tells CesiumJS where its workers and tables lie; imported before it, for it looks as soon as it runs. */
// Apart, because the bundler takes an address made in one expression for that of a file to be bundled.
const here = import.meta.url;
(globalThis as { CESIUM_BASE_URL?: string }).CESIUM_BASE_URL = new URL(`${__CESIUM__}/`, here).href;
