/** What files of the basket are called, without their endings. */
import { knownRomaji } from '../core/summary.ts';
import { type AreaCounts, addSums, typesOf } from './counts.ts';

/** Of a zip: where, what, of which year. */
export function packName(counts: readonly AreaCounts[], chosen: readonly string[] | null): string {
  const all = addSums(counts);
  const types = chosen === null ? [...typesOf(counts).keys()] : chosen;
  const years = [...new Set(all.map(({ year }) => year))].sort();
  const meshes = counts.flatMap(({ area }) => (area.kind === 'meshes' ? area.codes : []));
  return [
    placeName(counts),
    types.length <= 3 ? types.join('-') : 'all',
    [...new Set([years[0], years.at(-1)])].join('-'),
    meshes.length === 0 ? '' : meshes.length === 1 ? meshes[0] : `${meshes[0]}-and-${meshes.length - 1}`,
  ]
    .filter((part) => part !== '')
    .join('_');
}

/** Of tables: the municipality, and its wards where they alone were asked for. */
export function placeName(counts: readonly AreaCounts[]): string {
  const codes = [...new Set(addSums(counts).map(({ cityCode }) => cityCode))];
  if (codes.length === 0) return 'citygml';
  if (codes.length > 1) return `${codes.length}-cities`;
  const city = knownRomaji(codes[0]!) ?? codes[0]!;
  const wards = wardsOf(counts, codes[0]!);
  if (wards.length === 0) return city;
  return `${city}_${wards.length <= MOST_WARDS ? wards.join('-') : `${wards.length}-wards`}`;
}

/** Wards that a name lists. */
const MOST_WARDS = 2;

/** The wards of a city when nothing else of it was asked for. */
function wardsOf(counts: readonly AreaCounts[], city: string): string[] {
  const wards = counts.flatMap(({ area }) => (area.kind === 'city' && area.code !== city ? [area.code] : []));
  return wards.length < counts.length ? [] : wards.map((code) => knownRomaji(code) ?? code);
}
