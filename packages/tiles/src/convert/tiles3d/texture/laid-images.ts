/**
 * Images that are laid over surfaces: pictures of the ground, and those with a matrix for each surface (CityGML 2.0,
 * section 9.4). Their texture coordinates follow from positions.
 */
import { type Crs, crsOf } from '@citymodel/citygml';
import type { GmlSource } from '../../part-maker.ts';
import type { Appearances, LaidImage } from '../../read/appearances.ts';
import type { IssueCounter } from '../../read/issue-counter.ts';
import type { Affine } from './affine.ts';
import { geoTiffPlace } from './geotiff-place.ts';
import type { ImageFacts, Images } from './images.ts';

/** What positions of a file are, as they come from reading it. */
export interface FilePositions {
  /** Of the file; null where it has none. */
  srsName: string | null;
  /** By how many metres heights were raised at a place in degrees. */
  raisedBy(lng: number, lat: number): number;
}

/** From a position to u, v and what both are divided by: 3 rows of 4 numbers. */
interface Projection {
  crs: Crs;
  /** Whether the matrix takes positions in the order of the CRS, or easting first. */
  inOrder: boolean;
  matrix: readonly number[];
  /** True for a picture of the ground, which does not repeat. */
  isGround: boolean;
}

/** Bytes of a world file; real ones have 100. */
const MAX_WORLD_FILE = 10_000;
const USUAL_CRS = 'EPSG:6697';

export class LaidImages {
  readonly #projections: ReadonlyArray<Projection | null>;
  readonly #positions: FilePositions;

  private constructor(projections: ReadonlyArray<Projection | null>, positions: FilePositions) {
    this.#projections = projections;
    this.#positions = positions;
  }

  /** Looks where each image lies; one that does not say it becomes an issue. */
  static async open(
    appearances: Appearances,
    images: Images,
    gml: GmlSource,
    positions: FilePositions,
    issues: IssueCounter,
  ): Promise<LaidImages> {
    const projections: Array<Projection | null> = [];
    for (const laid of appearances.laid) {
      const facts = await images.facts(laid.image);
      const crs = crsOf(laid.srsName ?? positions.srsName ?? USUAL_CRS);
      const path = appearances.images[laid.image]!;
      const projection =
        facts === null || crs === null ? null : await projectionOf(laid, crs, facts, path, gml);
      if (facts !== null && projection === null) issues.count('TEXTURE_UNPLACED', null, path);
      projections.push(projection);
    }
    return new LaidImages(projections, positions);
  }

  /** True for a picture of the ground, which does not repeat; null for an image of which nobody knows where it lies. */
  isGround(number: number): boolean | null {
    return this.#projections[number]?.isGround ?? null;
  }

  /**
   * u to the right and v upwards by turns, 0 to 1 on the image, for positions `from` to `to` of longitude, latitude and
   * height.
   */
  coordinates(number: number, positions: Float64Array, from: number, to: number): Float32Array {
    const { crs, inOrder, matrix } = this.#projections[number]!;
    const uvs = new Float32Array(2 * (to - from));
    for (let i = from; i < to; i++) {
      const [lng, lat] = [positions[3 * i]!, positions[3 * i + 1]!];
      const [east, north] = crs.toPlane(lng, lat);
      const [x, y] = inOrder && crs.northFirst ? [north, east] : [east, north];
      // A picture of the ground looks at no height.
      const z =
        matrix[2] === 0 && matrix[6] === 0 && matrix[10] === 0
          ? 0
          : positions[3 * i + 2]! - this.#positions.raisedBy(lng, lat);
      const row = (at: number) =>
        matrix[at]! * x + matrix[at + 1]! * y + matrix[at + 2]! * z + matrix[at + 3]!;
      const q = row(8);
      uvs[2 * (i - from)] = row(0) / q;
      uvs[2 * (i - from) + 1] = row(4) / q;
    }
    return uvs;
  }
}

async function projectionOf(
  { by }: LaidImage,
  crs: Crs,
  facts: ImageFacts,
  path: string,
  gml: GmlSource,
): Promise<Projection | null> {
  if (by.kind === 'matrix') {
    return by.numbers.length === 12 ? { crs, inOrder: true, matrix: by.numbers, isGround: false } : null;
  }
  const placed =
    by.inline === null
      ? await placeOf(path, by.prefersWorldFile, crs, gml)
      : { crs, affine: inlineAffine(by.inline, crs) };
  const matrix = placed === null ? null : groundMatrix(placed.affine, facts);
  return placed === null || matrix === null
    ? null
    : { crs: placed.crs, inOrder: false, matrix, isGround: true };
}

/**
 * What a world file says, in the system of the GML, or the image itself; the other where one is missing or its system
 * is not known.
 */
async function placeOf(
  path: string,
  prefersWorldFile: boolean,
  crs: Crs,
  gml: GmlSource,
): Promise<{ crs: Crs; affine: Affine } | null> {
  const beside = async () => {
    const affine = await worldFile(path, gml);
    return affine === null ? null : { crs, affine };
  };
  const inside = async () => {
    const place = await geoTiffPlace(path, gml);
    const own = place?.srsName == null ? crs : crsOf(place.srsName);
    return place === null || own === null ? null : { crs: own, affine: place.affine };
  };
  return prefersWorldFile ? ((await beside()) ?? (await inside())) : ((await inside()) ?? (await beside()));
}

/**
 * `app:orientation` in rows, then `app:referencePoint` in the order of the CRS. Some writers keep to that order in the
 * matrix too, others have easting first: seen from above an image is not mirrored, which tells them apart.
 */
function inlineAffine(inline: readonly number[], { northFirst }: Crs): Affine {
  const [m11, m12, m21, m22, first, second] = inline as [number, number, number, number, number, number];
  const [east, north] = northFirst ? [second, first] : [first, second];
  const isTurned = northFirst && m11 * m22 - m12 * m21 > 0;
  return isTurned ? [m21, m22, east, m11, m12, north] : [m11, m12, east, m21, m22, north];
}

/**
 * The world file beside an image (ESRI: six lines, a d b e c f), by the names that are usual: `.jgw`, `.jpgw`, `.wld`.
 */
async function worldFile(path: string, gml: GmlSource): Promise<Affine | null> {
  const dot = path.lastIndexOf('.');
  const [stem, extension] = [path.slice(0, dot), path.slice(dot + 1).toLowerCase()];
  for (const name of [`${extension[0]}${extension.at(-1)}w`, `${extension}w`, 'wld']) {
    const bytes = await gml.member(`${stem}.${name}`, MAX_WORLD_FILE);
    if (bytes === null) continue;
    const numbers = Buffer.from(bytes).toString('latin1').trim().split(/\s+/).map(Number);
    if (numbers.length < 6 || !numbers.every(Number.isFinite)) continue;
    const [a, d, b, e, c, f] = numbers as [number, number, number, number, number, number];
    return [a, b, c, d, e, f];
  }
  return null;
}

/** The way back, and from pixels to 0 to 1; null for an image without an area. */
function groundMatrix([a, b, c, d, e, f]: Affine, { width, height }: ImageFacts): number[] | null {
  const determinant = a * e - b * d;
  if (!Number.isFinite(1 / determinant)) return null;
  const column = [e / determinant, -b / determinant, 0, (b * f - e * c) / determinant + 0.5];
  const row = [-d / determinant, a / determinant, 0, (d * c - a * f) / determinant + 0.5];
  const v = row.map((value) => -value / height);
  v[3]! += 1;
  return [...column.map((value) => value / width), ...v, 0, 0, 0, 1];
}
