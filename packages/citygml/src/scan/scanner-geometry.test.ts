/** Boxes, footprints and levels of detail, as the scanner finds them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityModel, member, polygon } from '../testing/gml-text.ts';
import { building, scan, solid } from '../testing/scanned.ts';

test('the box is that of lod1Solid, else of the lowest level, else of attributes', () => {
  const at = (lod: string, lat: number) =>
    `<bldg:${lod}><gml:MultiSurface><gml:surfaceMember>${polygon([
      [lat, 139, 5],
      [lat, 139.1, 5],
      [lat + 0.1, 139.1, 5],
    ])}</gml:surfaceMember></gml:MultiSurface></bldg:${lod}>`;
  const dm = `<uro:x><uro:DmGeometricAttribute>${at('lod0Geometry', 30)}</uro:DmGeometricAttribute></uro:x>`;
  const south = (content: string) => {
    const entry = scan(cityModel(building('a', content))).index.feature(0);
    return [entry.extent?.south, entry.lods];
  };
  assert.deepEqual(south(dm + at('lod2MultiSurface', 32) + at('lod0FootPrint', 31)), [31, 5]);
  assert.deepEqual(south(at('lod0FootPrint', 31) + solid), [35.5, 3]);
  assert.deepEqual(south(solid + at('lod0FootPrint', 31)), [35.5, 3]);
  assert.deepEqual(south(at('lod1TerrainIntersection', 29) + at('lod3MultiSurface', 33)), [33, 8]);
  assert.deepEqual(south(dm), [30, 1]);
  assert.deepEqual(
    south(
      `<bldg:consistsOfBuildingPart><bldg:BuildingPart>${solid}</bldg:BuildingPart></bldg:consistsOfBuildingPart>`,
    ),
    [35.5, 2],
  );
});

test('surfaces named by xlink:href lend their box, before and after', () => {
  const surface = (id: string, lat: number) =>
    `<bldg:boundedBy><bldg:WallSurface><bldg:lod3MultiSurface><gml:MultiSurface><gml:surfaceMember>${polygon(
      [
        [lat, 139, 1],
        [lat, 139.1, 1],
        [lat + 0.1, 139.1, 7],
      ],
      ` gml:id="${id}"`,
    )}</gml:surfaceMember></gml:MultiSurface></bldg:lod3MultiSurface></bldg:WallSurface></bldg:boundedBy>`;
  const named = `<bldg:lod2Solid><gml:Solid><gml:exterior><gml:CompositeSurface>\
<gml:surfaceMember xlink:href="#p"/><gml:surfaceMember>
    <gml:OrientableSurface orientation="-"><gml:baseSurface xlink:href="#q"/></gml:OrientableSurface>\
</gml:surfaceMember></gml:CompositeSurface></gml:exterior></gml:Solid></bldg:lod2Solid>`;
  for (const content of [
    named + surface('p', 33) + surface('q', 34) + surface('r', 35),
    surface('r', 35) + surface('q', 34) + surface('p', 33) + named,
  ]) {
    const entry = scan(cityModel(building('a', content))).index.feature(0);
    assert.deepEqual([entry.extent?.south, entry.extent?.north], [33, 34.1]);
    assert.equal(entry.lods, 12);
    assert.equal(entry.footprintInBlock, true);
  }
});

test('a tag refers to what it names itself, not to what one before it with more attributes does', () => {
  const surface = (id: string, lat: number) =>
    `<gml:surfaceMember>${polygon(
      [
        [lat, 139, 1],
        [lat, 139.1, 1],
        [lat + 0.1, 139.1, 7],
      ],
      ` gml:id="${id}"`,
    )}</gml:surfaceMember>`;
  const level = (lod: number, members: string) =>
    `<bldg:lod${lod}MultiSurface><gml:MultiSurface>${members}</gml:MultiSurface></bldg:lod${lod}MultiSurface>`;
  const named = (id: string, more = '') => `<gml:surfaceMember ${more}xlink:href="#${id}"/>`;
  const content =
    level(4, surface('p', 33) + surface('r', 35)) +
    level(3, named('r', 'xlink:type="simple" ')) +
    level(2, named('p'));
  const { extent } = scan(cityModel(building('a', content))).index.feature(0);
  assert.deepEqual([extent?.south, extent?.north], [33, 33.1]);
});

test('geometry that refers to itself is followed so far, and told with the end of its feature', () => {
  const references = '<gml:surfaceMember xlink:href="#x"/>'.repeat(30);
  const surfaces = `<gml:MultiSurface gml:id="x">${references}</gml:MultiSurface>`;
  const circle = `<bldg:lod2MultiSurface>${surfaces}</bldg:lod2MultiSurface>`;
  const shape = `<bldg:lod3MultiSurface>${polygon([
    [35, 139, 0],
    [35, 139.1, 0],
    [35.1, 139.1, 0],
  ])}</bldg:lod3MultiSurface>`;
  const text = cityModel(
    `${building('a', solid)}\n${building('b', circle + shape)}\n${building('c', solid)}`,
  );
  const { issues, summary } = scan(text, [5_000]);
  assert.equal(summary.features, 3);
  const ends = [...text.matchAll(/<\/bldg:Building>/g)].map(({ index, 0: tag }) => index + tag.length);
  assert.deepEqual(
    issues.map(({ code, byte }) => [code, byte]),
    [['REFERENCES_TOO_MANY', ends[1]]],
  );
});

test('a hole is left out of a footprint', () => {
  const frame = (lat: number, size: number) =>
    [
      [lat, lat + 104],
      [lat, lat + 104 + size],
      [lat + size, lat + 104 + size],
      [lat + size, lat + 104],
    ].map((corner) => [...corner, 3]);
  const hole = polygon(frame(35.125, 0.25))
    .replaceAll('exterior', 'interior')
    .replaceAll(/<\/?gml:Polygon>/g, '');
  const surface = polygon(frame(35, 0.5)).replace('</gml:Polygon>', `${hole}</gml:Polygon>`);
  const { index } = scan(
    cityModel(
      building(
        'a',
        `<bldg:lod0FootPrint><gml:MultiSurface><gml:surfaceMember>${surface}</gml:surfaceMember>\
</gml:MultiSurface></bldg:lod0FootPrint>`,
      ),
    ),
  );
  const { polygons } = index.footprint(index.feature(0))!;
  assert.deepEqual(
    polygons.map((rings) => rings.map((ring) => ring.length / 2)),
    [[4, 4]],
  );
  assert.deepEqual([Math.min(...polygons[0]![1]!), Math.max(...polygons[0]![1]!)], [35.125, 139.375]);
});

test('what has coordinates itself and names more at another level has both', () => {
  const at = (lat: number, id = '') =>
    polygon(
      [
        [lat, 139, 1],
        [lat, 139.1, 1],
        [lat + 0.1, 139.1, 7],
      ],
      id === '' ? '' : ` gml:id="${id}"`,
    );
  const surfaces = (lod: string, ...members: string[]) =>
    `<bldg:${lod}><gml:MultiSurface>${members.join('')}</gml:MultiSurface></bldg:${lod}>`;
  const own = (content: string) => `<gml:surfaceMember>${content}</gml:surfaceMember>`;
  const named = (id: string) => `<gml:surfaceMember xlink:href="#${id}"/>`;
  const south = (content: string) => {
    const { extent, footprintInBlock } = scan(cityModel(building('a', content))).index.feature(0);
    return [extent?.south, extent?.north, footprintInBlock];
  };
  const lod3 = surfaces('lod3MultiSurface', own(at(33, 'p')), own(at(35)));
  for (const lod of ['lod1Solid', 'lod2MultiSurface']) {
    assert.deepEqual(south(surfaces(lod, named('p'), own(at(34))) + lod3), [33, 34.1, true], lod);
    assert.deepEqual(south(lod3 + surfaces(lod, own(at(34)), named('p'))), [33, 34.1, true], lod);
  }
  // What it names of its own level it has already.
  const lod2 = surfaces('lod2MultiSurface', own(at(33, 'p')), named('p'));
  assert.deepEqual(south(lod2 + lod3.replace(' gml:id="p"', '')), [33, 33.1, false]);
});

test('a block leaves its bottom face, a lone wall its line', () => {
  const { index } = scan(
    cityModel(
      building('a', solid) +
        building(
          'w',
          `<bldg:lod2MultiSurface>${polygon([
            [35, 139, 0],
            [35.1, 139.1, 0],
            [35.1, 139.1, 9],
            [35, 139, 9],
          ])}</bldg:lod2MultiSurface>`,
        ),
    ),
  );
  const footprint = index.footprint(index.feature(0))!;
  assert.equal(footprint.polygons.length, 1);
  assert.equal(footprint.lines.length, 0);
  const corners = Array.from({ length: 4 }, (_, i) =>
    footprint.polygons[0]![0]!.slice(i * 2, i * 2 + 2).join(),
  );
  assert.deepEqual(corners.sort(), ['139.5,35.5', '139.5,35.501', '139.501,35.5', '139.501,35.501']);
  assert.deepEqual(index.footprint(index.feature(1)), {
    polygons: [],
    lines: [Float64Array.of(139, 35, 139.1, 35.1)],
    points: [],
  });
});

test('implicit geometry stands where its reference point is', () => {
  const { index } = scan(
    cityModel(
      building(
        'a',
        `<bldg:lod2ImplicitRepresentation><core:ImplicitGeometry><core:relativeGMLGeometry>${polygon([
          [0, 0, 0],
          [1, 0, 0],
          [1, 1, 0],
        ])}</core:relativeGMLGeometry><core:referencePoint><gml:Point><gml:pos>35 139 3</gml:pos></gml:Point>\
</core:referencePoint></core:ImplicitGeometry></bldg:lod2ImplicitRepresentation>`,
      ),
    ),
  );
  const entry = index.feature(0);
  assert.deepEqual([entry.extent?.south, entry.extent?.maxAlt, entry.lods], [35, 3, 4]);
  assert.equal(index.footprint(index.feature(0))?.points.length, 1);
});

test('plane systems are projected, 2-D data has no altitude, unknown systems no box', () => {
  const point = (srs: string, text: string) =>
    scan(
      cityModel(
        building(
          'a',
          `<bldg:lod0Geometry><gml:Point ${srs}><gml:pos>${text}</gml:pos></gml:Point></bldg:lod0Geometry>`,
        ),
      ),
    );
  const plane = point('srsName="EPSG:10169"', '-100000 30000 12').index.feature(0).extent!;
  assert.ok(Math.abs(plane.south - 35.1) < 0.1 && Math.abs(plane.west - 138.83) < 0.1, JSON.stringify(plane));
  assert.equal(plane.maxAlt, 12);
  const flat = point('srsName="EPSG:6668"', '35 139').index.feature(0);
  assert.equal(flat.hasAltitude, false);
  assert.deepEqual(flat.extent, { west: 139, south: 35, east: 139, north: 35, minAlt: 0, maxAlt: 0 });
  const unknown = point('srsName="EPSG:27701"', '35 139 0');
  assert.equal(unknown.index.feature(0).extent, null);
  assert.deepEqual(
    unknown.issues.map((issue) => issue.code),
    ['UNKNOWN_CRS'],
  );
  assert.deepEqual(unknown.summary.lods, [1, 0, 0, 0, 0]);
  for (const text of ['35 139 x', '35 139 0 1', '139 95 0']) {
    assert.deepEqual(
      point('', text).issues.map((issue) => issue.code),
      ['COORDINATES'],
      text,
    );
  }
});

test('numbers outside of a ring, line or point count, also behind a ring with something that is no number', () => {
  const curve = '<gml:Curve><gml:posList>35.2 139.2 4 35.3 139.3 9</gml:posList></gml:Curve>';
  const triangle = polygon([
    [35, 139, 1],
    [35, 139.1, 1],
    [35.1, 139.1, 1],
  ]);
  const broken = triangle.replace(' 1<', ' x<');
  assert.notEqual(broken, triangle);
  const found = (content: string) => {
    const { index, issues } = scan(
      cityModel(building('a', `<bldg:lod0Geometry>${content}</bldg:lod0Geometry>`)),
    );
    const { extent } = index.feature(0);
    const lines = index.footprint(index.feature(0))?.lines.map((line) => [...line]);
    return [extent?.south, extent?.north, extent?.maxAlt, lines, issues.map(({ code }) => code).join()];
  };
  const lines = [[139.2, 35.2, 139.3, 35.3]];
  assert.deepEqual(found(curve), [35.2, 35.3, 9, lines, '']);
  assert.deepEqual(found(triangle + curve), [35, 35.3, 9, lines, '']);
  // What is broken has its footprint in its block.
  assert.deepEqual(found(broken + curve), [35, 35.3, 9, undefined, 'COORDINATES']);
  assert.deepEqual(found(curve.replace('139.2', 'x') + curve), [35.2, 35.3, 9, undefined, 'COORDINATES']);
});

test('longitude first, and easting where northing comes first, are read so and told once a file', () => {
  const house = (srs: string, text: string) =>
    `<core:cityObjectMember><bldg:Building><bldg:lod1MultiSurface><gml:MultiSurface ${srs}>${surface(text)}` +
    `${surface(text)}</gml:MultiSurface></bldg:lod1MultiSurface></bldg:Building></core:cityObjectMember>`;
  const surface = (text: string) =>
    `<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${text}</gml:posList>` +
    `</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`;
  for (const [srs, text, west, south] of [
    ['', '139 35 0 139.001 35 0 139.001 35.001 0 139 35 0', 139, 35],
    ['srsName="EPSG:4979"', '-77 38 0 -76.99 38 0 -76.99 38.01 0 -77 38 0', -77, 38],
    // Helsinki.
    [
      'srsName="EPSG:3879"',
      '25496580.36 6673003.607 0 25496590 6673003.607 0 25496590 6673013 0 25496580.36 6673003.607 0',
      24.9384,
      60.1699,
    ],
  ] as const) {
    const { index, issues } = scan(cityModel(house(srs, text)));
    const { extent } = index.feature(0);
    assert.ok(Math.abs(extent!.west - west) < 1e-4 && Math.abs(extent!.south - south) < 1e-4, text);
    assert.deepEqual(
      issues.map(({ code }) => code),
      ['AXES_TURNED'],
    );
  }
});

test('gml:pos and gml:coordinates make rings like gml:posList', () => {
  const ring = (content: string) =>
    scan(
      cityModel(
        building(
          'a',
          `<bldg:lod0FootPrint><gml:Polygon><gml:exterior><gml:LinearRing>${content}</gml:LinearRing>` +
            `</gml:exterior></gml:Polygon></bldg:lod0FootPrint>`,
        ),
      ),
    ).index;
  const list = ring('<gml:posList>35 139 1 35 139.1 1 35.1 139.1 1 35 139 1</gml:posList>');
  const single = ring(
    '<gml:pos>35 139 1</gml:pos><gml:pos>35 139.1 1</gml:pos><gml:pos>35.1 139.1 1</gml:pos>' +
      '<gml:pos>35 139 1</gml:pos>',
  );
  const commas = ring('<gml:coordinates>35,139,1 35,139.1,1 35.1,139.1,1 35,139,1</gml:coordinates>');
  for (const other of [single, commas]) {
    assert.deepEqual(other.footprint(other.feature(0)), list.footprint(list.feature(0)));
    assert.deepEqual(other.feature(0).extent, list.feature(0).extent);
  }
});

test('the LOD of a relief is the value of dem:lod', () => {
  const { summary } = scan(
    cityModel(
      member(
        `<dem:ReliefFeature gml:id="d"><dem:lod>2</dem:lod><dem:reliefComponent><dem:TINRelief><dem:lod>2</dem:lod>` +
          `<dem:tin><gml:TriangulatedSurface><gml:trianglePatches><gml:Triangle><gml:exterior><gml:LinearRing>` +
          `<gml:posList>35 139 0 35 139.1 1 35.1 139.1 2 35 139 0</gml:posList></gml:LinearRing></gml:exterior>` +
          `</gml:Triangle></gml:trianglePatches></gml:TriangulatedSurface></dem:tin></dem:TINRelief>` +
          `</dem:reliefComponent></dem:ReliefFeature>`,
      ),
    ),
  );
  assert.deepEqual(summary.lods, [0, 0, 1, 0, 0]);
});

test('a system that is not known is named with the first 200 characters of its name', () => {
  for (const length of [200, 201]) {
    const name = 'x'.repeat(length);
    const { issues, summary } = scan(
      cityModel(building('a', solid.replace('<gml:Solid', `<gml:Solid srsName="${name}"`))),
    );
    const shown = 'x'.repeat(200);
    assert.ok(summary.crs.includes(shown), summary.crs.join());
    assert.ok(issues.some(({ message }) => message.startsWith(`Geometry is in ${shown}, expected`)));
  }
});
