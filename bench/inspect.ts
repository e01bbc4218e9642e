/**
 * Measures inspections beside scanning in the same run: `node bench/inspect.ts [package …]` (zips or directories; the
 * buildings of Osaka in ../shared/data/packages unless named). All figures are processor time of one thread, warm.
 * `--city N`: overlaps of a city of N buildings that is generated. `--large MB`: one file of that size, and the most
 * memory that its inspection took.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { GmlScanner } from '../packages/citygml/src/index.ts';
import {
  CHECKS,
  type Check,
  type InspectSource,
  inspectFile,
  joinFiles,
  openPackage,
} from '../packages/inspect/src/index.ts';
import { validateText } from '../packages/inspect/src/schema/validate-text.ts';
import { openSource } from '../packages/server/src/convert/package-source.ts';
import { inspectSourceOf } from '../packages/server/src/inspection/inspect-source.ts';
import { record } from './support/record.ts';

const OSAKA = join(
  import.meta.dirname,
  '../../shared/data/packages/27100_osaka-shi_city_2022_citygml_3_op.zip',
);
const GEOMETRY =
  /(?:surface|orientation|closed|solid|boundary|overlap|edge|holes|discontinuous)$|^L-bldg-0[12]|^L-tran-02|^bldg\.mesh/;
const isSchema = ({ code }: Check) => code.startsWith('L02');
const HOOKS = { signal: new AbortController().signal, onText: () => {} };
/** Text of a package that is read for one figure. */
const MOST_BYTES = 60e6;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { city: { type: 'string' }, large: { type: 'string' } },
});

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function report(what: string, value: string, beside = ''): void {
  console.log(`${what.padEnd(46)}${value.padStart(14)}   ${beside}`);
  record(what, value, beside);
}

async function measureSpeeds(path: string): Promise<void> {
  await using opened = await openSource({ kind: 'upload', path, overrides: {}, isNameless: true }, null);
  const { source } = inspectSourceOf(opened);
  const context = await openPackage(source);
  let bytes = 0;
  const files = source.files.filter((file) => {
    bytes += file.bytes;
    return bytes < MOST_BYTES;
  });
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  console.log(`${source.name}: ${files.length} files, ${(size / 1e6).toFixed(1)} MB of GML`);
  const inspecting = (checks: readonly Check[]) => async () => {
    for (const file of files) await inspectFile(file, source, checks, context, HOOKS);
  };
  const works: Array<[string, () => Promise<unknown>]> = [
    [
      'scanning',
      async () => {
        for (const { path: member } of files) {
          const scanner = new GmlScanner({ member, onIssue: () => {} });
          for await (const chunk of source.text(member)) scanner.push(chunk);
          scanner.end();
        }
      },
    ],
    ['reading features for checks', inspecting([])],
    [
      'common and attributes',
      inspecting(CHECKS.filter((check) => !isSchema(check) && !GEOMETRY.test(check.code))),
    ],
    [
      'schemas alone (L02)',
      async () => {
        for (const { path: member } of files)
          await validateText(source.text(member), { onFault() {}, skipped() {} });
      },
    ],
    ['all but schemas', inspecting(CHECKS.filter((check) => !isSchema(check)))],
    ['all', inspecting(CHECKS)],
  ];
  let scanning = 0;
  for (const [what, work] of works) {
    await work();
    const used = Math.min(await seconds(work), await seconds(work));
    if (scanning === 0) scanning = used;
    report(what, `${(size / 1e6 / used).toFixed(1)} MB/s`, `${(used / scanning).toFixed(1)} times scanning`);
  }
}

/** As many bytes as buildings of Osaka have beside their geometry. */
const ATTRIBUTES = Array.from(
  { length: 60 },
  (_, i) =>
    `<gen:stringAttribute name="attribute ${i}"><gen:value>the value of an attribute</gen:value>` +
    `</gen:stringAttribute>\n`,
).join('');

