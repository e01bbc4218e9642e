/** What is found out of a package before its files are looked at: specification and plane system. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPackage, planeFor } from './open-package.ts';

const BEFORE_FIRST = 6668;
const [TOKYO, OSAKA] = [BEFORE_FIRST + 9, BEFORE_FIRST + 6];
const root = (version: string) =>
  `<core:CityModel xmlns:core="http://www.opengis.net/citygml/${version}" xmlns:gml="http://www.opengis.net/gml">`;
const envelope = (lat: number, lng: number, srsName = 'http://www.opengis.net/def/crs/EPSG/0/6697') =>
  `<gml:boundedBy><gml:Envelope srsName="${srsName}" srsDimension="3">` +
  `<gml:lowerCorner>${lat - 0.1} ${lng - 0.1} 0</gml:lowerCorner>` +
  `<gml:upperCorner>${lat + 0.1} ${lng + 0.1} 9</gml:upperCorner></gml:Envelope></gml:boundedBy>`;
const MEMBER = '<core:cityObjectMember><core:x/></core:cityObjectMember>';
const END = '</core:CityModel>';
const IN_OSAKA = root('2.0') + envelope(34.69, 135.5) + END;

/** A package of these texts, whose name says no place, and the files of it that were begun. */
function packageOf(texts: readonly string[], name = 'package') {
  const begun: string[] = [];
  const source = {
    name,
    files: texts.map((text, n) => ({ path: `${n}`, bytes: text.length })),
    async *text(path: string) {
      begun.push(path);
      yield Buffer.from(texts[Number(path)]!);
    },
    has: () => false,
    member: async () => null,
  };
  return { source, begun };
}

async function found(texts: readonly string[], name?: string) {
  const { spec, plane } = await openPackage(packageOf(texts, name).source);
  return [spec, plane];
}

test('the first file that has an envelope says the plane, and the first of a version the specification', async () => {
  const inTokyo = root('3.0') + envelope(35.69, 139.75) + END;
  assert.deepEqual(await found([IN_OSAKA, inTokyo]), [4, OSAKA]);
  assert.deepEqual(await found([inTokyo, IN_OSAKA]), [6, TOKYO]);
});

test('a file without an envelope at its beginning says its version alone', async () => {
  for (const text of [
    root('3.0') + MEMBER + envelope(43, 141.3) + END,
    `${root('3.0')}<gml:boundedBy><gml:Null>unknown</gml:Null></gml:boundedBy>${MEMBER}${END}`,
    root('3.0') + END,
  ]) {
    assert.deepEqual(await found([text, IN_OSAKA]), [6, OSAKA], text);
    // In the middle of the zones.
    assert.deepEqual(await found([text]), [6, TOKYO], text);
  }
});

test('files that are broken, or no CityGML, are passed over', async () => {
  for (const text of [
    '<',
    '',
    '<a><b/></a>',
    `<a xmlns:gml="http://www.opengis.net/gml"><gml:boundedBy/></a>`,
  ]) {
    assert.deepEqual(await found([text, IN_OSAKA]), [4, OSAKA], text);
    assert.deepEqual(await found([text]), [4, TOKYO], text);
  }
  assert.deepEqual(await found([]), [4, TOKYO]);
});

test('the prefecture of the name decides about the zone, the envelope about the specification', async () => {
  const name = '27100_osaka-shi_city_2023_citygml_1_op';
  assert.deepEqual(await found([root('3.0') + envelope(35.69, 139.75) + END], name), [6, OSAKA]);
  assert.deepEqual(await found([], name), [4, OSAKA]);
});

test('no file is read where both are known', async () => {
  const { source, begun } = packageOf([IN_OSAKA, IN_OSAKA]);
  const both = await openPackage(source, { spec: 6, plane: TOKYO });
  assert.deepEqual([both.spec, both.plane, begun], [6, TOKYO, []]);
  assert.equal((await openPackage(source, { spec: 6 })).plane, OSAKA);
  assert.equal((await openPackage(source, { plane: TOKYO })).spec, 4);
  assert.deepEqual(begun, ['0', '0']);
  await assert.rejects(openPackage(source, { spec: 4, plane: 4326 }), RangeError);
});

test('an envelope on a plane is turned into degrees before the zone is looked for', () => {
  // Around the origin of zone VI, which lies at 36 degrees north and 136 east (EPSG:6674).
  const lower = [-1000, -1000, 0];
  const upper = [1000, 1000, 9];
  assert.equal(planeFor('package', { srsName: 'EPSG:6674', lower, upper }), OSAKA);
  const degrees = { lower: [34.6, 135.4, 0], upper: [34.8, 135.6, 9] };
  for (const srsName of ['http://www.opengis.net/def/crs/EPSG/0/6697', 'urn:unknown', null]) {
    assert.equal(planeFor('package', { srsName, ...degrees }), OSAKA);
  }
  assert.equal(planeFor('package', { srsName: null, lower: null, upper: null }), TOKYO);
});
