/**
 * Names of coordinate systems of the German surveying administrations (AdV, "GeoInfoDok"), which have parts of heights
 * behind a star: `urn:adv:crs:DE_DHDN_3GK4*DE_DHHN92_NH`.
 */

const NAME = /^urn:adv:crs:([\w-]{1,40})(?:\*(?:urn:adv:crs:)?(DE_\w{1,40}))?$/i;

/**
 * EPSG codes of horizontal systems. Realisations of DHDN in single states (`DE_DHDN_3GK2_NW101`) differ by decimetres
 * from it.
 */
const HORIZONTAL: ReadonlyArray<readonly [name: RegExp, code: number]> = [
  [/^ETRS89_UTM31$/i, 25_831],
  [/^ETRS89_UTM32$/i, 25_832],
  [/^ETRS89_UTM33$/i, 25_833],
  [/^ETRS89_Lat-Lon$/i, 4_258],
  [/^ETRS89_Lat-Lon-h$/i, 4_937],
  [/^DE_DHDN_3GK2(?:_[A-Z]{2}\d{3})?$/i, 31_466],
  [/^DE_DHDN_3GK3(?:_[A-Z]{2}\d{3})?$/i, 31_467],
  [/^DE_DHDN_3GK4(?:_[A-Z]{2}\d{3})?$/i, 31_468],
  [/^DE_DHDN_3GK5(?:_[A-Z]{2}\d{3})?$/i, 31_469],
  [/^DE_PD-83_3GK3$/i, 3_396],
  [/^DE_PD-83_3GK4$/i, 3_397],
  [/^DE_RD-83_3GK4$/i, 3_398],
  [/^DE_RD-83_3GK5$/i, 3_399],
  [/^DE_42-83_3GK3$/i, 2_397],
  [/^DE_42-83_3GK4$/i, 2_398],
  [/^DE_42-83_3GK5$/i, 2_399],
];

/** EPSG codes of heights. `DHN92` stands in files for DHHN92. */
const VERTICAL: ReadonlyArray<readonly [name: RegExp, code: number]> = [
  [/^DE_DHH?N92_NH$/i, 5_783],
  [/^DE_DHHN2016_NH$/i, 7_837],
  [/^DE_DHHN85_N(?:H|OH)$/i, 5_784],
  [/^DE_DHHN12_N(?:H|OH)$/i, 7_699],
  [/^DE_SNN76_N(?:H|OH)$/i, 5_785],
];

/**
 * The EPSG codes that such a name stands for, that of heights last; none for other names, and where a part is not
 * known.
 */
export function advCodes(srsName: string): number[] {
  const match = NAME.exec(srsName);
  if (match === null) return [];
  const horizontal = HORIZONTAL.find(([name]) => name.test(match[1]!))?.[1];
  if (horizontal === undefined) return [];
  if (match[2] === undefined) return [horizontal];
  const vertical = VERTICAL.find(([name]) => name.test(match[2]!))?.[1];
  return vertical === undefined ? [] : [horizontal, vertical];
}
