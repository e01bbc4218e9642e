/** What one pass over a file tells, however it comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cityModel, DECLARATIONS } from '../testing/gml-text.ts';
import { building, EVERYTHING, scan, solid } from '../testing/scanned.ts';
import { namespaceContext, parseFeature } from '../xml/feature-xml.ts';

test('a summary holds what one pass can tell', () => {
  const { summary, issues, index, hints } = scan(EVERYTHING);
  assert.deepEqual(
    issues.map((issue) => issue.code),
    ['EMPTY_MEMBER', 'EMPTY_MEMBER'],
  );
  const { featureIndex: _, ...rest } = summary;
  assert.deepEqual(rest, {
    size: Buffer.byteLength(EVERYTHING),
    features: 4,
    featuresWithoutId: 1,
    lods: [1, 3, 0, 0, 0],
    extent: { west: 139.5, south: 35.5, east: 139.61, north: 35.61, minAlt: 0, maxAlt: 12 },
    crs: ['EPSG:6697', 'EPSG:6668'],
    elements: [
      { name: 'bldg:Building', count: 3 },
      { name: 'tran:Road', count: 1 },
    ],
    citygmlVersion: '2.0',
    iurVersions: ['3.1'],
    references: {
      codeSpaces: ['../../codelists/Building_class.xml', '../../codelists/Common_localPublicAuthorities.xml'],
      images: ['x_appearance/1.jpg'],
      hrefs: [],
      schemas: ['../../schemas/iur/uro/3.1/urbanObject.xsd'],
    },
    areaCodes: ['99101'],
    places: [
      {
        name: '駅前ビル',
        kind: 'building',
        bounds: { west: 139.5, south: 35.5, east: 139.501, north: 35.501 },
      },
      {
        name: '見本県見本市緑町一丁目',
        kind: 'town',
        bounds: { west: 139.5, south: 35.5, east: 139.501, north: 35.501 },
      },
    ],
    wellFormed: true,
    overBudget: null,
    referenceSteps: 0,
  });
  assert.deepEqual([...index.ids()], ['b&1', 'c', 'c']);
  assert.deepEqual(index.find('c'), [2, 3]);
  assert.equal(index.header.duplicates, 1);
  const bytes = Buffer.from(EVERYTHING);
  for (let i = 0; i < index.size; i++) {
    const entry = index.feature(i);
    const text = bytes.toString('utf8', entry.start, entry.end);
    assert.match(text, new RegExp(`^<${entry.element}[ >][\\s\\S]*</${entry.element}>$`));
    assert.equal(hints[i], entry.end);
  }
  assert.deepEqual(index.feature(1).lods, 2);
  assert.equal(index.feature(0).lod1Solid, true);
  assert.equal(index.feature(3).extent, null);
  assert.match(Buffer.from(index.rootTag).toString(), /^<core:CityModel [^<>]*>$/);
  assert.equal(index.crs.srsDimension, '3');
});

test('any chunking gives the same', () => {
  const whole = scan(EVERYTHING);
  for (const sizes of [[1], [2], [3], [7], [4095], [4096], [5000]])
    assert.deepEqual(scan(EVERYTHING, sizes), whole);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }), (sizes) => {
      assert.deepEqual(scan(EVERYTHING, sizes), whole);
    }),
    { numRuns: 50 },
  );
});

/** One edit of a text: bytes taken out and others put in. */
const edit = fc.record({
  at: fc.nat(),
  drop: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(60), fc.nat(4000)),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom(
        '<',
        '>',
        '&',
        '"',
        "'",
        '</',
        '/>',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<?',
        '?>',
        '<a>',
        '&lt;',
        '=',
        ' ',
        '\0',
        '1e9 ',
        'xmlns:gml=""',
        ' gml:id="q"',
      )
      .map((text) => Buffer.from(text)),
  ),
});

test('no bytes make it throw, and any chunking of them gives the same', () => {
  const original = Buffer.from(EVERYTHING);
  fc.assert(
    fc.property(
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 5000 }),
      (edits, size) => {
        let bytes = original;
        for (const { at, drop, insert } of edits) {
          const from = at % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + drop)]);
        }
        const whole = scan(bytes);
        assert.deepEqual(scan(bytes, [size]), whole);
        const errors = whole.issues.filter((issue) => issue.severity === 'error');
        if (!whole.summary.wellFormed) assert.ok(errors.length > 0);
        for (const issue of whole.issues) assert.ok((issue.byte ?? 0) <= bytes.length);
      },
    ),
    { numRuns: 400 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void scan(bytes)));
});

test('a text that is cut off keeps the features before', () => {
  const bytes = Buffer.from(EVERYTHING);
  const ends = scan(EVERYTHING).hints;
  for (let length = 0; length < bytes.length - 1; length += 13) {
    const { summary } = scan(bytes.subarray(0, length));
    assert.equal(summary.wellFormed, length >= bytes.length - 1, `${length}`);
    assert.equal(summary.features, ends.filter((end) => end <= length).length);
  }
});

