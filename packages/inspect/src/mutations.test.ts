/**
 * A package that holds is broken in one way: that check tells, and no other. What each finding and table says is
 * written down in `testing/findings.txt`; `RENEW_FINDINGS=1` writes it again, for a look at what changed.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHECKS } from './checks/index.ts';
import { htmlReport } from './report/html.ts';
import { type InspectReport, reportOf } from './report/report.ts';
import { officialFiles } from './report/tables.ts';
import { inspectFile, joinFiles } from './run/inspect-package.ts';
import { openPackage } from './run/open-package.ts';
import {
  BUILDINGS,
  box,
  cleanPackage,
  FIELDS,
  FLOOD,
  FURNITURE,
  idOf,
  OBJECTS,
  type Point,
  RELIEF,
  type Ring,
  ROADS,
  type Shapes,
  sourceOf,
} from './testing/clean-package.ts';

const HOOKS = { signal: new AbortController().signal, onText: () => {} };

/** Everything that a report of a package says. */
async function reportIn(members: ReadonlyMap<string, string>): Promise<InspectReport> {
  const source = sourceOf(members);
  const context = await openPackage(source, { objects: OBJECTS });
  const files = [];
  for (const file of source.files) files.push(await inspectFile(file, source, CHECKS, context, HOOKS));
  const ofPackage = await joinFiles(files, source, CHECKS, context, HOOKS);
  return reportOf({ name: source.name, context, objectsName: 'list', files, ofPackage, outside: [] });
}

/** Codes that found something, with the number of errors. */
const countsOf = ({ checks }: InspectReport): Record<string, number> =>
  Object.fromEntries(checks.filter(({ errors }) => errors > 0).map(({ code, errors }) => [code, errors]));

async function codesIn(members: ReadonlyMap<string, string>): Promise<Record<string, number>> {
  return countsOf(await reportIn(members));
}

/** All items of a report, and what it adds to the tables of a package that holds, a line each. */
function linesOf(report: InspectReport, usual: ReadonlySet<string>): string[] {
  const items = report.checks.flatMap(({ code, severity, items: all }) =>
    all.map(({ position, row, ...item }) => {
      // As exact as a tenth of a millimetre.
      const place = position && [position[0].toFixed(9), position[1].toFixed(9), position[2].toFixed(4)];
      return `${code} ${severity} ${JSON.stringify({ ...item, place, row })}`;
    }),
  );
  const shown = htmlReport(report).match(/<li>.*<\/li>/g) ?? [];
  return [...items, ...shown, ...tableLines(report).filter((line) => !usual.has(line))];
}

function tableLines(report: InspectReport): string[] {
  return [...officialFiles(report)].flatMap(({ name, text }) =>
    text.split(/\r?\n/).map((line) => `${name}: ${line.replace('\ufeff', '')}`),
  );
}

/** Replaces texts of a file, which must be there. */
function edited(path: string, ...edits: Array<[from: string | RegExp, to: string]>): Map<string, string> {
  const members = cleanPackage();
  let text = members.get(path)!;
  for (const [from, to] of edits) {
    assert.ok(typeof from === 'string' ? text.includes(from) : from.test(text), String(from));
    text = text.replace(from, to);
  }
  return members.set(path, text);
}

const renamed = (path: string, to: string): Map<string, string> => {
  const members = cleanPackage();
  members.set(to, members.get(path)!);
  members.delete(path);
  return members;
};

const reversed = (ring: Ring): Ring => ring.toReversed();
const moved = (ring: Ring, [east, north, up]: Point): Ring =>
  ring.map(([x, y, z]): Point => [x + east, y + north, z + up]);
const at = (faces: Ring[], index: number, change: (ring: Ring) => Ring): Ring[] =>
  faces.map((ring, i) => (i === index ? change(ring) : ring));
const without = (faces: Ring[], index: number): Ring[] => faces.filter((_, i) => i !== index);
/** All positions that are one corner, moved. */
const lifted = (faces: Ring[], corner: Point, up: number): Ring[] =>
  faces.map((ring) =>
    ring.map(
      (point): Point => (String(point) === String(corner) ? [point[0], point[1], point[2] + up] : point),
    ),
  );
/** The shape with a corner twice, the second a little further. */
const doubled = (ring: Ring, index: number, by: number): Ring =>
  ring.toSpliced(index + 1, 0, between(ring[index]!, ring[index + 1]!, by));

