/**
 * The picture that other sites show beside a link to a municipality, a dataset or the whole catalogue: land, what has data, and a few
 * words, as SVG. It needs no fonts: letters are strokes.
 */
import type { MultiPolygon, Position } from 'geojson';
import { type Bounds, boundsIntersect, unionBounds } from '../../geo/bounds.ts';
import { meshBounds } from '../../geo/mesh.ts';
import { strokeText } from './stroke-text.ts';

/** Pixels; what previews are cut to. */
export const PICTURE = { width: 1200, height: 630 } as const;
/** Left edge of the words. */
const WORDS = 800;

const COLOURS = {
  sea: '#dbe8ee',
  land: '#fbfaf6',
  coast: '#b9ccd5',
  paper: '#ffffff',
  text: '#16242b',
  quiet: '#5d6d73',
  accent: '#0b5c78',
  /** By highest LOD, those of the portal's map. */
  lods: ['#a9b4b6', '#86b2de', '#2c7891', '#e0922f', '#9a4f9e'],
} as const;

/** Japan without its far islands. */
const JAPAN: Bounds = { west: 127, south: 30, east: 146, north: 45.8 };
/** Least width of the map, degrees: a few streets alone show nothing. */
const LEAST = 0.04;

export interface PictureContent {
  land: MultiPolygon;
  /** What the map shows; null for the whole country. */
  bounds: Bounds | null;
  /** Meshes that have data, with their highest LOD. */
  meshes: ReadonlyArray<readonly [mesh: string, lod: number]>;
  /** Places of municipalities, with their highest LOD and a size from 0 to 1. */
  places: ReadonlyArray<{ at: readonly [lng: number, lat: number]; lod: number; size: number }>;
  /** The first is the name; in Latin letters. */
  words: readonly string[];
}

/** An SVG of `PICTURE`'s size. */
export function linkPicture({ land, bounds, meshes, places, words }: PictureContent): string {
  const view = new View(bounds === null ? JAPAN : widened(bounds), 0, 0, WORDS, PICTURE.height);
  const parts = [
    rect(0, 0, PICTURE.width, PICTURE.height, COLOURS.sea),
    landPath(land, view),
    ...meshRects(meshes, view),
    ...places.map(({ at, lod, size }) => {
      const [x, y] = view.at(at);
      return `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(4 + 6 * size)}" fill="${lodColour(lod)}" stroke="#fdfcf9"/>`;
    }),
    rect(WORDS, 0, PICTURE.width - WORDS, PICTURE.height, COLOURS.paper),
  ];
  parts.push(...(bounds === null ? legend(places) : inset(land, bounds)));
  parts.push(...wordPaths(words));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE.width}" height="${PICTURE.height}">${parts.join('')}</svg>`;
}

/** Pixels of a picture that stands beside other things in the portal. */
const SMALL = { width: 640, height: 348 };

/** The map of a picture alone, small, around its meshes. Where no meshes are known it has the box of the data. An SVG as well. */
export function mapPicture({
  land,
  bounds,
  meshes,
}: Pick<PictureContent, 'land' | 'bounds' | 'meshes'>): string {
  const { width, height } = SMALL;
  const around = meshes.map(([mesh]) => meshBounds(mesh)).reduce<Bounds | null>(unionBounds, null);
  const shown = around ?? bounds;
  const view = new View(shown === null ? JAPAN : widened(shown), 0, 0, width, height);
  const parts = [rect(0, 0, width, height, COLOURS.sea), landPath(land, view), ...meshRects(meshes, view)];
  if (meshes.length === 0 && bounds !== null) {
    const { x, y, width: wide, height: high } = view.box(bounds);
    parts.push(rect(x, y, wide, high, COLOURS.accent, `fill-opacity="0.25" stroke="${COLOURS.accent}"`));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${parts.join('')}</svg>`;
}

/** The country with a mark where the map lies, below the words. */
function inset(land: MultiPolygon, bounds: Bounds): string[] {
  const box = { x: WORDS + 40, y: 320, width: 320, height: 270 };
  const view = new View(JAPAN, box.x, box.y, box.width, box.height);
  const [x, y] = view.at([(bounds.west + bounds.east) / 2, (bounds.south + bounds.north) / 2]);
  // Far islands are below and left of what is drawn.
  const [cx, cy] = [Math.max(box.x + 8, x), Math.min(box.y + box.height - 8, y)];
  return [
    `<clipPath id="inset"><rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}"/></clipPath>`,
    `<g clip-path="url(#inset)">${rect(box.x, box.y, box.width, box.height, COLOURS.sea)}${landPath(land, view)}</g>`,
    `<circle cx="${fixed(cx)}" cy="${fixed(cy)}" r="9" fill="#c2185b" stroke="#ffffff" stroke-width="3"/>`,
  ];
}

/** What the colours of the country mean. */
function legend(places: PictureContent['places']): string[] {
  const lods = [1, 2, 3, 4].filter((lod) => places.some((place) => place.lod === lod));
  return lods.flatMap((lod, i) => {
    const y = 360 + 56 * i;
    const { path } = strokeText(`LOD ${lod}`, WORDS + 80, y - 12, 24);
    return [
      `<circle cx="${WORDS + 52}" cy="${y}" r="12" fill="${lodColour(lod)}"/>`,
      strokes(path, COLOURS.quiet, 24 / 9),
    ];
  });
}

