import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feature } from '@citymodel/citygml/testing';
import { featureRecord } from './feature-record.ts';

const DEFAULTS = { srsName: 'EPSG:6697', srsDimension: 3 };
const stable = (id: string) =>
  '<uro:buildingIDAttribute><uro:BuildingIDAttribute>' +
  `<uro:buildingID>${id}</uro:buildingID></uro:BuildingIDAttribute></uro:buildingIDAttribute>`;
const record = (content: string, id = ' gml:id="a"') =>
  featureRecord(feature(`<bldg:Building${id}>${content}</bldg:Building>`), DEFAULTS, () => undefined);

test('a record has ids, the name of the element, attributes by path and no shape without geometry', () => {
  assert.deepEqual(record(`<bldg:class>3001</bldg:class>${stable(' 13101-bldg-1 ')}`), {
    id: 'a',
    stableId: '13101-bldg-1',
    type: 'bldg:Building',
    attributes: [
      ['bldg:class', { value: '3001' }],
      ['uro:buildingIDAttribute/uro:buildingID', { value: '13101-bldg-1' }],
    ],
    shape: null,
  });
});

test('without gml:id, and without an id that stays, both are null', () => {
  const { id, stableId } = record(stable('  '), '');
  assert.deepEqual([id, stableId], [null, null]);
  assert.equal(record('<bldg:class>3001</bldg:class>').stableId, null);
  assert.equal(record('').stableId, null);
});

test('coordinates without a system of their own have that of the file', () => {
  const { shape } = record(
    '<bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>' +
      '<gml:posList>35.6 139.7 5 35.6 139.701 5 35.601 139.701 5 35.6 139.7 5</gml:posList>' +
      '</gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></bldg:lod0RoofEdge>',
  );
  assert.deepEqual(shape!.bounds, [139.7, 35.6, 139.701, 35.601]);
});
