/**
 * Code that uses a dataset and runs as it is pasted. The tests run the curl and Python ones against the service and
 * the pages in a browser.
 */
import { kindOfFormat, type OutputKind } from '@citymodel/base';
import { type SpatialId, spatialIdOf } from '@citymodel/geo';
import type { DatasetRow } from '../core/catalogue.ts';

export type SnippetKind = 'CesiumJS' | 'MapLibre' | 'QGIS' | 'Python' | 'curl';

export interface Snippet {
  kind: SnippetKind;
  /** Where it goes, e.g. `index.html`. */
  place: string;
  text: string;
}

/** What the libraries are fetched as by a page that is written with a snippet. */
const CESIUM = '1.140';
const MAPLIBRE = '6.17.0';

/** Zoom levels among which a tile is chosen; published tile sets begin at the farthest. */
const CLOSEST_ZOOM = 12;
const FARTHEST_ZOOM = 8;

/** The snippets that make sense for a dataset, the most likely first. */
export function snippetsFor(row: DatasetRow, publicUrl: string): Snippet[] {
  const code = CODE[kindOfFormat(row.format)];
  return [...code.viewers(row), python(row, publicUrl, code.python), curl(code.curl(row))];
}

/** What is written for datasets of a kind. */
interface KindOfCode {
  /** Pages and programs that show it. */
  viewers(row: DatasetRow): Snippet[];
  /** Lines of Python that read the row `dataset` with `get`. */
  python: string;
  /** Commands. */
  curl(row: DatasetRow): string;
}

const CODE: Record<OutputKind, KindOfCode> = {
  '3dtiles': {
    viewers: (row) => [cesium(row), qgisTiles(row)],
    python: `tileset = get(dataset["url"])
print("geometric error", tileset["geometricError"])
print("bounding volume", tileset["root"]["boundingVolume"])`,
    curl: (row) => `curl -fsSL --compressed -o tileset.json "${row.url}"
`,
  },
  mvt: {
    viewers: (row) => [maplibre(row), qgisVectorTiles(row)],
    python: `tilejson = get(dataset["composite_url"])
for layer in tilejson["vector_layers"]:
    print(layer["id"], layer["fields"])`,
    curl(row) {
      const { z, x, y } = tileIn(row);
      const tile = row.url.replace('{z}', String(z)).replace('{x}', String(x)).replace('{y}', String(y));
      return `curl -fsSL --compressed -o tilejson.json "${row.composite_url ?? row.url}"
curl -fsSL --compressed -o tile.mvt "${tile}"
`;
    },
  },
};

function cesium(row: DatasetRow): Snippet {
  const base = `https://cesium.com/downloads/cesiumjs/releases/${CESIUM}/Build/Cesium`;
  return {
    kind: 'CesiumJS',
    place: 'index.html',
    text: `<!doctype html>
<meta charset="utf-8">
<title>${escapeHtml(row.name)}</title>
<link rel="stylesheet" href="${base}/Widgets/widgets.css">
<script src="${base}/Cesium.js"></script>
<style>html, body, #map { width: 100%; height: 100%; margin: 0 }</style>
<div id="map"></div>
<script type="module">
  const viewer = new Cesium.Viewer('map', {
    baseLayer: false, baseLayerPicker: false, geocoder: false, animation: false, timeline: false,
    infoBox: false, selectionIndicator: false,
  });
  const tileset = await Cesium.Cesium3DTileset.fromUrl('${row.composite_url ?? row.url}');
  viewer.scene.primitives.add(tileset);
  viewer.zoomTo(tileset);
</script>
`,
  };
}

