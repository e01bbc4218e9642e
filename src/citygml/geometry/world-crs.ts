/**
 * Projected systems of city models outside of Japan, by EPSG code: facts of the EPSG registry in the words of PROJ. Where the datum is
 * not ETRS89 or WGS 84, the published transformation to it is in `+towgs84`; it is good for 1 m or better.
 */

/** A projected system: how its numbers become longitude and latitude. */
export interface WorldCrs {
  /** Definition for PROJ. */
  proj: string;
  /** True when positions are northing, easting; false for easting, northing. */
  northingFirst: boolean;
}

const GRS80 = '+ellps=GRS80 +units=m +no_defs';
const BESSEL = '+ellps=bessel +units=m +no_defs';
const TO_RD =
  '+towgs84=565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,-1.87740163998045,4.0725';
const TO_DHDN = '+towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7';
const TO_MGI = '+towgs84=577.326,90.129,463.919,5.137,1.474,5.297,2.4232';

const RD_NEW = {
  proj: `+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 ${TO_RD} ${BESSEL}`,
  northingFirst: false,
};

const easting = (proj: string): WorldCrs => ({ proj, northingFirst: false });
const northing = (proj: string): WorldCrs => ({ proj, northingFirst: true });

const SINGLE = new Map<number, WorldCrs>([
  // Netherlands: Amersfoort / RD New, alone and with NAP heights.
  [28_992, RD_NEW],
  [7_415, RD_NEW],
  // Germany: ETRS89 / UTM zone 32N with the zone in the easting; UTM 31 to 33 with heights of DHHN92.
  [4_647, easting(`+proj=tmerc +lat_0=0 +lon_0=9 +k=0.9996 +x_0=32500000 +y_0=0 ${GRS80}`)],
  [5_554, easting(`+proj=utm +zone=31 ${GRS80}`)],
  [5_555, easting(`+proj=utm +zone=32 ${GRS80}`)],
  [5_556, easting(`+proj=utm +zone=33 ${GRS80}`)],
  // Germany: DHDN / 3-degree Gauss-Krüger. Registered northing first, delivered easting first: the order is read off the numbers.
  [31_466, easting(`+proj=tmerc +lat_0=0 +lon_0=6 +k=1 +x_0=2500000 +y_0=0 ${TO_DHDN} ${BESSEL}`)],
  [31_467, easting(`+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=3500000 +y_0=0 ${TO_DHDN} ${BESSEL}`)],
  [31_468, easting(`+proj=tmerc +lat_0=0 +lon_0=12 +k=1 +x_0=4500000 +y_0=0 ${TO_DHDN} ${BESSEL}`)],
  // Austria: MGI / Austria GK West, Central, East.
  [
    31_254,
    northing(`+proj=tmerc +lat_0=0 +lon_0=10.3333333333333 +k=1 +x_0=0 +y_0=-5000000 ${TO_MGI} ${BESSEL}`),
  ],
  [
    31_255,
    northing(`+proj=tmerc +lat_0=0 +lon_0=13.3333333333333 +k=1 +x_0=0 +y_0=-5000000 ${TO_MGI} ${BESSEL}`),
  ],
  [
    31_256,
    northing(`+proj=tmerc +lat_0=0 +lon_0=16.3333333333333 +k=1 +x_0=0 +y_0=-5000000 ${TO_MGI} ${BESSEL}`),
  ],
  // Switzerland: CH1903+ / LV95 and CH1903 / LV03.
  [
    2_056,
    easting(
      `+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 +towgs84=674.374,15.056,405.346,0,0,0,0 ${BESSEL}`,
    ),
  ],
  [
    21_781,
    easting(
      `+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=600000 +y_0=200000 +towgs84=674.374,15.056,405.346,0,0,0,0 ${BESSEL}`,
    ),
  ],
  // Belgium: Belgian Lambert 2008. France: RGF93 / Lambert-93. Europe: LAEA.
  [
    3_812,
    easting(
      `+proj=lcc +lat_0=50.797815 +lon_0=4.35921583333333 +lat_1=49.8333333333333 +lat_2=51.1666666666667 +x_0=649328 +y_0=665262 ${GRS80}`,
    ),
  ],
  [2_154, easting(`+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 ${GRS80}`)],
  [3_035, northing(`+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 ${GRS80}`)],
  // Finland: ETRS89 / TM35FIN(E,N), ETRS89 / GK25FIN. Sweden: SWEREF99 TM. Poland: ETRF2000-PL / CS92.
  [3_067, easting(`+proj=utm +zone=35 ${GRS80}`)],
  [3_879, northing(`+proj=tmerc +lat_0=0 +lon_0=25 +k=1 +x_0=25500000 +y_0=0 ${GRS80}`)],
  [3_006, northing(`+proj=utm +zone=33 ${GRS80}`)],
  [2_180, northing(`+proj=tmerc +lat_0=0 +lon_0=19 +k=0.9993 +x_0=500000 +y_0=-5300000 ${GRS80}`)],
  // United Kingdom: OSGB36 / British National Grid. Singapore: SVY21.
  [
    27_700,
    easting(
      '+proj=tmerc +lat_0=49 +lon_0=-2 +k=0.9996012717 +x_0=400000 +y_0=-100000 +ellps=airy +towgs84=446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 +units=m +no_defs',
    ),
  ],
  [
    3_414,
    northing(
      '+proj=tmerc +lat_0=1.36666666666667 +lon_0=103.833333333333 +k=1 +x_0=28001.642 +y_0=38744.572 +ellps=WGS84 +units=m +no_defs',
    ),
  ],
  [
    3_857,
    easting('+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +no_defs'),
  ],
]);

/** The system of a code: one of those above, or a zone of ETRS89 / UTM (28 to 38 N) or WGS 84 / UTM; null for any other. */
export function worldCrs(epsg: number): WorldCrs | null {
  const single = SINGLE.get(epsg);
  if (single !== undefined) return single;
  if (epsg >= 25_828 && epsg <= 25_838) return easting(`+proj=utm +zone=${epsg - 25_800} ${GRS80}`);
  const zone = epsg % 100;
  if (zone < 1 || zone > 60) return null;
  if (epsg - zone === 32_600) return easting(`+proj=utm +zone=${zone} +datum=WGS84 +units=m +no_defs`);
  if (epsg - zone === 32_700) return easting(`+proj=utm +zone=${zone} +south +datum=WGS84 +units=m +no_defs`);
  return null;
}

/**
 * The EPSG codes that a name of the German surveying administrations stands for (AdV, "GeoInfoDok"):
 * `urn:adv:crs:ETRS89_UTM32*DE_DHHN2016_NH`. None for other names.
 */
export function advCodes(srsName: string): number[] {
  const match = /^urn:adv:crs:ETRS89_UTM(3[1-3])(?:\*DE_(DHHN92|DHHN2016)_NH)?$/i.exec(srsName);
  if (match === null) return [];
  const heights = match[2]?.toUpperCase();
  const horizontal = 25_800 + Number(match[1]);
  return heights === undefined ? [horizontal] : [horizontal, heights === 'DHHN92' ? 5_783 : 7_837];
}