function meshRects(meshes: PictureContent['meshes'], view: View): string[] {
  return meshes.map(([mesh, lod]) => {
    const { x, y, width, height } = view.box(meshBounds(mesh));
    return rect(x, y, width, height, lodColour(lod), 'opacity="0.8" stroke="#fdfcf9"');
  });
}

function strokes(path: string, colour: string, width: number): string {
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${fixed(width)}" stroke-linecap="round" stroke-linejoin="round"/>`;
}

function wordPaths(words: readonly string[]): string[] {
  const room = PICTURE.width - WORDS - 80;
  let y = 60;
  return words.map((text, i) => {
    const wish = i === 0 ? 54 : 24;
    const { width } = strokeText(text, 0, 0, wish);
    const height = Math.min(wish, (wish * room) / Math.max(1, width));
    const { path } = strokeText(text, WORDS + 40, y, height);
    y += height + (i === 0 ? 40 : 26);
    const colour = i === 0 ? COLOURS.text : i === 1 ? COLOURS.accent : COLOURS.quiet;
    return strokes(path, colour, height / (i === 0 ? 8 : 9));
  });
}

/** Degrees on a sheet of pixels: the box whole, in its middle. */
class View {
  readonly bounds: Bounds;
  readonly #scale: { x: number; y: number };
  readonly #origin: { x: number; y: number };
  readonly #size: readonly [width: number, height: number];
  readonly #west: number;
  readonly #north: number;

  constructor(box: Bounds, left: number, top: number, width: number, height: number) {
    const squeeze = Math.cos((((box.south + box.north) / 2) * Math.PI) / 180);
    const scale = Math.min(width / ((box.east - box.west) * squeeze), height / (box.north - box.south));
    this.#scale = { x: scale * squeeze, y: scale };
    const [wide, high] = [width / this.#scale.x, height / scale];
    this.#west = (box.west + box.east - wide) / 2;
    this.#north = (box.south + box.north + high) / 2;
    this.#origin = { x: left, y: top };
    this.#size = [width, height];
    this.bounds = {
      west: this.#west,
      south: this.#north - high,
      east: this.#west + wide,
      north: this.#north,
    };
  }

  at([lng, lat]: readonly number[]): [x: number, y: number] {
    return [
      this.#origin.x + (lng! - this.#west) * this.#scale.x,
      this.#origin.y + (this.#north - lat!) * this.#scale.y,
    ];
  }

  /** The same; of a place far outside one that is outside as well, at most its own size away. */
  near(position: readonly number[]): [x: number, y: number] {
    const [x, y] = this.at(position);
    const { x: left, y: top } = this.#origin;
    const [width, height] = this.#size;
    return [
      Math.max(left - width, Math.min(left + 2 * width, x)),
      Math.max(top - height, Math.min(top + 2 * height, y)),
    ];
  }

  box({ west, south, east, north }: Bounds) {
    const [x, y] = this.at([west, north]);
    const [right, bottom] = this.at([east, south]);
    return { x, y, width: right - x, height: bottom - y };
  }
}

/** With room around it, and no smaller than a few streets. */
function widened({ west, south, east, north }: Bounds): Bounds {
  const half = Math.max(LEAST / 2, (east - west) * 0.6, (north - south) * 0.6);
  const [lng, lat] = [(west + east) / 2, (south + north) / 2];
  return { west: lng - half, south: lat - half, east: lng + half, north: lat + half };
}

/**
 * Land of the view. Points closer than a pixel to the one before are left out; those far outside are moved to an edge outside of the
 * view, where most of them are such points.
 */
function landPath({ coordinates }: MultiPolygon, view: View): string {
  let path = '';
  for (const rings of coordinates) {
    if (!boundsIntersect(boundsOf(rings[0]!), view.bounds)) continue;
    for (const ring of rings) {
      let last: readonly [number, number] | null = null;
      for (const position of ring) {
        const [x, y] = view.near(position);
        if (last !== null && Math.abs(x - last[0]) < 1 && Math.abs(y - last[1]) < 1) continue;
        path += `${last === null ? 'M' : 'L'}${fixed(x)} ${fixed(y)}`;
        last = [x, y];
      }
      path += 'Z';
    }
  }
  return `<path d="${path}" fill="${COLOURS.land}" stroke="${COLOURS.coast}"/>`;
}

function boundsOf(ring: readonly Position[]): Bounds {
  const box = { west: 180, south: 90, east: -180, north: -90 };
  for (const [lng = 0, lat = 0] of ring) {
    box.west = Math.min(box.west, lng);
    box.east = Math.max(box.east, lng);
    box.south = Math.min(box.south, lat);
    box.north = Math.max(box.north, lat);
  }
  return box;
}

function lodColour(lod: number): string {
  return COLOURS.lods[Math.max(0, Math.min(4, lod))]!;
}

function rect(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${fixed(x)}" y="${fixed(y)}" width="${fixed(width)}" height="${fixed(height)}" fill="${fill}" ${more}/>`;
}

function fixed(pixels: number): number {
  return Number(pixels.toFixed(1));
}
