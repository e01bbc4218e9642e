/** Geometry of a feature, in each form that GML has for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxSides, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { at, furniture, LINE, lists, read, sides, square } from '../testing/read-geometry.ts';
import { standingGeometry } from './feature-geometry.ts';

test('a solid has shells of surfaces, the exterior first', () => {
  const inner = boxSides([139.4, 35.4, 6], [139.6, 35.6, 8]).map((side) => polygon([side]));
  const interior =
    `<gml:interior><gml:CompositeSurface>` +
    `${inner.map((p) => `<gml:surfaceMember>${p}</gml:surfaceMember>`).join('')}</gml:CompositeSurface>` +
    `</gml:interior>`;
  const xml = solid(sides.map((side) => polygon([side]))).replace('<gml:Solid>', `<gml:Solid>${interior}`);
  const { solids, surfaces, flat } = furniture(xml);
  assert.deepEqual(
    solids.map((shells) => shells.map((shell) => shell.length)),
    [[6, 6]],
  );
  assert.equal(surfaces.length, 0);
  assert.equal(flat, false);
  assert.deepEqual([...solids[0]![0]![0]!.rings[0]!], sides[0]!.flat());
});

test('a position beyond a pole or the meridian of 180 degrees is none', () => {
  const pointsAt = (position: string) =>
    read(
      `<frn:CityFurniture><frn:lod1Geometry><gml:Point><gml:pos>${position}</gml:pos></gml:Point>` +
        '</frn:lod1Geometry></frn:CityFurniture>',
    ).flatMap(({ points }) => lists(points));
  assert.deepEqual(pointsAt('90 180 1'), [[180, 90, 1]]);
  assert.deepEqual(pointsAt('-90 -180 1'), [[-180, -90, 1]]);
  for (const position of ['90.5 139 1', '-90.5 139 1', '35 180.5 1', '35 -180.5 1'])
    assert.deepEqual(pointsAt(position).flat(), [], position);
});

test('polygons with holes, composite and oriented surfaces, patches', () => {
  const hole = square.map(
    ([x, y, z]) => [139.5 + (x - 139.5) / 2, 35.5 + (y - 35.5) / 2, z] as [number, number, number],
  );
  const one = furniture(
    multiSurface([
      polygon([square, hole]),
      `<gml:CompositeSurface><gml:surfaceMember>${polygon([square])}</gml:surfaceMember></gml:CompositeSurface>`,
      `<gml:OrientableSurface orientation="-"><gml:baseSurface>${polygon([square])}</gml:baseSurface>` +
        `</gml:OrientableSurface>`,
      `<gml:OrientableSurface orientation="-"><gml:baseSurface><gml:OrientableSurface orientation="-">` +
        `<gml:baseSurface>${polygon([square])}</gml:baseSurface></gml:OrientableSurface></gml:baseSurface>` +
        `</gml:OrientableSurface>`,
      `<gml:Surface><gml:patches>${polygon([square]).replaceAll('gml:Polygon', 'gml:PolygonPatch')}</gml:patches>` +
        `</gml:Surface>`,
    ]),
  );
  const rings = one.surfaces.map((surface) => lists(surface.rings));
  assert.deepEqual(rings[0], [square.flat(), hole.flat()]);
  assert.deepEqual(rings[1], [square.flat()]);
  assert.deepEqual(rings[2], [square.toReversed().flat()]);
  assert.deepEqual(rings[3], [square.flat()]);
  assert.deepEqual(rings[4], [square.flat()]);
});

test('a relief is its triangles at the level it states; its extent comes second', () => {
  const triangle = (z: number) =>
    polygon([
      [
        [139, 35, z],
        [140, 35, z],
        [140, 36, z],
      ],
    ]).replaceAll('gml:Polygon', 'gml:Triangle');
  const geometries =
    read(`<dem:ReliefFeature><dem:lod>2</dem:lod><dem:reliefComponent><dem:TINRelief><dem:lod>1</dem:lod>
    <dem:extent>${polygon([square])}</dem:extent>
    <dem:tin><gml:TriangulatedSurface><gml:trianglePatches>${triangle(1)}${triangle(2)}</gml:trianglePatches>\
</gml:TriangulatedSurface></dem:tin>
    </dem:TINRelief></dem:reliefComponent></dem:ReliefFeature>`);
  const standing = standingGeometry(geometries);
  assert.deepEqual(
    standing.map((one) => one.property),
    ['dem:tin'],
  );
  assert.equal(standing[0]!.surfaces.length, 2);
});

test('curves and points of every form', () => {
  const segment =
    '<gml:LineStringSegment><gml:pos>35 139 1</gml:pos><gml:pos>36 140 2</gml:pos></gml:LineStringSegment>';
  for (const curve of [
    LINE,
    `<gml:Curve><gml:segments>${segment}</gml:segments></gml:Curve>`,
    `<gml:MultiCurve><gml:curveMember>${LINE}</gml:curveMember></gml:MultiCurve>`,
    `<gml:CompositeCurve><gml:curveMember>${LINE}</gml:curveMember></gml:CompositeCurve>`,
    `<gml:GeometricComplex><gml:element>${LINE}</gml:element></gml:GeometricComplex>`,
    '<gml:LineString><gml:coordinates>35,139,1 36,140,2</gml:coordinates></gml:LineString>',
    '<gml:LineString><gml:coordinates decimal="," cs=";" ts="|">35,0;139;1|36;140;2</gml:coordinates></gml:LineString>',
  ]) {
    assert.deepEqual(lists(furniture(curve).lines), [[139, 35, 1, 140, 36, 2]], curve);
  }
  const point = '<gml:Point><gml:pos>35 139 1</gml:pos></gml:Point>';
  assert.deepEqual(lists(furniture(point).points), [[139, 35, 1]]);
  assert.deepEqual(
    lists(
      furniture(
        `<gml:MultiPoint><gml:pointMember>${point}</gml:pointMember><gml:pointMembers>${point}${point}` +
          `</gml:pointMembers></gml:MultiPoint>`,
      ).points,
    ),
    [
      [139, 35, 1],
      [139, 35, 1],
      [139, 35, 1],
    ],
  );
});

test('a ring of several curves, and repeated positions', () => {
  const line = (list: string) =>
    `<gml:curveMember><gml:LineString><gml:posList>${list}</gml:posList></gml:LineString></gml:curveMember>`;
  const one = furniture(
    `<gml:Polygon><gml:exterior><gml:Ring>${line('35 139 1 35 140 1 35 140 1')}${line('35 140 1 36 140 1 36 139 1')}` +
      `${line('36 139 1 35 139 1')}</gml:Ring></gml:exterior></gml:Polygon>`,
  );
  assert.deepEqual(lists(one.surfaces[0]!.rings), [square.flat()]);
});

test('what cannot be placed is passed over', () => {
  for (const geometry of [
    '<gml:Point srsName="EPSG:32800"><gml:pos>1 2 3</gml:pos></gml:Point>',
    '<gml:Point><gml:pos>a b c</gml:pos></gml:Point>',
    '<gml:Point><gml:pos>1</gml:pos></gml:Point>',
    '<gml:Point/>',
    '<gml:Point><gml:pos>139 95 1</gml:pos></gml:Point>',
    '<gml:LineString><gml:posList>35 139 1</gml:posList></gml:LineString>',
    '<gml:MultiSurface><gml:surfaceMember xlink:href="#gone"/></gml:MultiSurface>',
    '<gml:Solid/>',
    '<gml:Solid><gml:exterior/></gml:Solid>',
    '<gml:MultiSurface><gml:surfaceMember xlink:href="other.gml#x"/></gml:MultiSurface>',
    '<gml:MultiSurface gml:id="me"><gml:surfaceMember xlink:href="#me"/></gml:MultiSurface>',
    polygon([
      [
        [139, 35, 1],
        [140, 35, 1],
      ],
    ]),
  ]) {
    assert.deepEqual(
      read(`<frn:CityFurniture><frn:lod1Geometry>${geometry}</frn:lod1Geometry></frn:CityFurniture>`),
      [],
      geometry,
    );
  }
});

test('numbers are decimal, as they are for the index', () => {
  const of = (posList: string) =>
    read(
      `<frn:CityFurniture><frn:lod1Geometry><gml:LineString><gml:posList>${posList}</gml:posList></gml:LineString>` +
        `</frn:lod1Geometry></frn:CityFurniture>`,
    ).length;
  assert.equal(of('35 139 1 36 140 +2.5e0'), 1);
  for (const wrong of ['0x10', 'Infinity', '\u30002', '2,', '1_0', `2.${'0'.repeat(100)}`]) {
    assert.equal(of(`35 139 1 36 140 ${wrong}`), 0, wrong);
  }
});

test('elements of an unknown namespace are no geometry, whatever its prefix', () => {
  const line = LINE.replace('<gml:LineString', '<gml:LineString xmlns:gml="http://example.com/not-gml"');
  assert.deepEqual(
    read(`<frn:CityFurniture><frn:lod1Geometry>${line}</frn:lod1Geometry></frn:CityFurniture>`),
    [],
  );
});

test('an implicit geometry is the point where it stands', () => {
  const [one] = read(`<frn:CityFurniture><frn:lod3ImplicitRepresentation><core:ImplicitGeometry>
    <core:transformationMatrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</core:transformationMatrix>
    <core:relativeGMLGeometry>${polygon([square])}</core:relativeGMLGeometry>
    <core:referencePoint><gml:Point><gml:pos>35 139 4</gml:pos></gml:Point></core:referencePoint>
    </core:ImplicitGeometry></frn:lod3ImplicitRepresentation></frn:CityFurniture>`);
  assert.equal(one!.lod, 3);
  assert.deepEqual(lists(one!.points), [[139, 35, 4]]);
  assert.equal(one!.surfaces.length, 0);
});

test('a polygon has one exterior, and interiors after it whatever their order', () => {
  const ring = (name: string, at: number) =>
    `<gml:${name}><gml:LinearRing><gml:posList>35 ${at} 1 36 ${at} 1 36 ${at + 0.5} 1 35 ${at} 1</gml:posList>` +
    `</gml:LinearRing></gml:${name}>`;
  const found = furniture(
    `<gml:Polygon>${ring('interior', 139.1)}${ring('exterior', 139)}${ring('exterior', 138)}` +
      `${ring('innerBoundaryIs', 139.2)}</gml:Polygon>`,
  );
  assert.deepEqual(
    found.surfaces[0]!.rings.map((positions) => positions[0]),
    [139, 139.1, 139.2],
  );
});

test('a line may name its positions point by point', () => {
  const point = (lat: number) => `<gml:Point><gml:pos>${lat} 139 5</gml:pos></gml:Point>`;
  for (const content of [
    `<gml:pointProperty>${point(35)}</gml:pointProperty><gml:pointProperty>${point(36)}</gml:pointProperty>`,
    `<gml:pointRep>${point(35)}</gml:pointRep><gml:pos>36 139 5</gml:pos>`,
    `${point(35)}${point(36)}<gml:pointProperty/><gml:other>${point(37)}</gml:other>`,
  ]) {
    assert.deepEqual(lists(furniture(`<gml:LineString>${content}</gml:LineString>`).lines), [
      [139, 35, 5, 139, 36, 5],
    ]);
  }
});

test('geometry is read through sixty elements, and no deeper', () => {
  const nested = (depth: number) =>
    `${'<gml:MultiGeometry>'.repeat(depth)}${polygon([square])}${'</gml:MultiGeometry>'.repeat(depth)}`;
  // The ring lies one below the polygon.
  assert.deepEqual(
    [59, 60].map((depth) => furniture(nested(depth))?.surfaces.length ?? 0),
    [1, 0],
  );
});

test('of a line of single positions those that cannot be placed are left out', () => {
  const pos = (text: string) => `<gml:pos>${text}</gml:pos>`;
  const { lines } = furniture(
    `<gml:LineString>${pos('35 139 1')}${pos('a b c')}${pos('35')}${pos('36 140 2')}</gml:LineString>`,
  );
  assert.deepEqual(lists(lines), [[139, 35, 1, 140, 36, 2]]);
});

test('a ring says which of its written positions it keeps', () => {
  const ring = (list: string) =>
    furniture(
      `<gml:Polygon><gml:exterior><gml:LinearRing gml:id="r"><gml:posList>${list}</gml:posList></gml:LinearRing>` +
        `</gml:exterior></gml:Polygon>`,
    ).surfaces[0]!;
  const [a, b, c, d] = ['35 139 1', '35 140 1', '36 140 1', '36 139 1'];
  const keptOf = (...positions: Array<string | undefined>) => {
    const { rings, written } = ring(positions.join(' '));
    const { id, positions: count, kept } = written[0]!;
    assert.equal(id, 'r');
    assert.equal(count, positions.length);
    assert.deepEqual(lists(rings), [square.flat()]);
    return kept && [...kept];
  };
  assert.equal(keptOf(a, b, c, d, a), null);
  assert.equal(keptOf(a, b, c, d), null);
  assert.deepEqual(keptOf(a, b, b, c, d, a), [0, 1, 3, 4]);
  assert.deepEqual(keptOf(a, a, a, b, c, c, d, d, a), [0, 3, 4, 6]);
});

test('coordinates are read with the separators that they state', () => {
  const line = (attributes: string, text: string) =>
    lists(
      furniture(
        `<gml:LineString srsDimension="3"><gml:coordinates${attributes}>${text}</gml:coordinates></gml:LineString>`,
      ).lines,
    );
  const expected = [[139, 35, 1.5, 140, 36, 2]];
  assert.deepEqual(line('', ' 35,139,1.5\n  36,140,2 '), expected);
  assert.deepEqual(line(' cs=";" ts="|" decimal=","', '35;139;1,5 | 36;140;2|'), expected);
  assert.deepEqual(line('', '35,139 36,140'), [[139, 35, 0, 140, 36, 0]]);
});

test('a level is that of the name of a property, else the one that a relief states', () => {
  const lods = (property: string, beside = '') =>
    read(`<dem:TINRelief>${beside}<${property}>${at(1)}</${property}></dem:TINRelief>`).map(({ lod }) => lod);
  assert.deepEqual(lods('dem:tin', '<dem:lod> 3 </dem:lod>'), [3]);
  assert.deepEqual(lods('dem:tin', '<dem:lod>12</dem:lod>'), [null]);
  assert.deepEqual(lods('dem:tin'), [null]);
  assert.deepEqual(lods('dem:lod2MultiSurface', '<dem:lod>3</dem:lod>'), [2]);
});

test('what places a texture is no geometry of the feature', () => {
  const point = '<gml:Point><gml:pos>35 139 1</gml:pos></gml:Point>';
  const texture =
    `<app:appearance><app:Appearance><app:surfaceDataMember><app:GeoreferencedTexture>` +
    `<app:referencePoint>${point}</app:referencePoint></app:GeoreferencedTexture></app:surfaceDataMember>` +
    `</app:Appearance></app:appearance>`;
  assert.deepEqual(read(`<bldg:Building>${texture}</bldg:Building>`), []);
});
