/**
 * A QGIS project of all tiles of an area, as QGIS writes and reads it: an XML file without styles of its own for
 * models (QGIS 3.34 and later draw 3D Tiles; earlier ones leave them out), with plain colours for vector tiles.
 */
import { factsOfType, OUTPUT_KINDS, type OutputKind, typesOfNature } from '@citymodel/base';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { CityFacts, TileSet } from './city-facts.ts';
import { nameIn } from './city-sections.ts';
import type { CityWords } from './city-words.ts';
import { escapeHtml } from './page-frame.ts';

/** Half of the width of the world in EPSG:3857, metres. */
const HALF_WORLD = 20_037_508.342789244;

/** Red, green, blue of the features of a type. */
const COLOURS: Readonly<Record<string, string>> = {
  bldg: '150,128,104',
  tran: '128,128,128',
  luse: '140,170,95',
  urf: '176,120,170',
  wtr: '70,140,190',
  veg: '80,150,80',
  dem: '170,150,110',
};
const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));
const FLOOD_COLOUR = '40,120,190';
/** Ground that hides what lies under its layer. */
const TERRAIN = 'dem';
const OTHER_COLOUR = '110,110,150';

/** The project; null for an area without tiles. */
export function qgisProject({ area, tiles, bounds }: CityFacts, words: CityWords): string | null {
  const drawn = tiles.filter((tileSet) => LAYERS[tileSet.kind].source(tileSet) !== null);
  // Layers that come first lie over the others.
  const shown = drawn.toSorted((a, b) => Number(a.type === TERRAIN) - Number(b.type === TERRAIN));
  if (shown.length === 0) return null;
  const title = escapeHtml(`${nameIn(words, area.name, area.romaji)} (${area.code})`);
  const layers = shown.map((tileSet) => ({ tileSet, name: layerName(tileSet, words) }));
  const groups = Map.groupBy(layers, ({ tileSet }) => tileSet.type);
  const tree = [...groups].map(
    ([type, list]) =>
      `<layer-tree-group name="${typeIn(type, words)}" expanded="1" checked="Qt::Checked">` +
      `${list.map(({ tileSet, name }) => treeLayer(tileSet, name)).join('')}</layer-tree-group>`,
  );
  const extent = shown.reduce<Bounds | null>((sum, one) => unionBounds(sum, one.bounds), null) ?? bounds;
  return `<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis projectname="${title}" version="3.34.0">
<title>${title}</title>
<projectCrs>${CRS}</projectCrs>
<layer-tree-group>${tree.join('')}</layer-tree-group>
<mapcanvas name="theMapCanvas" annotationsVisible="1"><units>meters</units>${extentOf(extent)}<rotation>0</rotation>
<destinationsrs>${CRS}</destinationsrs></mapcanvas>
<projectlayers>
${layers.map(({ tileSet, name }) => mapLayer(tileSet, name)).join('\n')}
</projectlayers>
<properties><SpatialRefSys><ProjectionsEnabled type="int">1</ProjectionsEnabled></SpatialRefSys></properties>
</qgis>
`;
}

const CRS =
  '<spatialrefsys><srsid>3857</srsid><srid>3857</srid><authid>EPSG:3857</authid>' +
  '<description>WGS 84 / Pseudo-Mercator</description></spatialrefsys>';

function typeIn(type: string, { language }: CityWords): string {
  return escapeHtml(factsOfType(type)?.label[language] ?? type);
}

function layerName({ type, part, lod, kind, textured, year }: TileSet, words: CityWords): string {
  const parts = [typeIn(type, words), escapeHtml(part[words.language]), `LOD ${lod}`];
  if (OUTPUT_KINDS[kind].view === '3d') parts.push(`3D${textured ? ` ${words.t('texture')}` : ''}`);
  return [...parts, String(year)].filter((text) => text !== '').join(' ');
}

/** How QGIS reads tile sets of a kind. */
interface QgisKind {
  provider: string;
  /** What its provider takes, as text of XML; null for a tile set that it cannot read. */
  source(tileSet: TileSet): string | null;
  /** The layer, which has these facts. */
  layer(tileSet: TileSet, facts: string): string;
}