function maplibre(row: DatasetRow): Snippet {
  const layers = (row.layers ?? []).map((layer) => JSON.stringify(layer)).join(', ');
  return {
    kind: 'MapLibre',
    place: 'index.html',
    text: `<!doctype html>
<meta charset="utf-8">
<title>${escapeHtml(row.name)}</title>
<link rel="stylesheet" href="https://unpkg.com/maplibre-gl@${MAPLIBRE}/dist/maplibre-gl.css">
<style>html, body, #map { width: 100%; height: 100%; margin: 0 }</style>
<div id="map"></div>
<script type="module">
  import * as maplibregl from 'https://unpkg.com/maplibre-gl@${MAPLIBRE}/dist/maplibre-gl.mjs';
  const map = new maplibregl.Map({
    container: 'map',
    bounds: [${(row.bbox ?? [122, 24, 149, 46]).join(', ')}],
    fitBoundsOptions: { padding: 24 },
    style: {
      version: 8,
      sources: { city: { type: 'vector', url: '${row.composite_url ?? row.url}' } },
      layers: [
        { id: 'background', type: 'background', paint: { 'background-color': '#f8fafa' } },
      ].concat([${layers}].flatMap((layer) => [
        { id: layer + ' areas', type: 'fill', source: 'city', 'source-layer': layer,
          filter: ['==', ['geometry-type'], 'Polygon'],
          paint: { 'fill-color': '#2c7891', 'fill-opacity': 0.5 } },
        { id: layer + ' lines', type: 'line', source: 'city', 'source-layer': layer,
          paint: { 'line-color': '#0d4f67' } },
      ])),
    },
  });
</script>
`,
  };
}

function qgisTiles(row: DatasetRow): Snippet {
  return {
    kind: 'QGIS',
    place: 'Plugins ▸ Python Console (QGIS 3.34 +)',
    text: `layer = QgsTiledSceneLayer('url=${row.url}', '${quotePython(row.name)}', 'cesiumtiles')
QgsProject.instance().addMapLayer(layer)
iface.setActiveLayer(layer)
iface.zoomToActiveLayer()
`,
  };
}

function qgisVectorTiles(row: DatasetRow): Snippet {
  return {
    kind: 'QGIS',
    place: 'Plugins ▸ Python Console (QGIS 3.22 +)',
    text: `import json, urllib.request
tilejson = json.load(urllib.request.urlopen('${row.composite_url ?? ''}'))
uri = 'type=xyz&url=%s&zmin=%d&zmax=%d' % (tilejson['tiles'][0], tilejson['minzoom'], tilejson['maxzoom'])
layer = QgsVectorTileLayer(uri, '${quotePython(row.name)}')
# Without an extent QGIS takes the layer for the whole world, and asks for as many tiles.
west, south, east, north = tilejson['bounds']
degrees = QgsCoordinateReferenceSystem('EPSG:4326')
to_layer = QgsCoordinateTransform(degrees, layer.crs(), QgsProject.instance())
layer.setExtent(to_layer.transformBoundingBox(QgsRectangle(west, south, east, north)))
# From farther away than the tiles are made for, a map would need thousands of them.
layer.setScaleBasedVisibility(True)
layer.setMinimumScale(559082264 / 2 ** (tilejson['minzoom'] - 1))
QgsProject.instance().addMapLayer(layer)
iface.setActiveLayer(layer)
iface.zoomToActiveLayer()
`,
  };
}

function python(row: DatasetRow, publicUrl: string, use: string): Snippet {
  const rows =
    `${publicUrl}/datacatalog/citymodel-datasets?fields=datasets&city_code=` +
    `${row.ward_code ?? row.city_code}&type_en=${row.type_en}`;
  return {
    kind: 'Python',
    place: 'Python 3.8 +',
    text: `import json
import urllib.request


def get(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


catalogue = get("${rows}")
dataset = next(row for row in catalogue["datasets"] if row["id"] == "${row.id}")
print(dataset["name"], dataset["year"], dataset.get("license", "licence not stated"))

${use}
`,
  };
}

function curl(text: string): Snippet {
  return { kind: 'curl', place: 'sh, PowerShell 7', text };
}

/**
 * A tile that surely exists: the smallest that holds the whole dataset, for closer ones may be empty even in its
 * middle. Where the dataset lies across an edge of the largest, the one with its middle.
 */
function tileIn(row: DatasetRow): SpatialId {
  const [west, south, east, north] = row.bbox ?? [135, 35, 135, 35];
  for (let z = CLOSEST_ZOOM; z > FARTHEST_ZOOM; z--) {
    const [first, last] = [spatialIdOf(west, north, null, z), spatialIdOf(east, south, null, z)];
    if (first.x === last.x && first.y === last.y) return first;
  }
  return spatialIdOf((west + east) / 2, (south + north) / 2, null, FARTHEST_ZOOM);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function quotePython(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
