/** Coordinate systems, dimensions and heights of geometry. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, furniture, lists, read } from '../testing/read-geometry.ts';
import { extentOf } from './feature-geometry.ts';
import { altitudeRange, shapeOf } from './feature-shape.ts';

test('coordinate systems and dimensions are inherited, and the count of numbers corrects them', () => {
  const two = furniture(
    '<gml:LineString srsName="EPSG:6668"><gml:posList>35 139 36 140</gml:posList></gml:LineString>',
  );
  assert.deepEqual(lists(two.lines), [[139, 35, 0, 140, 36, 0]]);
  assert.equal(two.flat, true);
  const three = furniture(
    '<gml:LineString srsName="EPSG:6668" srsDimension="3"><gml:posList>35 139 1 36 140 2</gml:posList>' +
      '</gml:LineString>',
  );
  assert.deepEqual(lists(three.lines), [[139, 35, 1, 140, 36, 2]]);
  const wrong = furniture(
    '<gml:LineString srsDimension="3"><gml:posList>35 139 36 140</gml:posList></gml:LineString>',
  );
  assert.deepEqual(lists(wrong.lines), [[139, 35, 0, 140, 36, 0]]);
  for (const dimension of ['-3', '0', '1', '4', '1e9', 'x']) {
    const odd = furniture(
      `<gml:LineString><gml:posList dimension="${dimension}" srsDimension="${dimension}` +
        `">35 139 1 36 140 2</gml:posList></gml:LineString>`,
    );
    assert.deepEqual(lists(odd.lines), [[139, 35, 1, 140, 36, 2]], dimension);
  }
  const onList = furniture(
    '<gml:MultiCurve srsDimension="2"><gml:curveMember><gml:LineString><gml:posList srsDimension="3">35 139 1 36 ' +
      '140 2</gml:posList></gml:LineString></gml:curveMember></gml:MultiCurve>',
  );
  assert.deepEqual(lists(onList.lines), [[139, 35, 1, 140, 36, 2]]);
  const plane = furniture(
    '<gml:Point srsName="http://www.opengis.net/def/crs/EPSG/0/10169"><gml:pos>0 0 7</gml:pos></gml:Point>',
  );
  const [lng, lat, alt] = plane.points[0]!;
  assert.ok(Math.abs(lng! - 138.5) < 1e-9 && Math.abs(lat! - 36) < 1e-9, `${lng} ${lat}`);
  assert.equal(alt, 7);
  const [own] = read(
    `<frn:CityFurniture><gml:boundedBy><gml:Envelope srsName="EPSG:10169" srsDimension="2"/></gml:boundedBy>` +
      `<frn:lod1Geometry><gml:Point><gml:pos>0 0</gml:pos></gml:Point></frn:lod1Geometry></frn:CityFurniture>`,
  );
  assert.deepEqual(
    own!.points.map((point) => Array.from(point, (value) => Number(value.toFixed(9)))),
    [[138.5, 36, 0]],
  );
});

test('data without heights has no altitudes', () => {
  const altitudes = (content: string) => shapeOf(read(`<luse:LandUse>${content}</luse:LandUse>`))!.altitudes;
  assert.equal(altitudes(`<luse:lod1MultiSurface>${at(0)}</luse:lod1MultiSurface>`), null);
  assert.deepEqual(altitudes(`<luse:lod1MultiSurface>${at(2)}</luse:lod1MultiSurface>`), { min: 2, max: 2 });
  assert.equal(
    altitudes(
      '<luse:lod0MultiCurve><gml:LineString srsDimension="2"><gml:posList>35 139 36 140</gml:posList>' +
        '</gml:LineString></luse:lod0MultiCurve>',
    ),
    null,
  );
});

test('three numbers that are said to be two dimensions are three, and counts that fit are believed', () => {
  const line = (dimension: number, text: string) =>
    lists(
      furniture(
        `<gml:LineString srsDimension="${dimension}"><gml:posList>${text}</gml:posList></gml:LineString>`,
      ).lines,
    );
  assert.deepEqual(line(2, '35 139 5 36 140 6 37 141 7'), [[139, 35, 5, 140, 36, 6, 141, 37, 7]]);
  assert.deepEqual(line(2, '35 139 36 140 37 141'), [[139, 35, 0, 140, 36, 0, 141, 37, 0]]);
  assert.deepEqual(line(3, '35 139 5 36 140 6'), [[139, 35, 5, 140, 36, 6]]);
});

test('the extent of geometries is that of each of their positions', () => {
  const line = (text: string) => `<gml:LineString><gml:posList>${text}</gml:posList></gml:LineString>`;
  const xml = (text: string) =>
    `<frn:CityFurniture><frn:lod1Geometry>${line(text)}</frn:lod1Geometry></frn:CityFurniture>`;
  assert.deepEqual(extentOf(read(xml('36 140 9 35 139 -5'))), {
    west: 139,
    south: 35,
    east: 140,
    north: 36,
    minAlt: -5,
    maxAlt: 9,
  });
  assert.deepEqual(extentOf(read(xml('35 139 9 36 140 -5'))), extentOf(read(xml('36 140 9 35 139 -5'))));
});

test('heights of 0 count where a solid says so, or where another height is beside them', () => {
  const extent = (minAlt: number, maxAlt: number) => ({
    west: 0,
    south: 0,
    east: 1,
    north: 1,
    minAlt,
    maxAlt,
  });
  assert.equal(altitudeRange(extent(0, 0), true, false), null);
  assert.deepEqual(altitudeRange(extent(0, 0), true, true), { min: 0, max: 0 });
  assert.deepEqual(altitudeRange(extent(0, 5), true, false), { min: 0, max: 5 });
  assert.deepEqual(altitudeRange(extent(-5, 0), true, false), { min: -5, max: 0 });
  assert.equal(altitudeRange(extent(-5, 5), false, true), null);
});

test('places reach to the poles and the antimeridian, and no further', () => {
  const found = (lat: number, lng: number) =>
    lists(furniture(`<gml:Point><gml:pos>${lat} ${lng} 5</gml:pos></gml:Point>`)?.points ?? []);
  assert.deepEqual(found(90, 180), [[180, 90, 5]]);
  assert.deepEqual(found(-90, -180), [[-180, -90, 5]]);
  assert.deepEqual([found(90.1, 100), found(0, 180.1)], [[], []]);
  // Longitude first: nobody lives at 139.7° north, nor in Antarctica.
  assert.deepEqual([found(139.7, 35.6), found(-77, 38)], [[[139.7, 35.6, 5]], [[-77, 38, 5]]]);
});

test('a dimension below two is none, and the edges of the world belong to it', () => {
  const line = (attributes: string, text: string) =>
    lists(
      read(
        `<frn:CityFurniture><frn:lod1Geometry><gml:LineString ${attributes}><gml:posList>${text}</gml:posList>` +
          `</gml:LineString></frn:lod1Geometry></frn:CityFurniture>`,
      ).flatMap(({ lines }) => lines),
    );
  const three = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18';
  assert.equal(line('srsDimension="1"', three)[0]?.length, 18);
  assert.equal(line('srsDimension="2"', three)[0]?.length, 27);
  assert.equal(line('srsDimension="3"', three)[0]?.length, 18);
  assert.deepEqual(line('', '90 180 0 -90 -180 0'), [[180, 90, 0, -180, -90, 0]]);
  for (const outside of ['90.5 0 0', '-90.5 0 0', '0 180.5 0', '0 -180.5 0']) {
    assert.deepEqual(line('', `0 0 0 ${outside}`), [], outside);
  }
});
