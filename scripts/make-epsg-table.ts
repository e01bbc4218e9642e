/**
 * Makes `packages/citygml/src/geometry/data/epsg-systems.tsv`: coordinate systems of the EPSG registry as definitions
 * for PROJ. The definitions come from the npm package `epsg-index`, which is 40 MB in 8,100 files and so is no
 * dependency of its own. A definition counts only where it leads within 2 m of PROJ's own computation at five places of
 * its area, and PROJ calls its way to WGS 84 good for 5 m. This leaves out what needs grids of differences, and
 * definitions of the package that are wrong. Systems in feet and links are left out too: nothing says what their
 * heights are in.
 *
 *   npm install --prefix /tmp/epsg epsg-index@2.0.0
 *   pip install pyproj==3.7.2
 *   python3 scripts/epsg-positions.py > /tmp/epsg/positions.jsonl
 *   node scripts/make-epsg-table.ts /tmp/epsg/node_modules/epsg-index/all.json /tmp/epsg/positions.jsonl
 *
 * Columns: code, order of the authority's axes (`EN`, `NE`, with `H` behind for heights above the ellipsoid, or `+` for
 * a compound system), area of use (west, south, east, north in degrees; of a compound system the codes of its two), and
 * the definition without what all have.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import proj4 from 'proj4';

const TARGET = join(import.meta.dirname, '../packages/citygml/src/geometry/data/epsg-systems.tsv');
/** Metres of difference, and metres of PROJ's accuracy. */
const [MOST_OFF, MOST_VAGUE] = [2, 5];

/**
 * Transformations to WGS 84 of the registry in place of grids of differences; the first that leads to the right place
 * counts.
 */
const SHIFTS: Record<string, readonly string[]> = {
  'BETA2007.gsb': [
    '598.1,73.7,418.2,0.202,0.045,-2.455,6.7', // DHDN (2)
    '612.4,77,440.2,-0.054,0.057,-2.797,2.55', // RD/83 (1)
    '599.4,72.4,419.2,-0.062,-0.022,-2.723,6.46', // PD/83 (1)
  ],
  'OSTN15_NTv2_OSGBtoETRS.gsb': ['446.448,-125.157,542.06,0.15,0.247,0.842,-20.489'], // OSGB36 (6)
  'nzgd2kgrid0005.gsb': ['59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993'], // NZGD49 (2)
};
/** Transformations of the registry where the package has another one, or this one in other units. */
const OTHERS = [
  '565.4171,50.3319,465.5524,-0.398957388243134,0.343987817378283,-1.87740163998045,4.0725', // Amersfoort (4)
  '-189.6806,18.3463,-42.7695,-0.33746,-3.09264,2.53861,0.4598', // LUREF (3)
  '570.8,85.7,462.8,4.998,1.587,5.261,3.56', // S-JTSK (1)
  '572.213,85.334,461.94,4.9732,1.529,5.2484,3.5378', // S-JTSK (5)
  '24,-123,-94,0.02,-0.25,-0.13,1.1', // Pulkovo 1942(83) (1)
];

interface Positions {
  code: number;
  name: string;
  of?: number[];
  dimension?: 2 | 3;
  geographic?: boolean;
  area?: [number, number, number, number];
  places?: Array<[first: number, second: number, lng: number, lat: number, accuracy: number]>;
}

const [packagePath, positionsPath] = process.argv.slice(2);
if (packagePath === undefined || positionsPath === undefined)
  throw new Error('Give the paths of all.json and of the positions.');
const definitions: Record<string, { proj4: string | null }> = JSON.parse(readFileSync(packagePath, 'utf8'));
const systems: Positions[] = readFileSync(positionsPath, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));

const rows = new Map<number, string>();
const refused = new Map<string, number[]>();
const refuse = (why: string, code: number) => refused.set(why, [...(refused.get(why) ?? []), code]);
for (const system of systems) {
  if (system.of !== undefined) continue;
  const written = definitions[system.code]?.proj4;
  if (written == null) refuse('no definition', system.code);
  else if (system.places!.length < 5) refuse('no positions', system.code);
  else if (system.places!.some(([, , , , accuracy]) => !(accuracy >= 0 && accuracy <= MOST_VAGUE)))
    refuse('no accurate way', system.code);
  else {
    const heights = system.dimension === 3 ? 'H' : '';
    const found = variants(written)
      .map((definition) => ({ definition, order: orderOf(definition, system.places!) }))
      .find(({ order }) => order !== null);
    if (found === undefined) refuse('another place', system.code);
    else {
      const cells = [system.code, `${found.order}${heights}`, system.area!.join(' '), found.definition];
      rows.set(system.code, cells.join('\t'));
    }
  }
}
for (const { code, of } of systems) {
  if (of === undefined) continue;
  if (of.length === 2 && rows.has(of[0]!)) rows.set(code, [code, '+', of.join(' '), ''].join('\t'));
  else refuse('compound of others', code);
}
const lines = [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => `${row}\n`);
writeFileSync(TARGET, lines.join(''));
console.log(`${lines.length} systems, ${lines.join('').length} bytes`);
for (const [why, codes] of refused) console.log(`${why}: ${codes.length}, such as ${codes.slice(0, 30)}`);

/**
 * The definition, and what it may have been meant to be: with a shift in place of a grid, or rotations of the other
 * sign convention.
 */
function variants(written: string): string[] {
  const definition = shortened(written);
  const grid = / nadgrids=([^@]\S*)/.exec(definition);
  const withShift = (shift: string) => definition.replace(/ (?:nadgrids|towgs84)=\S+/, ` towgs84=${shift}`);
  if (grid !== null) return (SHIFTS[grid[1]!] ?? []).map(withShift);
  const shift = (/ towgs84=(\S+)/.exec(definition)?.[1] ?? '').split(',').map(Number);
  const turned = shift.map((value, i) => (i >= 3 && i <= 5 ? -value : value)).join(',');
  return [definition, ...(shift.length === 7 ? [turned] : []), ...(shift.length > 1 ? OTHERS : [])].map(
    (text, i) => (i === 0 ? text : withShift(text)),
  );
}

/** Without what says nothing. */
function shortened(definition: string): string {
  return definition
    .replace(/ \+(?:units=m|vunits=m|no_defs|type=crs|towgs84=0,0,0(?:,0,0,0,0)?)(?= |$)/g, '')
    .replaceAll('+', '')
    .trim();
}

/** The order in which the definition leads to all places; null where neither does. */
function orderOf(definition: string, places: NonNullable<Positions['places']>): 'EN' | 'NE' | null {
  const plane = planeOf(definition);
  if (plane === null) return null;
  for (const order of ['EN', 'NE'] as const) {
    const isRight = places.every(([first, second, lng, lat]) => {
      const [x, y] = plane.inverse(order === 'EN' ? [first, second] : [second, first]) as [number, number];
      const east = (((x - lng + 540) % 360) - 180) * Math.cos((lat * Math.PI) / 180);
      return Math.hypot(east, y - lat) * 111_320 <= MOST_OFF;
    });
    if (isRight) return order;
  }
  return null;
}

function planeOf(definition: string) {
  try {
    return proj4(`+${definition.replaceAll(' ', ' +')} +no_defs`);
  } catch {
    return null;
  }
}
