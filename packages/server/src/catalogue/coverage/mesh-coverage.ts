/** The meshes that have files, of the whole country at once: meshes inside a larger one are brought together. */
import { compareTexts } from '@citymodel/base';
import { type Bounds, boundsIntersect, isMeshCode, meshBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import { MESH, MESH_NUMBERS, maxLodAt, type PackageCoverage, typeBit } from './package-coverage.ts';

/** Digits of the 1st, 2nd and 3rd meshes (JIS X 0410). */
export const COVERAGE_DIGITS = [4, 6, 8] as const;
export type CoverageDigits = (typeof COVERAGE_DIGITS)[number];

export interface CoverageQuery {
  digits: CoverageDigits;
  /** Null: all. */
  types: readonly string[] | null;
  years: readonly string[] | null;
  bbox: Bounds | null;
}

/** Mesh code, highest LOD, number of feature types, newest year, files, features. */
export type CoverageRow = [
  mesh: string,
  maxLod: number,
  types: number,
  year: number,
  files: number,
  features: number,
];

/**
 * One row for each mesh of `digits` digits that has a file, by code. A file that is named by a larger mesh counts for
 * none: nobody knows where in it its features are. With types, meshes are kept that have one of them, and the highest
 * LOD is that of these types; what else is said of a mesh is of all its types.
 */
export function meshCoverage(
  packages: readonly PackageRow[],
  coverage: ReadonlyMap<number, PackageCoverage>,
  { digits, types, years, bbox }: CoverageQuery,
): CoverageRow[] {
  const wanted = types === null ? null : types.reduce((bits, type) => (bits | typeBit(type)) >>> 0, 0);
  const sums = new Map<number, { row: CoverageRow; types: number }>();
  const least = 10 ** (digits - 1);
  for (const pkg of packages) {
    if (years !== null && !years.includes(String(pkg.year))) continue;
    if (bbox !== null && pkg.bounds !== null && !boundsIntersect(pkg.bounds, bbox)) continue;
    const meshes = coverage.get(pkg.no)?.meshes ?? NO_MESHES;
    for (let at = 0; at < meshes.length; at += MESH_NUMBERS) {
      const typesHere = meshes[at + MESH.types]!;
      let code = meshes[at + MESH.code]!;
      if (code < least || (wanted !== null && (typesHere & wanted) === 0)) continue;
      while (code >= 10 * least) code = Math.floor(code / 10);
      let sum = sums.get(code);
      if (sum === undefined) {
        const mesh = String(code);
        if (!isMeshCode(mesh) || (bbox !== null && !boundsIntersect(meshBounds(mesh), bbox))) continue;
        sum = { row: [mesh, 0, 0, 0, 0, 0], types: 0 };
        sums.set(code, sum);
      }
      sum.types = (sum.types | typesHere) >>> 0;
      sum.row[1] = Math.max(sum.row[1], maxLodAt(meshes, at, wanted ?? typesHere));
      sum.row[3] = Math.max(sum.row[3], pkg.year);
      sum.row[4] += meshes[at + MESH.files]!;
      sum.row[5] += meshes[at + MESH.features]!;
    }
  }
  for (const sum of sums.values()) sum.row[2] = bitsIn(sum.types);
  return [...sums.values()].map(({ row }) => row).sort(([a], [b]) => compareTexts(a, b));
}

const NO_MESHES = new Float64Array();

function bitsIn(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}
