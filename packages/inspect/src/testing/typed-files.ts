/** Files of specification 4 with one feature of a type and few shapes, for tests of the rules of each type. */

import type { ObjectList } from '../check.ts';
import { CHECKS } from '../checks/index.ts';
import type { InspectReport } from '../report/report.ts';
import { reportOf } from '../report/report.ts';
import { inspectFile, joinFiles } from '../run/inspect-package.ts';
import { openPackage } from '../run/open-package.ts';
import { box, cleanPackage, type Point, type Ring, sourceOf } from './clean-package.ts';

/** South-west corner of the shapes, and metres of a degree there. */
const [SOUTH, WEST] = [35.687, 139.692];
const [NORTHWARD, EASTWARD] = [110_950, 90_480];

export const posList = (ring: Ring) =>
  `<gml:posList>${ring
    .map(([east, north, up]) =>
      [(SOUTH + north / NORTHWARD).toFixed(12), (WEST + east / EASTWARD).toFixed(12), up].join(' '),
    )
    .join(' ')}</gml:posList>`;

const linearRing = (ring: Ring) => `<gml:LinearRing>${posList(ring)}</gml:LinearRing>`;

/** A polygon of an exterior, with holes and a gml:id or without. */
export const polygon = (exterior: Ring, holes: Ring[] = [], id = '') =>
  `<gml:Polygon${id === '' ? '' : ` gml:id="${id}"`}><gml:exterior>${linearRing(exterior)}</gml:exterior>` +
  `${holes.map((hole) => `<gml:interior>${linearRing(hole)}</gml:interior>`).join('')}</gml:Polygon>`;

const members = (polygons: string[]) =>
  polygons.map((one) => `<gml:surfaceMember>${one}</gml:surfaceMember>`).join('');
export const multiSurface = (...polygons: string[]) =>
  `<gml:MultiSurface>${members(polygons)}</gml:MultiSurface>`;
export const composite = (...polygons: string[]) =>
  `<gml:CompositeSurface>${members(polygons)}</gml:CompositeSurface>`;
/** A solid of faces, with a hollow of faces or without. */
export const solid = (faces: Ring[], hollow: Ring[] = []) =>
  `<gml:Solid><gml:exterior>${composite(...faces.map((face) => polygon(face)))}</gml:exterior>` +
  (hollow.length === 0
    ? ''
    : `<gml:interior>${composite(...hollow.map((face) => polygon(face)))}</gml:interior>`) +
  '</gml:Solid>';

export const reversed = (ring: Ring): Ring => ring.toReversed();
export const boxOf = (height = 5): Ring[] => box([0, 0, 5], 10, 10, height);
export const without = (faces: Ring[], index: number): Ring[] => faces.filter((_, i) => i !== index);
export const flipped = (faces: Ring[], index: number): Ring[] =>
  faces.map((ring, i) => (i === index ? reversed(ring) : ring));

const at = (...points: Point[]): Ring => points;
/** Rings with one fault each. */
export const BOW = at([0, 0, 5], [10, 10, 5], [10, 0, 5], [0, 10, 5], [0, 0, 5]);
export const BENT = at([0, 0, 5], [10, 0, 5], [10, 10, 5.2], [0, 10, 5], [0, 0, 5]);
export const DOUBLED = at([0, 0, 5], [10, 0, 5], [10.005, 0, 5], [10, 10, 5], [0, 10, 5], [0, 0, 5]);

const MODULES = [
  ...['bldg/building', 'dem/relief', 'wtr/waterbody', 'luse/landuse', 'tran/transportation', 'brid/bridge'],
  ...['frn/cityfurniture', 'veg/vegetation', 'tun/tunnel', 'gen/generics', 'grp/cityobjectgroup'],
  'app/appearance',
].map((one) => one.split('/') as [string, string]);
const NAMESPACES = [
  ['core', 'http://www.opengis.net/citygml/2.0'],
  ['gml', 'http://www.opengis.net/gml'],
  ['xlink', 'http://www.w3.org/1999/xlink'],
  ['uro', 'https://www.geospatial.jp/iur/uro/3.1'],
  ['urf', 'https://www.geospatial.jp/iur/urf/3.1'],
  ...MODULES.map(([prefix, name]) => [prefix, `http://www.opengis.net/citygml/${name}/2.0`]),
];

/** A file of features in a system by its EPSG code. */
export function cityModel(
  features: string[],
  epsg = 6697,
  envelope = ['35.686 139.69 0', '35.69 139.695 60'],
) {
  const [lower, upper] = envelope;
  return (
    `<core:CityModel ${NAMESPACES.map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`).join(' ')}>\n` +
    `<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/${epsg}" srsDimension="3">` +
    `<gml:lowerCorner>${lower}</gml:lowerCorner><gml:upperCorner>${upper}</gml:upperCorner></gml:Envelope>` +
    `</gml:boundedBy>\n${features
      .map((feature) => `<core:cityObjectMember>${feature}</core:cityObjectMember>`)
      .join('\n')}\n</core:CityModel>\n`
  );
}

/** Path of the file of a folder. */
export const pathOf = (folder: string) => `udx/${folder}/53394525_${folder}_6697_op.gml`;

/** What is found in files, by the rules of specification 4 unless said; their schemas and our own rules left out. */
export async function inspected(
  files: Readonly<Record<string, string>>,
  options: { spec?: 4 | 6; plane?: number; objects?: ObjectList } = {},
): Promise<InspectReport> {
  const lists = [...cleanPackage()].filter(([path]) => path.startsWith('codelists/'));
  const source = sourceOf(new Map([...lists, ...Object.entries(files)]));
  const context = await openPackage(source, { spec: 4, plane: 6677, ...options });
  const checks = CHECKS.filter(({ code, isOwn }) => code !== 'L02' && isOwn !== true);
  const hooks = { signal: new AbortController().signal, onText: () => {} };
  const results = [];
  for (const file of source.files) results.push(await inspectFile(file, source, checks, context, hooks));
  const ofPackage = await joinFiles(results, source, checks, context, hooks);
  const { name } = source;
  return reportOf({ name, context, objectsName: null, files: results, ofPackage, outside: [], checks });
}

/** Codes that found something, with the number of errors. */
export const countsOf = ({ checks }: InspectReport): Record<string, number> =>
  Object.fromEntries(checks.filter(({ errors }) => errors > 0).map(({ code, errors }) => [code, errors]));