const LAYERS: Record<OutputKind, QgisKind> = {
  '3dtiles': {
    provider: 'cesiumtiles',
    source: ({ url }) => escapeHtml(`url=${url}`),
    layer: (_, facts) => `<maplayer type="tiled-scene">${facts}</maplayer>`,
  },
  mvt: {
    provider: 'xyzvectortiles',
    source({ template }) {
      if (template === null) return null;
      const { url, minzoom, maxzoom } = template;
      return escapeHtml(`type=xyz&url=${url}&zmin=${minzoom}&zmax=${maxzoom}`);
    },
    layer(tileSet, facts) {
      const { type } = tileSet;
      const colour = FLOODS.has(type) ? FLOOD_COLOUR : (COLOURS[type] ?? OTHER_COLOUR);
      const least = minScale(tileSet);
      return (
        `<maplayer type="vector-tile" hasScaleBasedVisibilityFlag="1" maxScale="0" minScale="${least}">` +
        `${facts}<renderer type="basic"><styles>${styles(colour)}</styles></renderer></maplayer>`
      );
    },
  },
};

function treeLayer(tileSet: TileSet, name: string): string {
  const { provider, source } = LAYERS[tileSet.kind];
  // Of parts that lie over each other, such as floods of two scales, people choose; and whether ground hides a map.
  const checked = FLOODS.has(tileSet.type) || tileSet.type === TERRAIN ? 'Qt::Unchecked' : 'Qt::Checked';
  return (
    `<layer-tree-layer id="${escapeHtml(tileSet.id)}" name="${name}" checked="${checked}" expanded="0" ` +
    `providerKey="${provider}" source="${source(tileSet)}"/>`
  );
}

function mapLayer(tileSet: TileSet, name: string): string {
  const { id, kind, bounds } = tileSet;
  const { provider, source, layer } = LAYERS[kind];
  const facts =
    `${extentOf(bounds)}<id>${escapeHtml(id)}</id><datasource>${source(tileSet)}</datasource>` +
    `<layername>${name}</layername><srs>${CRS}</srs><provider>${provider}</provider>`;
  return layer(tileSet, facts);
}

/** From farther away than the tiles are made for, a map would need thousands of them. */
function minScale({ template }: TileSet): number {
  return Math.round(559_082_264 / 2 ** (template!.minzoom - 1));
}

/** Metres of EPSG:3857. */
function extentOf(bounds: Bounds | null): string {
  if (bounds === null) return '';
  const x = (lng: number) => ((lng / 180) * HALF_WORLD).toFixed(2);
  const y = (lat: number) =>
    ((Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / Math.PI) * HALF_WORLD).toFixed(2);
  const { west, south, east, north } = bounds;
  return (
    `<extent><xmin>${x(west)}</xmin><ymin>${y(south)}</ymin><xmax>${x(east)}</xmax><ymax>${y(north)}</ymax>` +
    '</extent>'
  );
}

/** Geometry as QgsWkbTypes numbers it. */
const GEOMETRIES = [
  { name: 'Polygons', geometry: 2, word: 'Polygon', symbol: 'fill', layer: 'SimpleFill' },
  { name: 'Lines', geometry: 1, word: 'Line', symbol: 'line', layer: 'SimpleLine' },
  { name: 'Points', geometry: 0, word: 'Point', symbol: 'marker', layer: 'SimpleMarker' },
] as const;

function styles(colour: string): string {
  const options: Record<string, string> = {
    color: `${colour},110`,
    line_color: `${colour},255`,
    line_width: '0.4',
    outline_color: `${colour},255`,
    outline_width: '0.2',
    size: '1.6',
  };
  const map = Object.entries(options)
    .map(([name, value]) => `<Option type="QString" name="${name}" value="${value}"/>`)
    .join('');
  return GEOMETRIES.map(
    ({ name, geometry, word, symbol, layer }) =>
      `<style name="${name}" layer="" geometry="${geometry}" enabled="1" min-zoom="-1" max-zoom="-1" ` +
      `expression="geometry_type($geometry)='${word}'"><symbols><symbol type="${symbol}" name="0" alpha="1">` +
      `<layer class="${layer}" enabled="1" pass="0" locked="0"><Option type="Map">${map}</Option></layer>` +
      '</symbol></symbols></style>',
  ).join('');
}