/** A box of LOD 0 and 1 as a member; the number of the building is in its ids, as wide as all others. */
function boxMember(number: number, x: number, y: number): string {
  const [south, west] = [35.6 + (y * 14) / 111_000, 139.6 + (x * 12) / 90_500];
  const [north, east] = [south + 13 / 111_000, west + 11 / 90_500];
  const corners = [`${south} ${west}`, `${south} ${east}`, `${north} ${east}`, `${north} ${west}`];
  const list = (ring: string[]) =>
    `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${ring.join(' ')}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`;
  const at = (order: number[], height: number) => order.map((i) => `${corners[i]} ${height}`);
  const walls = [0, 1, 2, 3].map((i) => {
    const j = (i + 1) % 4;
    return list([
      `${corners[i]} 3`,
      `${corners[j]} 3`,
      `${corners[j]} 9`,
      `${corners[i]} 9`,
      `${corners[i]} 3`,
    ]);
  });
  const id = `bldg_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  return (
    `<core:cityObjectMember><bldg:Building gml:id="${id}">${ATTRIBUTES}` +
    `<bldg:measuredHeight uom="m">6</bldg:measuredHeight><bldg:lod0RoofEdge><gml:MultiSurface>` +
    `${list(at([0, 1, 2, 3, 0], 0))}</gml:MultiSurface></bldg:lod0RoofEdge><bldg:lod1Solid><gml:Solid>` +
    `<gml:exterior><gml:CompositeSurface>${list(at([0, 3, 2, 1, 0], 3))}${list(at([0, 1, 2, 3, 0], 9))}` +
    `${walls.join('')}</gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod1Solid></bldg:Building>` +
    `</core:cityObjectMember>\n`
  );
}

const HEAD =
  '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:bldg="http://www.opengis.net/citygml' +
  '/building/2.0" xmlns:gml="http://www.opengis.net/gml" xmlns:gen="http://www.opengis.net/citygml/generics/2.0">' +
  '<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3">' +
  '<gml:lowerCorner>35 139 0</gml:lowerCorner><gml:upperCorner>37 141 99</gml:upperCorner></gml:Envelope>' +
  '</gml:boundedBy>\n';
const FOOT = '</core:CityModel>';
const PER_FILE = 2000;

/** Boxes beside each other, of which each hundredth reaches over its neighbour. */
function generatedCity(buildings: number, files: number): InspectSource {
  const perFile = Math.ceil(buildings / files);
  const columns = Math.ceil(Math.sqrt(buildings));
  return {
    name: '13100_generated_city_2024_citygml_1_op',
    files: Array.from({ length: files }, (_, i) => ({
      path: `udx/bldg/${53390000 + i}_bldg_6697_op.gml`,
      bytes: HEAD.length + perFile * 1800,
    })),
    async *text(path) {
      yield Buffer.from(HEAD);
      const first = (Number(path.slice(9, 17)) - 53390000) * perFile;
      for (let i = first; i < Math.min(first + perFile, buildings); i++) {
        yield Buffer.from(boxMember(i, (i % columns) - (i % 100 === 99 ? 0.2 : 0), Math.floor(i / columns)));
      }
      yield Buffer.from(FOOT);
    },
    has: () => false,
    member: async () => null,
  };
}

async function measureOverlaps(buildings: number): Promise<void> {
  const source = generatedCity(buildings, Math.ceil(buildings / PER_FILE));
  const checks = CHECKS.filter(({ code }) => code.startsWith('L-bldg-01') || code === 'bldg.lod0.overlap');
  const context = await openPackage(source);
  const files: Awaited<ReturnType<typeof inspectFile>>[] = [];
  const read = await seconds(async () => {
    for (const file of source.files) files.push(await inspectFile(file, source, checks, context, HOOKS));
  });
  const compared = await seconds(() => joinFiles(files, source, checks, context, HOOKS));
  const found = files.flatMap((file) => file.checks).reduce((sum, { errors }) => sum + errors, 0);
  report(`overlaps of ${buildings} buildings, reading`, `${read.toFixed(1)} s`, 'text generated on the way');
  report('comparing them', `${compared.toFixed(1)} s`, `${found} overlaps`);
}

async function measureMemory(megabytes: number): Promise<void> {
  const buildings = Math.ceil((megabytes * 1e6) / boxMember(1, 1, 1).length);
  const source = generatedCity(buildings, 1);
  const context = await openPackage(source);
  let most = 0;
  let text = 0;
  const hooks = {
    ...HOOKS,
    onText(bytes: number) {
      text += bytes;
      most = Math.max(most, process.memoryUsage.rss());
    },
  };
  const files: Awaited<ReturnType<typeof inspectFile>>[] = [];
  const used = await seconds(async () => {
    for (const file of source.files) files.push(await inspectFile(file, source, CHECKS, context, hooks));
    most = Math.max(most, process.memoryUsage.rss());
    await joinFiles(files, source, CHECKS, context, hooks);
    most = Math.max(most, process.memoryUsage.rss());
  });
  report(
    `one file of ${(text / 1e6).toFixed(0)} MB, all checks`,
    `${used.toFixed(0)} s`,
    `at most ${(most / 1e6).toFixed(0)} MB of memory`,
  );
}

if (values.city !== undefined) await measureOverlaps(Number(values.city));
else if (values.large !== undefined) await measureMemory(Number(values.large));
else {
  const paths = positionals.length > 0 ? positionals : [OSAKA];
  for (const path of paths) {
    if (existsSync(path)) await measureSpeeds(path);
    else console.log(`${path} is not here.`);
  }
}
