import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import { isTurned, type WrittenBox, writtenBox } from './axis-order.ts';

const element = (name: string, text: string, ...children: XmlElement[]): XmlElement => ({
  name,
  text,
  attributes: {},
  children,
});
const at = (first: number, second: number) =>
  element('bldg:Building', '', element('gml:posList', `${first} ${second} 10 0 0 0`));
const boxOf = (first: number, second: number): WrittenBox => ({
  low: [first - 0.01, second - 0.01],
  high: [first + 0.01, second + 0.01],
});

const TOKYO = [35.7, 139.8] as const;
const WASHINGTON = [38.89, -77.03] as const;
const KOELN = [50.94, 6.96] as const;

test('latitude comes first unless the position or the envelope says otherwise', () => {
  for (const [lat, lng] of [TOKYO, WASHINGTON, KOELN]) {
    const isKoeln = lat === KOELN[0];
    const cases: Array<[box: WrittenBox | null, first: number, second: number, wanted: boolean]> = [
      [null, lat, lng, false],
      // South of Arabia people live, too: nothing tells.
      [null, lng, lat, !isKoeln],
      [boxOf(lat, lng), lat, lng, false],
      [boxOf(lat, lng), lng, lat, true],
      [boxOf(lng, lat), lat, lng, isKoeln],
      [boxOf(lng, lat), lng, lat, !isKoeln],
      // Far from the envelope: only the envelope tells.
      [boxOf(lat, lng), 10, 20, false],
      [boxOf(lng, lat), 10, 20, !isKoeln],
    ];
    for (const [box, first, second, wanted] of cases) {
      const label = `${lat} ${lng}: ${JSON.stringify(box)} ${first} ${second}`;
      assert.equal(isTurned('EPSG:4979', box, at(first, second)), wanted, label);
    }
    assert.equal(isTurned('urn:ogc:def:crs:EPSG::6697', boxOf(lng, lat), null), !isKoeln);
  }
});

test('metres are turned where only the other order leads to where their system is used', () => {
  // Helsinki and Munich; the registry has northing first for both, surveyors of Germany have easting first.
  for (const [name, east, north, wanted] of [
    ['EPSG:3879', 25_496_580, 6_673_003, true],
    ['EPSG:25832', 5_645_320, 356_556, true],
    ['EPSG:31468', 4_468_513, 5_333_328, false],
    ['EPSG:31468', 5_333_328, 4_468_513, false],
    ['EPSG:3068', 23_184, 21_048, false],
    // Places of both orders lie in Poland, and none of the next in Finland.
    ['EPSG:2180', 637_382, 486_757, false],
    ['EPSG:3879', 0, 0, false],
  ] as const) {
    assert.equal(isTurned(name, null, at(east, north)), wanted, name);
    assert.equal(isTurned(name, boxOf(east, north), null), wanted, name);
    if (wanted) assert.equal(isTurned(name, boxOf(north, east), null), false, name);
  }
});

test('unknown systems, and features without positions, are never turned', () => {
  const turned = boxOf(139.8, 35.7);
  for (const name of ['EPSG:25832', 'EPSG:999999', null])
    assert.equal(isTurned(name, turned, at(139.8, 35.7)), false);
  assert.equal(isTurned('EPSG:6697', null, element('bldg:Building', '')), false);
  assert.equal(isTurned('EPSG:6697', null, at(Number.NaN, 35)), false);
  const template = element('core:relativeGMLGeometry', '', at(139.8, 35.7));
  assert.equal(isTurned('EPSG:6697', null, element('frn:CityFurniture', '', template)), false);
});

test('the corners of an envelope are read as they are written', () => {
  const corner = (name: string, text: string) => element(`gml:${name}Corner`, text);
  const envelope = (...corners: XmlElement[]) =>
    element('gml:boundedBy', '', element('gml:Envelope', '', ...corners));
  assert.deepEqual(writtenBox(envelope(corner('lower', ' 35 139 0\n'), corner('upper', '36,140,9'))), {
    low: [35, 139],
    high: [36, 140],
  });
  assert.equal(writtenBox(envelope(corner('lower', '35 139 0'))), null);
  for (const text of ['a b', '35 b', 'a 139', '35']) {
    assert.equal(writtenBox(envelope(corner('lower', text), corner('upper', '36 140'))), null, text);
    assert.equal(writtenBox(envelope(corner('lower', '35 139'), corner('upper', text))), null, text);
  }
  assert.equal(writtenBox(element('gml:boundedBy', '', element('gml:Null', 'unknown'))), null);
});
