/** What features are made of that does not stand in them: templates, other features, other files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf } from '@citymodel/citygml';
import { eastNorthUp, ecefToGeodetic, transformPoint } from '@citymodel/geo/testing';
import { contentOf, makeVectorTiles } from '../vector/testing/made-tiles.ts';
import { checkPackage, farthestFrom, finestFeatures } from './testing/check-package.ts';
import { convertGml, geoidOffset } from './testing/convert-gml.ts';
import { building, fixture, polygon, position, type Ring, solid } from './testing/fixture-gml.ts';

const FRN = 'udx/frn/53394525_frn_6697_op.gml';
const SQUR = 'udx/squr/53394525_squr_6697_op.gml';
const TRAN = 'udx/tran/53394525_tran_6697_op.gml';

/** A wedge of 4 by 2 metres and 6 m height, in metres of its own. */
const CORNERS = [
  [0, 0, 0],
  [4, 0, 0],
  [0, 2, 0],
  [0, 0, 6],
] as const;
const FACES = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
];
const face = (numbers: number[]) =>
  `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>` +
  `${[...numbers, numbers[0]!].map((i) => CORNERS[i]!.join(' ')).join(' ')}</gml:posList></gml:LinearRing>` +
  `</gml:exterior></gml:Polygon></gml:surfaceMember>`;
const WEDGE = `<gml:MultiSurface gml:id="wedge" srsName="EPSG:25832">${FACES.map(face).join('')}</gml:MultiSurface>`;
const INLINE = `<core:relativeGMLGeometry>${WEDGE}</core:relativeGMLGeometry>`;
const REFERENCE = '<core:relativeGMLGeometry xlink:href="#wedge"/>';
/** Turned left by a quarter, twice as large, and a metre up. */
const MATRIX = '0 -2 0 0  2 0 0 0  0 0 2 1  0 0 0 1';

const furniture = (id: string, template: string, point: string, matrix = '', srsName = '') =>
  `<core:cityObjectMember><frn:CityFurniture gml:id="${id}"><frn:lod1ImplicitRepresentation><core:ImplicitGeometry>${
    matrix && `<core:transformationMatrix>${matrix}</core:transformationMatrix>`
  }${template}<core:referencePoint><gml:Point${srsName && ` srsName="${srsName}"`}><gml:pos>${point}</gml:pos>\
</gml:Point></core:referencePoint></core:ImplicitGeometry></frn:lod1ImplicitRepresentation></frn:CityFurniture>\
</core:cityObjectMember>`;

/** Where a corner is that lies metres east, north and above of a place of the fixture; furniture is lifted by 3 mm. */
function cornerAt(
  place: readonly [number, number, number],
  corner: readonly [number, number, number],
): [number, number, number] {
  const [lat, lng, height] = position(place).split(' ').map(Number) as [number, number, number];
  const radians = Math.PI / 180;
  const frame = eastNorthUp(lng * radians, lat * radians, height + geoidOffset(lng, lat) + 0.003);
  const [atLng, atLat, atHeight] = ecefToGeodetic(transformPoint(frame, corner));
  return [atLng / radians, atLat / radians, atHeight];
}