function between(from: Point, to: Point, by: number): Point {
  const length = Math.hypot(...from.map((value, axis) => to[axis]! - value));
  return from.map((value, axis) => value + ((to[axis]! - value) * by) / length) as Point;
}

const FIRST = idOf('bldg', 1);
const SECOND = idOf('bldg', 2);
const OTHER_ID = '<uro:buildingID>13104-bldg-2</uro:buildingID>';
const ROOF_CORNER: Point = [0, 0, 26];

const USAGES = 'codelists/Building_usage.xml';
const ID_ATTRIBUTE = '<uro:buildingIDAttribute>';
const IMAGE = '<app:imageURI>a/b.jpg</app:imageURI>';
const TEXTURED =
  '<app:appearanceMember><app:Appearance><app:surfaceDataMember><app:ParameterizedTexture>' +
  `${IMAGE}</app:ParameterizedTexture></app:surfaceDataMember></app:Appearance></app:appearanceMember>`;

/** A record of the flood of a river, whose codes are those of a list at hand. */
function flooded(depth: string, rank: string): string {
  const code = (name: string, value: string) =>
    `<uro:${name} codeSpace="../../codelists/Building_usage.xml">${value}</uro:${name}>`;
  return (
    `<uro:bldgDisasterRiskAttribute><uro:RiverFloodingRiskAttribute>${code('description', '411')}` +
    `${code('rank', rank)}<uro:depth uom="m">${depth}</uro:depth>${code('adminType', '411')}` +
    `${code('scale', '411')}</uro:RiverFloodingRiskAttribute></uro:bldgDisasterRiskAttribute>`
  );
}

/** The change, and the checks that tell of it with their errors. */
const MUTATIONS: ReadonlyArray<
  readonly [words: string, members: () => Map<string, string>, Record<string, number>]
