import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crsOf } from '../geometry/crs.ts';
import { readPositions } from '../geometry/positions.ts';
import { FeatureIndex } from '../index/feature-index.ts';
import { block, cityModel, member } from '../testing/gml-text.ts';
import { entryOfText } from './entry-of-text.ts';
import { GmlScanner } from './scanner.ts';

const BUILDING = `<bldg:Building gml:id="a">
<bldg:lod1Solid>${block(35, 139, 0.001, 2, 9)}</bldg:lod1Solid></bldg:Building>`;

/** The index of a file with these members, and the text of its features. */
function indexed(text: string) {
  const bytes = Buffer.from(text);
  const scanner = new GmlScanner({ member: 'x.gml', onIssue: () => {} });
  scanner.push(bytes);
  const index = FeatureIndex.open(scanner.end().featureIndex);
  return { index, text: (i: number) => bytes.subarray(index.feature(i).start, index.feature(i).end) };
}

test('the text of a feature says what the index has of it but for its footprint and place', () => {
  const { index, text } = indexed(cityModel(member('<tran:Road gml:id="r"/>') + member(BUILDING)));
  for (const i of [0, 1]) {
    const { footprintOffset: _, ...known } = index.feature(i);
    const { footprintOffset, ...read } = entryOfText(text(i), index)!;
    assert.deepEqual(read, { ...known, index: 0, start: 0, end: known.end - known.start });
    assert.equal(footprintOffset, 0);
  }
  assert.equal(index.feature(1).extent!.maxAlt > index.feature(1).extent!.minAlt, true);
});

test('what holds for a whole file comes from its index: the reference system above all', () => {
  const { index, text } = indexed(cityModel(member(BUILDING)));
  const { rootTag } = index;
  const read = (srsName: string) => entryOfText(text(0), { rootTag, crs: { srsName, srsDimension: '3' } });
  const bare = Buffer.from(
    text(0)
      .toString()
      .replaceAll(/ srsName="[^"]*"/g, ''),
  );
  const crs = { srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697', srsDimension: '3' };
  assert.deepEqual(entryOfText(bare, { rootTag, crs })?.extent, index.feature(0).extent);
  assert.equal(entryOfText(bare, { rootTag, crs: { ...crs, srsName: '"<&' } })?.extent, null);
  assert.equal(read('x'.repeat(200)), null, 'the index may have its beginning only');
});

test('a feature of a file that names no reference system is read as the index reads it', () => {
  const { index, text } = indexed(cityModel(member(BUILDING)).replaceAll(/ srsName="[^"]*"/g, ''));
  assert.equal(index.crs.srsName, '');
  const { extent } = index.feature(0);
  assert.ok(extent !== null);
  assert.deepEqual(entryOfText(text(0), index)?.extent, extent);
});

test('what is no whole feature has no entry', () => {
  const { index, text } = indexed(cityModel(member(BUILDING)));
  const { rootTag, crs } = index;
  const whole = text(0);
  const blank = Buffer.from(' ');
  const broken = [
    whole.subarray(1),
    whole.subarray(0, -1),
    Buffer.from(''),
    Buffer.concat([whole, whole]),
    Buffer.concat([blank, whole]),
    Buffer.concat([whole, blank]),
    Buffer.concat([whole, Buffer.from('<')]),
    Buffer.concat([whole, Buffer.from('</core:cityObjectMember><core:cityObjectMember>')]),
    Buffer.from('<bldg:Building gml:id="a" gml:id="a"/>'),
  ];
  for (const part of broken) assert.equal(entryOfText(part, { rootTag, crs }), null);
  assert.equal(entryOfText(whole, { rootTag: Buffer.from(''), crs }), null);
});

test('the dimension of positions comes from the index where a feature states none', () => {
  const { index } = indexed(cityModel(member(BUILDING)));
  const road =
    '<tran:Road><tran:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior>' +
    '<gml:LinearRing><gml:posList>35 139 35 139.1 35.1 139.1 35 139 35 139 35 139</gml:posList></gml:LinearRing>' +
    '</gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>';
  const northOf = (srsDimension: string) => {
    const crs = { srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697', srsDimension };
    return entryOfText(Buffer.from(road), { rootTag: index.rootTag, crs })?.extent?.north;
  };
  assert.equal(northOf('2'), 35.1);
  assert.equal(northOf('3'), northOf(''));
  assert.notEqual(northOf('3'), 35.1);
});

test('the envelope of a feature says the dimension of its positions, before that of the file', () => {
  const envelope = '<gml:boundedBy><gml:Envelope srsName="EPSG:6697" srsDimension="2"/></gml:boundedBy>';
  const list = '<gml:posList>35 139 35 139.1 35.1 139.1 35 139 35 139 35 139</gml:posList>';
  const ring = `<gml:Polygon><gml:exterior><gml:LinearRing>${list}</gml:LinearRing></gml:exterior></gml:Polygon>`;
  const surface = `<gml:MultiSurface><gml:surfaceMember>${ring}</gml:surfaceMember></gml:MultiSurface>`;
  const road = (bounds: string) =>
    indexed(
      cityModel(
        member(`<tran:Road>${bounds}<tran:lod1MultiSurface>${surface}</tran:lod1MultiSurface></tran:Road>`),
      ),
    ).index.feature(0).extent?.north;
  assert.equal(road(envelope), 35.1);
  assert.notEqual(road(''), 35.1);
});

test('degrees of another datum are those of WGS 84 in the index and in positions', () => {
  const srsName = 'EPSG:4314';
  const crs = crsOf(srsName)!;
  const [lng, lat] = crs.toLngLat(50.5, 10.25);
  assert.ok(Math.abs(lng - 10.25) > 1e-4 && crs.northFirst && crs.geographic);
  const point = `<gml:Point srsName="${srsName}" srsDimension="3"><gml:pos>50.5 10.25 7</gml:pos></gml:Point>`;
  const file = cityModel(
    member(`<bldg:Building><bldg:lod0RoofEdge>${point}</bldg:lod0RoofEdge></bldg:Building>`),
  );
  const { west, south, minAlt } = indexed(file).index.feature(0).extent!;
  assert.ok(Math.abs(west - lng) < 1e-8 && Math.abs(south - lat) < 1e-8, `${west} ${south}`);
  assert.equal(minAlt, 7);
  const pos = { name: 'gml:pos', attributes: {}, text: '50.5 10.25 7', children: [] };
  const element = { name: 'gml:Point', attributes: {}, text: '', children: [pos] };
  const positions = readPositions(element, { crs, isTurned: false, dimension: 3 }, { flat: false });
  assert.deepEqual([...positions], [lng, lat, 7]);
});
