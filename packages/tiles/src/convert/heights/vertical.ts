/** What the heights of a coordinate system are heights of. */
import { epsgCodesOf, isBuiltIn, registeredSystem } from '@citymodel/citygml';

/**
 * `elevation`: above a geoid or mean sea level, in Japan those of JGD2011. `jgd2024`: elevations after the revision of
 * April 2025. `ellipsoid`: above the ellipsoid already.
 */
export type HeightKind = 'elevation' | 'jgd2024' | 'ellipsoid';

/**
 * Heights in a system that the program cannot bring to the ellipsoid; the message names it and says what can be done.
 */
export class VerticalRefused extends Error {
  override readonly name = 'VerticalRefused';
}

/** Systems of longitude, latitude and height above the ellipsoid (EPSG registry). */
const ELLIPSOIDAL = new Set([4979, 4937, 4947, 6667]);

/**
 * Systems of heights of JGD2024: one of latitude, longitude and height, and the vertical one (EPSG registry, version
 * 12.055).
 */
const REVISED = new Set([11_318, 11_317]);

/** Vertical systems whose zero is mean sea level or a geoid; they differ by up to 2.5 m, mostly by less than 0.5 m. */
const ELEVATIONS = new Set([
  6695, // JGD2011 (vertical)
  6694, // JGD2000 (vertical)
  5723, // JSLD69
  5773, // EGM96
  3855, // EGM2008
  5714, // mean sea level
  5705, // Baltic 1977
  7699, // DHHN12
  5784, // DHHN85
  5785, // SNN76
  5783, // DHHN92
  7837, // DHHN2016
  5709, // NAP
  5710, // Ostend
  5621, // EVRF2007
  5730, // EVRF2000
  9389, // EVRF2019
  5728, // LN02
  5729, // LHN95
  5701, // ODN
  5720, // NGF-IGN69
  3900, // N2000
  5613, // RH2000
  5717, // N60
  5718, // RH70
  5776, // NN54
  5941, // NN2000
  8089, // ISH2004
  5733, // DNN
  5799, // DVR90
  5778, // GHA
  9274, // EVRF2000 Austria
  8357, // Baltic 1957
  9651, // EVRF2007-PL
  5787, // EOMA 1980
  8690, // SVS2010
  5610, // HVRS71
  5195, // Trieste
  5774, // NG95
  5731, // Malin Head
  5732, // Belfast
  5782, // Alicante
  5780, // Cascais
  5214, // Genoa 1942
  5775, // Antalya
  5703, // NAVD88
  5713, // CGVD28
  6647, // CGVD2013
  5711, // AHD
  4440, // NZVD2009
  7839, // NZVD2016
  5193, // KVD1964
  8904, // TWVD 2001
  5738, // HKPD
  6916, // SHD
]);

/** True for a system whose heights are elevations of JGD2024. */
export function isRevised(srsName: string | null): boolean {
  return srsName !== null && REVISED.has(epsgCodesOf(srsName).at(-1) ?? 0);
}

const ADVICE =
  'Name the geoid of these heights in the setting GEOID and state EPSG:6697 in the file, or convert with --heights ' +
  'elevation.';

/**
 * What the heights of a file's `srsName` are. A name without a vertical part is taken for elevations, as city models
 * are delivered. Throws VerticalRefused for a system that is not known.
 */
export function heightKindOf(srsName: string | null): HeightKind {
  const [horizontal, vertical] = srsName === null ? [6697] : epsgCodesOf(srsName);
  if (REVISED.has(vertical ?? horizontal ?? 0)) return 'jgd2024';
  if (vertical === undefined) {
    if (horizontal === undefined) return 'elevation';
    if (ELLIPSOIDAL.has(horizontal)) return 'ellipsoid';
    const system = isBuiltIn(horizontal) ? null : registeredSystem(horizontal);
    if (system?.dimension !== 3) return 'elevation';
    if (!system.proj.includes('+towgs84=')) return 'ellipsoid';
    throw new VerticalRefused(`Heights are in EPSG:${horizontal}, above another ellipsoid. ${ADVICE}`);
  }
  if (ELEVATIONS.has(vertical)) return 'elevation';
  throw new VerticalRefused(
    `Heights are in EPSG:${vertical}, which is not known as a vertical system. ${ADVICE}`,
  );
}