> = [
  ['an end tag is missing', () => edited(BUILDINGS, ['</bldg:lod1Solid>', '']), { L01: 1 }],
  [
    'a prefix is not declared',
    () => edited(BUILDINGS, ['<bldg:measuredHeight', '<xx:a/><bldg:measuredHeight']),
    { L01: 1 },
  ],
  [
    'an element is unknown',
    () => edited(BUILDINGS, ['<bldg:measuredHeight', '<bldg:colour/><bldg:measuredHeight']),
    { L02: 1 },
  ],
  ['a number is a word', () => edited(BUILDINGS, ['>6<', '>six<']), { L02: 1 }],
  [
    'land use lies among buildings',
    () =>
      edited(BUILDINGS, [
        /<core:cityObjectMember>\n/,
        `<core:cityObjectMember><luse:LandUse gml:id="${idOf('bldg', 9)}"/></core:cityObjectMember>$&`,
      ]),
    { L03: 1 },
  ],
  [
    'a code is not in its list',
    () => edited(BUILDINGS, ['>411</bldg:usage>', '>999</bldg:usage>']),
    { L04: 1 },
  ],
  [
    'a code list is missing',
    () => edited(BUILDINGS, ['Building_class.xml', 'Building_klass.xml']),
    { codeSpace: 1 },
  ],
  ['a coordinate system is another', () => edited(BUILDINGS, ['EPSG/0/6697', 'EPSG/0/4979']), { L05: 1 }],
  ['the envelope is too low', () => edited(FURNITURE, ['139.695 60', '139.695 0.4']), { L06: 1 }],
  [
    'a reference leads to a feature',
    () =>
      edited(BUILDINGS, [
        '<core:creationDate>',
        `<gml:metaDataProperty xlink:href="#${FIRST}"/><core:creationDate>`,
      ]),
    { T03: 1 },
  ],
  [
    'a reference leads nowhere',
    () =>
      edited(BUILDINGS, [
        '<core:creationDate>',
        '<gml:metaDataProperty xlink:href="#nowhere"/><core:creationDate>',
      ]),
    { xlink: 1 },
  ],
  ['an id is in two features', () => edited(BUILDINGS, ['lod1_2_0', 'lod1_1_0']), { C01: 2, L02: 1 }],
  ['an id is in another file too', () => edited(ROADS, [idOf('area', 1), FIRST]), { C01: 2 }],
  [
    'an id is in upper case',
    () => edited(BUILDINGS, [SECOND, SECOND.replace('bldg_', 'bldg_A')]),
    { gmlid: 1 },
  ],
  [
    'a required attribute is missing',
    () => edited(BUILDINGS, ['<bldg:measuredHeight uom="m">6</bldg:measuredHeight>', '']),
    { C05: 1 },
  ],
  [
    'no feature has a target attribute',
    () => edited(BUILDINGS, [/<bldg:usage.*?<\/bldg:usage>/g, '']),
    { C06: 1 },
  ],
  [
    'a level has no source',
    () => edited(BUILDINGS, [/<uro:geometrySrcDescLod1.*?<\/uro:geometrySrcDescLod1>/, '']),
    // The schema asks for it as well.
    { C07: 1, L02: 1 },
  ],
  [
    'a public survey is not told',
    () => edited(BUILDINGS, ['>001</uro:geometrySrcDescLod1>', '>000</uro:geometrySrcDescLod1>']),
    { C08: 2 },
  ],
  [
    'two buildings have one building id',
    () => edited(BUILDINGS, ['<uro:buildingID>13104-bldg-1</uro:buildingID>', OTHER_ID]),
    { 'C-bldg-01': 2 },
  ],
  [
    'a building id has no number',
    () => edited(BUILDINGS, ['13104-bldg-1<', '13104-bldg-x<']),
    { 'bldg.id': 1 },
  ],
  [
    'a city is that of all wards',
    () => edited(BUILDINGS, ['>13104</uro:city>', '>13100</uro:city>']),
    { 'bldg.city': 1 },
  ],
  [
    'a use is there without the one before',
    () => edited(BUILDINGS, [/<uro:detailedUsage .*?<\/uro:detailedUsage>/, '']),
    { 'L-bldg-04-05': 1 },
  ],
  [
    'a boundary surface is not in the solid',
    () =>
      edited(BUILDINGS, [
        /<gml:surfaceMember xlink:href="#poly_1_0"\/>/,
        '$&<gml:surfaceMember xlink:href="#lod1_1_0"/>',
      ]),
    { 'L-bldg-06': 1, 'bldg.lod2.closed': 1 },
  ],
  [
    'an installation is a curve',
    () =>
      edited(BUILDINGS, [
        '<bldg:boundedBy>',
        `<bldg:outerBuildingInstallation><bldg:BuildingInstallation gml:id="${idOf('inst', 1)}"><bldg:lod2Geometry>` +
          `<gml:MultiCurve/></bldg:lod2Geometry></bldg:BuildingInstallation></bldg:outerBuildingInstallation>` +
          `<bldg:boundedBy>`,
      ]),
    // Two official rules say the same of installations.
    { 'T-bldg-02': 1, 'L-frn-01': 1 },
  ],
  [
    'a part has LOD 1',
    () => {
      const members = cleanPackage();
      const text = members.get(BUILDINGS)!;
      const own = /<bldg:lod1Solid>.*?<\/bldg:lod1Solid>/s.exec(text)![0].replaceAll('lod1_1', 'lod1_part');
      const part = `<bldg:BuildingPart gml:id="${idOf('part', 31)}">`;
      return members.set(
        BUILDINGS,
        text.replace(part, `${part}\n${own.replaceAll(' 20', ' 40').replaceAll(' 26', ' 46')}`),
      );
    },
    { 'bldg.part': 1 },
  ],
  [
    'parts are apart',
    () => cleanPackage({ part: (faces) => faces.map((ring) => moved(ring, [0.02, 0, 0])) }),
    { 'L-bldg-02': 2 },
  ],
  [
    'the file is of another mesh',
    () => renamed(BUILDINGS, BUILDINGS.replace('53394525', '53394526')),
    { 'bldg.mesh': 3 },
  ],
  [
    'LOD 0 has a point twice',
    () => cleanPackage({ lod0: (ring) => doubled(ring, 1, 0.004) }),
    { 'bldg.lod0.surface': 1 },
  ],
  [
    'LOD 0 is not closed',
    () => cleanPackage({ lod0: (ring) => ring.slice(0, -1) }),
    { 'bldg.lod0.surface': 1 },
  ],
  ['LOD 0 looks down', () => cleanPackage({ lod0: reversed }), { 'bldg.lod0.orientation': 1 }],
  [
    'LOD 0 is that of the neighbour',
    () => cleanPackage({ lod0: (ring) => moved(ring, [25, 0, 0]) }),
    { 'bldg.lod0.overlap': 1 },
  ],
  [
    'a corner of LOD 1 is lifted',
    () => cleanPackage({ lod1: (faces) => lifted(faces, ROOF_CORNER, 0.04) }),
    { 'bldg.lod1.boundary': 1 },
  ],
  [
    'a face of LOD 1 is dropped',
    () => cleanPackage({ lod1: (faces) => without(faces, 3) }),
    { 'bldg.lod1.closed': 1 },
  ],
  [
    'a face of LOD 1 is flipped',
    () => cleanPackage({ lod1: (faces) => at(faces, 2, reversed) }),
    { 'bldg.lod1.solid': 1 },
  ],
  [
    'LOD 1 is two boxes',
    () => cleanPackage({ lod1: (faces) => [...faces, ...box([13, 0, 20], 2, 2, 2)] }),
    { 'bldg.lod1.solid': 1 },
  ],
  [
    'LOD 1 reaches into the neighbour',
    () => cleanPackage({ lod1: (faces) => faces.map((ring) => moved(ring, [25, 1, 1])) }),
    { 'L-bldg-01.lod1': 1 },
  ],
  [
    'a corner of LOD 2 is lifted',
    () => cleanPackage({ lod2: (faces) => lifted(faces, ROOF_CORNER, 0.04) }),
    { 'bldg.lod2.boundary': 1 },
  ],
  [
    'a face of LOD 2 is dropped',
    () => cleanPackage({ lod2: (faces) => without(faces, 4) }),
    { 'bldg.lod2.closed': 1 },
  ],
  [
    'a face of LOD 2 is flipped',
    () => cleanPackage({ lod2: (faces) => at(faces, 1, reversed) }),
    { 'bldg.lod2.solid': 1 },
  ],
  ['a triangle of relief looks down', () => cleanPackage({ triangle: reversed }), { 'dem.orientation': 1 }],
  [
    'a triangle of relief lacks a point',
    () => cleanPackage({ triangle: (ring) => ring.toSpliced(1, 1) }),
    { 'dem.vertices': 1 },
  ],
  [
    'a triangle of relief is open',
    () => cleanPackage({ triangle: (ring) => [...ring.slice(0, 3), moved(ring, [0, 0, 1])[3]!] }),
    { 'dem.unclosed': 1 },
  ],
  ['a flood looks down', () => cleanPackage({ flood: reversed }), { 'fld.orientation': 1 }],
  [
    'a flood has a point more',
    () => cleanPackage({ flood: (ring) => doubled(ring, 1, 1) }),
    { 'fld.vertices': 1 },
  ],
  ['a field looks down', () => cleanPackage({ field: reversed }), { 'luse.orientation': 1 }],
  [
    'a field has a point twice',
    () => cleanPackage({ field: (ring) => doubled(ring, 2, 0.005) }),
    { 'luse.surface': 1 },
  ],
  ['a lane is not referred to', () => edited(ROADS, ['#lane_1', '#lane_2']), { 'L-tran-03': 1, xlink: 1 }],
  [
    'a road reaches over its neighbour',
    () => cleanPackage({ road: (ring) => ring.map(([x, y, z]): Point => [x > 1 ? x + 3 : x, y, z]) }),
    // Both roads, at LOD 1 and at LOD 2.
    { 'L-tran-02': 4 },
  ],
  ['a bench lacks a face', () => cleanPackage({ bench: (faces) => without(faces, 1) }), { 'frn.closed': 1 }],
  [
    'a bench is a curve',
    () => edited(FURNITURE, [/<gml:Solid>.*<\/gml:Solid>/s, '<gml:MultiCurve/>']),
    { 'frn.geometry-type': 1, 'L-frn-01': 1 },
  ],
  [
    'a field lies in the next city',
    () => edited(FIELDS, [/35\.68(?=\d{5})/g, '35.98'], ['35.686 ', '35.6 '], ['35.69 ', '36 ']),
    { 'own.place': 1 },
  ],
  ['a building is higher than any', () => edited(BUILDINGS, ['>6<', '>6000<']), { 'own.height': 1 }],
  [
    'a flood is above Mount Fuji',
    () => edited(FLOOD, [/ 3(?= |<)/g, ' 30000'], ['139.695 60', '139.695 90000']),
    { 'own.height': 1 },
  ],
  [
    'a texture is missing, named twice',
    () => edited(BUILDINGS, ['\n</core:CityModel>', `\n${TEXTURED.repeat(2)}</core:CityModel>`]),
    { 'own.texture': 1 },
  ],
  [
    'records of a flood differ in depth',
    () => edited(BUILDINGS, [ID_ATTRIBUTE, `${flooded('1', '411')}${flooded('2', '411')}${ID_ATTRIBUTE}`]),
    { 'own.flood': 1 },
  ],
  [
    'records of a flood differ in rank',
    () => edited(BUILDINGS, [ID_ATTRIBUTE, `${flooded('1', '411')}${flooded('1', '412')}${ID_ATTRIBUTE}`]),
    { 'own.flood': 1 },
  ],
  [
    'a depth is not that of its rank',
    () => {
      const members = edited(BUILDINGS, [ID_ATTRIBUTE, `${flooded('4', '412')}${ID_ATTRIBUTE}`]);
      const list = members.get(USAGES)!;
      const at = list.lastIndexOf('words');
      return members.set(USAGES, `${list.slice(0, at)}0.5m以上3m未満${list.slice(at + 'words'.length)}`);
    },
    { 'own.flood': 1 },
  ],
  [
    'a flood and a field are sound',
    () => edited(FLOOD, ['\n</core:CityModel>', '\n<!-- end -->\n</core:CityModel>']),
    {},
  ],
  [
    'a comment says something',
    () => edited(FIELDS, ['\n</core:CityModel>', '\n<!-- end -->\n</core:CityModel>']),
    {},
  ],
  ['relief has blanks', () => edited(RELIEF, ['<gml:posList>', '<gml:posList>\n   ']), {}],
];

