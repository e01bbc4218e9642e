/**
 * Makes the pictures of docs/converting.md: converted tiles beside published ones, with and without textures, and from
 * afar. Needs Chromium and real packages in `../shared/data`.
 *
 *   node scripts/conversion-pictures.ts
 */

import { globSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { unzip } from '../packages/citygml/src/testing/published.ts';
import { readSettings } from '../packages/server/src/base/settings.ts';
import { convertFiles } from '../packages/server/src/cli/convert.ts';
import { launch } from '../test/support/portal-page.ts';
import { removeDirectory, tempDirectory } from '../test/support/program.ts';

const ROOT = join(import.meta.dirname, '..');
const PICTURES = join(ROOT, 'docs/pictures');
const DATA = join(ROOT, '../shared/data');
const SIZE = { width: 1120, height: 460 };

/** A tileset: the end of a package's name, from a conversion or as published. */
type Side = { label: string; package: string };

interface Picture {
  name: string;
  /** Beside each other, from the same place. */
  sides: Side[];
  /** Degrees and metres, in multiples of the radius of the first tileset. */
  camera: { heading: number; pitch: number; radii: number[] };
}

const CASES = {
  shinjuku: join(DATA, 'conversion/01-bldg-ward'),
  tamana: join(DATA, 'conversion/07-brid'),
  kaga: join(DATA, 'packages'),
};

const OSAKA = '27100_osaka-shi_city_2022_citygml_3_op';

const PICTURES_TO_MAKE: Picture[] = [
  {
    name: 'converted-beside-published',
    sides: [
      { label: 'converted', package: 'ours/13104_shinjuku-ku_pref_2025_citygml_1_op_bldg_3dtiles_lod2' },
      { label: 'published', package: 'published/13104_shinjuku-ku_pref_2025_citygml_1_op_bldg_3dtiles_lod2' },
    ],
    camera: { heading: 30, pitch: -25, radii: [1.3, 1.3] },
  },
  {
    name: 'converted-untextured',
    sides: [
      { label: 'lod2', package: 'ours/13104_shinjuku-ku_pref_2025_citygml_1_op_bldg_3dtiles_lod2' },
      {
        label: 'lod2_no_texture',
        package: 'ours/13104_shinjuku-ku_pref_2025_citygml_1_op_bldg_3dtiles_lod2_no_texture',
      },
    ],
    camera: { heading: 210, pitch: -25, radii: [1.3, 1.3] },
  },
  {
    name: 'converted-textures',
    sides: [
      {
        label: 'bridges of LOD 3',
        package: 'ours/43206_tamana-shi_city_2024_citygml_2_op_brid_3dtiles_lod3',
      },
      { label: 'published', package: 'published/43206_tamana-shi_city_2024_citygml_2_op_brid_3dtiles_lod3' },
    ],
    camera: { heading: 30, pitch: -25, radii: [0.55, 0.55] },
  },
  {
    name: 'converted-by-distance',
    sides: [
      { label: 'near', package: `ours/${OSAKA}_bldg_3dtiles_27125_suminoe-ku_lod1` },
      {
        label: 'from afar',
        package: `ours/${OSAKA}_bldg_3dtiles_27125_suminoe-ku_lod1`,
      },
    ],
    camera: { heading: 20, pitch: -30, radii: [0.25, 1.5] },
  },
];

const page = `<!doctype html><meta charset="utf-8"><style>html,body{margin:0;background:#fff}#v{display:flex}
#v>div{position:relative;height:${SIZE.height}px;flex:1}p{position:absolute;left:8px;top:8px;margin:0;font:14px \
sans-serif;background:#fffc;padding:2px 6px}
.cesium-viewer,.cesium-viewer-cesiumWidgetContainer,.cesium-widget,.cesium-widget canvas{width:100%;height:100%;\
position:relative;overflow:hidden}
.cesium-viewer-bottom,.cesium-viewer-toolbar{display:none}p{z-index:1}</style><div id="v"></div>\
<script src="/cesium/Cesium.js"></script><script>
window.show = async (sides, camera) => {
  const tilesets = [];
  let sphere = null;
  for (const [i, { label, package: path }] of sides.entries()) {
    const div = document.createElement('div');
    document.getElementById('v').append(div);
    const viewer = new Cesium.Viewer(div, { baseLayer: false, animation: false, timeline: false, geocoder: false, \
homeButton: false,
      sceneModePicker: false, navigationHelpButton: false, baseLayerPicker: false, fullscreenButton: false, \
infoBox: false,
      selectionIndicator: false, skyBox: false, contextOptions: { webgl: { preserveDrawingBuffer: true } } });
    viewer.scene.backgroundColor = Cesium.Color.fromCssColorString('#dfe8ef');
    viewer.scene.globe.baseColor = Cesium.Color.fromCssColorString('#c9cfc4');
    viewer.scene.globe.show = false;
    viewer.scene.skyAtmosphere.show = false;
    viewer.clock.currentTime = Cesium.JulianDate.fromIso8601('2024-06-21T02:00:00Z');
    const p = document.createElement('p'); p.textContent = label; div.append(p);
    const tileset = await Cesium.Cesium3DTileset.fromUrl('/' + path + '/tileset.json');
    viewer.scene.primitives.add(tileset);
    sphere ??= tileset.boundingSphere;
    viewer.camera.viewBoundingSphere(sphere, new Cesium.HeadingPitchRange(Cesium.Math.toRadians(camera.heading),
      Cesium.Math.toRadians(camera.pitch), sphere.radius * camera.radii[i]));
    viewer.scene.light = new Cesium.DirectionalLight({ direction: \
Cesium.Cartesian3.clone(viewer.camera.directionWC), intensity: 2.2 });
    viewer.camera.lookAtTransform(Cesium.Matrix4.IDENTITY);
    tilesets.push(tileset);
  }
  for (let i = 0; i < 600 && !tilesets.every((tileset) => tileset.tilesLoaded && i > 20); i++) await new \
Promise((r) => setTimeout(r, 100));
  return tilesets.map((tileset) => [tileset.tilesLoaded, tileset._statistics?.numberOfTilesWithContentReady]);
};
</script>`;

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
};