test('a template stands at each of its places, wherever in the file it is', async () => {
  const crs = crsOf('EPSG:6677')!;
  const [lat, lng] = position([100, 50, 0]).split(' ').map(Number) as [number, number];
  const [east, north] = crs.toPlane(lng, lat);
  const { packages, issues } = await convertGml([
    fixture(
      [
        furniture('before', REFERENCE, position([30, 20, 5])),
        furniture('inline', INLINE, position([0, 0, 0])),
        furniture('turned', REFERENCE, position([60, 0, 3]), MATRIX),
        furniture(
          'projected',
          REFERENCE,
          `${north} ${east} 7`,
          '',
          'urn:ogc:def:crs,crs:EPSG::6677,crs:EPSG::6695',
        ),
      ],
      { path: FRN },
    ),
  ]);
  assert.deepEqual(issues, []);
  const features = finestFeatures(await checkPackage(packages.get('frn_3dtiles_lod1')!));
  const expected: Record<string, Array<[number, number, number]>> = {
    before: CORNERS.map((corner) => cornerAt([30, 20, 5], corner)),
    inline: CORNERS.map((corner) => cornerAt([0, 0, 0], corner)),
    turned: CORNERS.map(([x, y, z]) => cornerAt([60, 0, 3], [-2 * y, 2 * x, 2 * z + 1])),
    projected: CORNERS.map(([x, y, z]) => {
      const [atLng, atLat] = crs.toLngLat(north + y, east + x);
      return [atLng, atLat, z + 7 + geoidOffset(atLng, atLat) + 0.003];
    }),
  };
  assert.deepEqual(features.map(({ row }) => row.gml_id).sort(), Object.keys(expected).sort());
  for (const { row, vertices } of features) {
    const corners = expected[row.gml_id as string]!;
    assert.ok(farthestFrom(corners, vertices) < 0.015, `${row.gml_id}: ${farthestFrom(corners, vertices)} m`);
    assert.equal(vertices.length, 12, 'four faces of three corners');
    // Attributes have the extent of what stands in the feature itself: its place.
    const { _bbox } = JSON.parse(row.attributes as string);
    assert.deepEqual(_bbox.min, _bbox.max, `${row.gml_id}`);
  }
});

const square = (x: number): Ring => [
  [x, 0, 0],
  [x + 10, 0, 0],
  [x + 10, 10, 0],
  [x, 10, 0],
];
const multiSurface = (lod: number, members: string) =>
  `<tran:lod${lod}MultiSurface><gml:MultiSurface>${members}</gml:MultiSurface></tran:lod${lod}MultiSurface>`;
const road =
  `<core:cityObjectMember><tran:Road gml:id="road">` +
  `${multiSurface(1, polygon([square(0)], 'p') + polygon([square(20)], 'q'))}</tran:Road></core:cityObjectMember>`;
const plaza = (...references: string[]) =>
  `<core:cityObjectMember><tran:Square gml:id="plaza">` +
  `${multiSurface(1, references.map((href) => `<gml:surfaceMember xlink:href="${href}"/>`).join(''))}` +
  `</tran:Square></core:cityObjectMember>`;

test('a square is made of the surfaces of roads in another file', async () => {
  const roads: Buffer[] = [];
  for await (const chunk of fixture([road], { path: TRAN }).text()) roads.push(Buffer.from(chunk));
  const files = { [TRAN]: Buffer.concat(roads) };
  const references = ['../tran/53394525_tran_6697_op.gml#p', '../tran/53394525_tran_6697_op.gml#q'];
  const source = fixture([plaza(...references)], { path: SQUR, files });
  const { packages, issues } = await makeVectorTiles([source]);
  assert.deepEqual(issues, []);
  const area = contentOf(packages.get('squr_mvt_lod1')!, 16).get('Square')!.areas.get('plaza')!;
  assert.ok(Math.abs(area - 200) < 4, `${area} m²`);
});

test('a wall that two buildings share stands in one of them', async () => {
  const wall = polygon([square(0)], 'shared');
  const { packages, issues } = await convertGml([
    fixture([
      building('a', solid(1, ['<gml:surfaceMember xlink:href="#shared"/>', polygon([square(40)])])),
      building('b', solid(1, [wall])),
    ]),
  ]);
  assert.deepEqual(issues, []);
  const areas = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!)).map(
    ({ row, area }) => [row.gml_id, Math.round(area / 20)] as const,
  );
  assert.deepEqual(areas.sort(), [
    ['a', 10],
    ['b', 5],
  ]);
});

test('references in a circle over several features end', async () => {
  const circle = (id: string, next: string) =>
    building(
      id,
      solid(1, [
        `<gml:surfaceMember><gml:CompositeSurface gml:id="c${id}"><gml:surfaceMember xlink:href="#c${next}"/>` +
          `${polygon([square(0)])}</gml:CompositeSurface></gml:surfaceMember>`,
      ]),
    );
  const { packages } = await convertGml([fixture([circle('a', 'b'), circle('b', 'c'), circle('c', 'a')])]);
  const features = finestFeatures(await checkPackage(packages.get('bldg_3dtiles_lod1')!));
  assert.deepEqual(features.map(({ row }) => row.gml_id).sort(), ['a', 'b', 'c']);
});