test('the package holds', async () => {
  assert.deepEqual(await codesIn(cleanPackage()), {});
});

const FINDINGS = join(import.meta.dirname, 'testing/findings.txt');
const written: string[] = [];
/** Lines of the tables of a package that holds. */
let usual: Set<string> | null = null;

for (const [words, members, expected] of MUTATIONS) {
  test(`${words}: ${Object.keys(expected).join(', ') || 'nothing'}`, async () => {
    const report = await reportIn(members());
    assert.deepEqual(countsOf(report), expected);
    usual ??= new Set(tableLines(await reportIn(cleanPackage())));
    written.push(`# ${words}`, ...linesOf(report, usual));
  });
}

test('findings and tables say what is written down', async () => {
  const text = `${['# the package holds', ...tableLines(await reportIn(cleanPackage())), ...written].join('\n')}\n`;
  if (process.env.RENEW_FINDINGS === '1') writeFileSync(FINDINGS, text);
  const [now, then] = [text, readFileSync(FINDINGS, 'utf8')].map((all) => all.split('\n'));
  // Only what differs: the whole is long.
  const [added, gone] = [
    now!.filter((line) => !then!.includes(line)),
    then!.filter((line) => !now!.includes(line)),
  ];
  assert.deepEqual({ added, gone }, { added: [], gone: [] });
  assert.ok(text === then!.join('\n'), 'lines stand in another order');
});