const directory = await tempDirectory();
const browser = await launch();
/** Members of packages by path. */
const files = new Map<string, Buffer>();
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url!, 'http://localhost').pathname).slice(1);
  const body =
    path === ''
      ? Buffer.from(page)
      : path.startsWith('cesium/')
        ? await readFile(join(ROOT, 'node_modules/cesium/Build/Cesium', path.slice(7))).catch(() => null)
        : (files.get(path) ?? null);
  response.writeHead(body === null ? 404 : 200, {
    'content-type': TYPES[extname(path)] ?? (path === '' ? 'text/html' : 'application/octet-stream'),
  });
  response.end(body);
});
try {
  await mkdir(PICTURES, { recursive: true });
  const settings = readSettings({ ...process.env, DATA_DIR: join(directory, 'data') });
  const sources = [
    ...globSync(`${CASES.shinjuku}/*.zip`),
    ...globSync(`${CASES.tamana}/*.zip`),
    ...globSync(`${CASES.kaga}/27100_*.zip`),
  ];
  const drawn = await convertFiles(sources, join(directory, 'tiles'), settings);
  for (const [folder, zips] of [
    ['ours', drawn.filter((path) => path.includes('_3dtiles_'))],
    ['published', globSync(`{${CASES.shinjuku},${CASES.tamana}}/published/*_3dtiles_*.zip`)],
  ] as const) {
    for (const zip of zips) {
      const name = zip.slice(zip.lastIndexOf('/') + 1, -4);
      for (const [member, bytes] of await unzip(zip, /./)) files.set(`${folder}/${name}/${member}`, bytes);
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const { name, sides, camera } of PICTURES_TO_MAKE) {
    const tab = await browser.newPage({ viewport: SIZE });
    tab.on('console', (message) => message.type() === 'error' && console.error(message.text()));
    await tab.goto(`http://127.0.0.1:${port}/`);
    const state = await tab.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: defined in the page.
      ([wanted, at]) => (globalThis as any).show(wanted, at),
      [sides, camera] as const,
    );
    console.log(name, JSON.stringify(state));
    await tab.screenshot({ path: join(PICTURES, `${name}.png`) });
    await tab.close();
  }
} finally {
  await browser.close();
  server.close();
  await removeDirectory(directory);
}
