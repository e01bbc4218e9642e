import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffCityGml } from './sniff-citygml.ts';

const HEAD = '<?xml version="1.0"?><core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0">';
const feature = (name: string) => `<core:cityObjectMember><${name} gml:id="a"/></core:cityObjectMember>`;

/** Looks through a text in chunks, and counts those that were read. */
async function sniff(text: string, { chunk = 50, isShort = false } = {}) {
  let chunks = 0;
  async function* parts() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunk) {
      chunks++;
      yield bytes.subarray(at, at + chunk);
    }
  }
  return { ...(await sniffCityGml(parts(), isShort)), chunks };
}

test('a file is CityGML by its namespace, and of the type of its first feature that tells one', async () => {
  const types: Array<[string, string | null]> = [
    ['bldg:Building', 'bldg'],
    ['Road', 'tran'],
    ['tran:TransportationComplex', 'tran'],
    ['veg:SolitaryVegetationObject', 'veg'],
    ['gen:GenericCityObject', 'gen'],
    ['grp:CityObjectGroup', null],
    ['dem:ReliefFeature', 'dem'],
    ['TINRelief', 'dem'],
  ];
  for (const [name, type] of types) {
    for (const chunk of [1, 7, 10_000]) {
      const found = await sniff(`${HEAD}${feature(name)}`, { chunk });
      assert.deepEqual([found.isCityGml, found.type], [true, type], `${name} in chunks of ${chunk}`);
    }
  }
  const group = await sniff(
    `${HEAD}${feature('grp:CityObjectGroup')}${feature('wtr:WaterBody')}${feature('Bridge')}`,
  );
  assert.equal(group.type, 'wtr');
  // Far behind it, so that no text of before is looked at again.
  const far = await sniff(`${HEAD}${feature('wtr:WaterBody')}${' '.repeat(3_000)}${feature('Bridge')}`);
  assert.equal(far.type, 'wtr');
  const other = await sniff(`<gml:FeatureCollection>${feature('Building')}</gml:FeatureCollection>`);
  assert.deepEqual([other.isCityGml, other.type], [false, 'bldg']);
});

test('the namespace stands within the first 64 KiB, or nowhere', async () => {
  const blank = (length: number) => ' '.repeat(length);
  const late = await sniff(`<x>${blank(64 * 1_024)}${HEAD}`, { chunk: 1_024 });
  assert.equal(late.isCityGml, false);
  const early = await sniff(`<x>${blank(63 * 1_024 - 100)}${HEAD}`, { chunk: 1_024 });
  assert.equal(early.isCityGml, true);
});

test('images are those that appearances name, each once, and all of the text is counted', async () => {
  const image = (path: string) => `<app:imageURI> ${path} </app:imageURI>`;
  const images = [image('c.png'), image('a/b.jpg'), '<imageURI>d.tif</imageURI>'];
  const text = `${HEAD}${image('a/b.jpg')}${feature('bldg:Building')}${images.join('')}`;
  for (const chunk of [3, 64, 10_000]) {
    const found = await sniff(text, { chunk });
    assert.deepEqual([...found.images], ['a/b.jpg', 'c.png', 'd.tif']);
    assert.equal(found.size, Buffer.byteLength(text));
  }
});

test('a short look ends when type and namespace are known, or when there is no namespace', async () => {
  const rest = feature('bldg:Building').repeat(3_000);
  const known = await sniff(`${HEAD}${rest}`, { chunk: 1_000, isShort: true });
  assert.deepEqual([known.isCityGml, known.type, known.chunks], [true, 'bldg', 1]);
  assert.equal(known.images.size, 0);
  const none = await sniff(`<x>${' '.repeat(200_000)}`, { chunk: 1_000, isShort: true });
  assert.deepEqual([none.isCityGml, none.type, none.chunks], [false, null, 66]);
  const open = await sniff(`${HEAD}${' '.repeat(200_000)}`, { chunk: 1_000, isShort: true });
  assert.deepEqual([open.isCityGml, open.type, open.chunks], [true, null, 201]);
  const long = await sniff(`${HEAD}${rest}`, { chunk: 1_000 });
  assert.equal(long.size, Buffer.byteLength(`${HEAD}${rest}`));
});