const RUNS = { numRuns: 25 };
const faceOf = fc.integer({ min: 0, max: 5 });
const level = fc.constantFrom('lod1', 'lod2');
const roofCorner = fc.constantFrom<Point[]>([0, 0, 26], [10, 0, 26], [10, 8, 26], [0, 8, 26]);

const holds = (shapes: Shapes, expected: Record<string, number>) =>
  codesIn(cleanPackage(shapes)).then((found) => assert.deepEqual(found, expected));

test('any face that is dropped, any face that is flipped', async () => {
  const change = fc.constantFrom('dropped', 'flipped');
  await fc.assert(
    fc.asyncProperty(level, faceOf, change, (lod, face, how) =>
      how === 'dropped'
        ? holds({ [lod]: (faces: Ring[]) => without(faces, face) }, { [`bldg.${lod}.closed`]: 1 })
        : holds({ [lod]: (faces: Ring[]) => at(faces, face, reversed) }, { [`bldg.${lod}.solid`]: 1 }),
    ),
    RUNS,
  );
});

test('any corner that is lifted: by more than 3 cm the roof is no plane, by less it is', async () => {
  const lift = fc.oneof(
    fc.double({ min: 0, max: 0.029, noNaN: true }),
    fc.double({ min: 0.031, max: 2, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(level, roofCorner, lift, (lod, corner, up) =>
      holds(
        { [lod]: (faces: Ring[]) => lifted(faces, corner, up) },
        up > 0.03 ? { [`bldg.${lod}.boundary`]: 1 } : {},
      ),
    ),
    RUNS,
  );
});

test('any point that is doubled: nearer than 9.9 mm it is the same', async () => {
  const distance = fc.oneof(
    fc.double({ min: 1e-4, max: 0.0098, noNaN: true }),
    fc.double({ min: 0.01, max: 1, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3 }), distance, (index, by) =>
      holds({ lod0: (ring) => doubled(ring, index, by) }, by < 0.0099 ? { 'bldg.lod0.surface': 1 } : {}),
    ),
    RUNS,
  );
});