test('default namespaces, other prefixes, CityGML 3 and GML 3.2 are the same to it', () => {
  const ring =
    '<g:LinearRing><g:posList>35 139 1 35 139.1 1 35.1 139.1 1 35 139 1</g:posList></g:LinearRing>';
  const { summary, index } = scan(
    `<CityModel xmlns='http://www.opengis.net/citygml/3.0'><cityObjectMember>
      <b:Building xmlns:b="http://www.opengis.net/citygml/building/3.0" xmlns:g="http://www.opengis.net/gml/3.2" \
g:id="x">
        <lod1Solid><g:Solid srsName="urn:ogc:def:crs:EPSG::6697"><g:exterior>${ring}</g:exterior></g:Solid></lod1Solid>
      </b:Building></cityObjectMember></CityModel>`,
  );
  assert.equal(summary.citygmlVersion, '3.0');
  assert.deepEqual(summary.elements, [{ name: 'bldg:Building', count: 1 }]);
  assert.deepEqual(index.feature(0).extent, {
    west: 139,
    south: 35,
    east: 139.1,
    north: 35.1,
    minAlt: 1,
    maxAlt: 1,
  });
  assert.equal(index.find('x').length, 1);
});

test('a member that only names a feature is told', () => {
  const { summary, issues } = scan(cityModel('<core:cityObjectMember xlink:href="other.gml#b"/>'));
  assert.deepEqual(
    issues.map((issue) => [issue.code, issue.severity]),
    [['MEMBER_BY_REFERENCE', 'info']],
  );
  assert.equal(summary.features, 0);
  assert.deepEqual(summary.references.hrefs, ['other.gml#b']);
});

test('namespaces that members declare are known where a feature is read alone', () => {
  const text = cityModel(
    `<core:cityObjectMember xmlns:b='http://www.opengis.net/citygml/building/2.0' xmlns:u="https:/\
/www.geospatial.jp/iur/uro/9.0"><b:Building gml:id="a"><u:x>1</u:x></b:Building></core:cityObjectMember>
    <core:cityObjectMember xmlns="http://www.opengis.net/citygml/transportation/2.0" \
xmlns:b="http://www.opengis.net/citygml/building/2.0"><Road gml:id="b"/></core:cityObjectMember>
    <core:cityObjectMember xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:u="urn:another">\
<bldg:Building gml:id="c"/></core:cityObjectMember>`,
  );
  const { index } = scan(text);
  const context = namespaceContext(index.rootTag);
  const names = [0, 1, 2].map((i) => {
    const { start, end, element } = index.feature(i);
    const { name, children } = parseFeature(Buffer.from(text).subarray(start, end), context);
    return [element, name, ...children.map((child) => child.name)];
  });
  assert.deepEqual(names, [
    ['bldg:Building', 'bldg:Building', 'uro:x'],
    ['tran:Road', 'tran:Road'],
    ['bldg:Building', 'bldg:Building'],
  ]);
  const tag = Buffer.from(index.rootTag).toString();
  assert.deepEqual([tag.split(' xmlns:b=').length, tag.split(' xmlns:core=').length], [2, 2], tag);

  const many = Array.from(
    { length: 5_000 },
    (_, i) => `<core:cityObjectMember xmlns:n${i}="urn:${i}"><bldg:Building/></core:cityObjectMember>`,
  );
  assert.ok(scan(cityModel(many.join(''))).index.rootTag.length < 10_000, 'there is an end to it');
});

test('gml:featureMembers holds several features', () => {
  const { summary } = scan(
    `<core:CityModel ${DECLARATIONS}><gml:featureMembers><bldg:Building gml:id="a"/><bldg:Building gml:id="b"/>` +
      `</gml:featureMembers></core:CityModel>`,
  );
  assert.equal(summary.features, 2);
});

test('very long lists of coordinates, texts and lines take no memory of their size', () => {
  const numbers = Array.from(
    { length: 60_000 },
    (_, i) => `${35 + i * 1e-6} ${139 + i * 1e-6} ${i % 7}`,
  ).join(' ');
  const { summary, index } = scan(
    cityModel(
      building(
        'a',
        `<gml:description>${'x'.repeat(3_000_000)}</gml:description><bldg:lod1MultiCurve><gml:LineString>` +
          `<gml:posList>${numbers}</gml:posList></gml:LineString></bldg:lod1MultiCurve>`,
      ),
    ),
    [65_536],
  );
  assert.equal(summary.wellFormed, true);
  const entry = index.feature(0);
  assert.deepEqual([entry.extent?.north, entry.extent?.maxAlt], [35 + 59_999 * 1e-6, 6]);
  assert.equal(entry.footprintInBlock, true);
});

test('a text that matters is whole, wherever a chunk ends', () => {
  const name = '駅前&amp;東口ビルA棟&#x5317;館'.repeat(3);
  const id = '駅前&amp;東口&#x5317;'.repeat(3);
  const text = cityModel(building(id, `<gml:name>${name}</gml:name>${solid}`));
  for (let size = 1; size < 90; size++) {
    const { summary } = scan(text, [size]);
    assert.equal(summary.places[0]?.name, '駅前&東口ビルA棟北館'.repeat(3), `chunks of ${size}`);
  }
  // The scanner begins when it has 4,096 bytes: they end at each byte of the text, also within a character.
  const before = text.indexOf('<core:cityObjectMember');
  const place = Buffer.byteLength(text.slice(0, text.indexOf(id)));
  const length = Buffer.byteLength(text.slice(text.indexOf(id), text.indexOf(name) + name.length));
  for (let cut = 0; cut <= length; cut++) {
    const filler = `<!--${'x'.repeat(4_096 - cut - place - 7)}-->`;
    const { summary, index, issues } = scan(
      text.slice(0, before) + filler + text.slice(before),
      [4_096, 1_000_000],
    );
    assert.deepEqual(issues, []);
    assert.equal(summary.places[0]?.name, '駅前&東口ビルA棟北館'.repeat(3), `${cut} bytes`);
    assert.equal(index.feature(0).id, '駅前&東口北'.repeat(3), `${cut} bytes`);
  }
});
