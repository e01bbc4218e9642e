/** A drawing of where the data of an area is: its meshes in the colours of their highest LOD, as SVG. */
import { meshBounds } from '@citymodel/geo';
import type { CoverageRow } from '../catalogue/coverage/mesh-coverage.ts';

/** Longer side of the drawing, units of its view box. */
const SIDE = 480;
/** LOD 0 to 4. */
const LOD_CLASSES = 5;

export interface MeshPicture {
  /** An `svg` element with a path of the class `lod0` to `lod4` for each LOD that occurs. */
  readonly svg: string;
  /** Meshes by highest LOD, 0 to 4. */
  readonly meshes: readonly number[];
}

/** Draws rows of one size of mesh; null where there is nothing to draw. `title` is its text, escaped already. */
export function meshPicture(rows: readonly CoverageRow[], title: string): MeshPicture | null {
  const boxes = rows.map(([code, maxLod]) => ({
    ...meshBounds(code),
    lod: Math.max(0, Math.min(LOD_CLASSES - 1, maxLod)),
  }));
  if (boxes.length === 0) return null;
  const west = Math.min(...boxes.map((box) => box.west));
  const east = Math.max(...boxes.map((box) => box.east));
  const south = Math.min(...boxes.map((box) => box.south));
  const north = Math.max(...boxes.map((box) => box.north));
  // A degree of longitude is shorter than one of latitude.
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = SIDE / Math.max((east - west) * narrow, north - south);
  const x = (lng: number) => Math.round((lng - west) * narrow * scale * 10) / 10;
  const y = (lat: number) => Math.round((north - lat) * scale * 10) / 10;
  const paths: string[][] = Array.from({ length: LOD_CLASSES }, () => []);
  for (const box of boxes) {
    paths[box.lod]!.push(`M${x(box.west)} ${y(box.north)}H${x(box.east)}V${y(box.south)}H${x(box.west)}Z`);
  }
  const drawn = paths.map((parts, lod) =>
    parts.length === 0 ? '' : `<path class="lod${lod}" d="${parts.join('')}"/>`,
  );
  return {
    svg:
      `<svg viewBox="-4 -4 ${x(east) + 8} ${y(south) + 8}" role="img" aria-labelledby="picture-title">` +
      `<title id="picture-title">${title}</title>${drawn.join('')}</svg>`,
    meshes: paths.map((parts) => parts.length),
  };
}
