import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '@citymodel/base';
import fc from 'fast-check';
import { FeatureIndex } from '../index/feature-index.ts';
import { block, cityModel, DECLARATIONS, member, polygon } from '../testing/gml-text.ts';
import { namespaceContext, parseFeature } from '../xml/feature-xml.ts';
import { GmlScanner } from './scanner.ts';
import type { GmlSummary } from './summary.ts';

interface Scanned {
  summary: GmlSummary;
  issues: Issue[];
  index: FeatureIndex;
  hints: number[];
}

function scan(text: string | Uint8Array, sizes: readonly number[] = [1 << 20]): Scanned {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const issues: Issue[] = [];
  const hints: number[] = [];
  const scanner = new GmlScanner({
    member: 'udx/bldg/x.gml',
    onIssue: (issue) => issues.push(issue),
    blockHint: (offset) => hints.push(offset),
  });
  let k = 0;
  for (let i = 0; i < bytes.length; ) {
    const size = sizes[k++ % sizes.length]!;
    scanner.push(bytes.subarray(i, i + size));
    i += size;
  }
  const summary = scanner.end();
  return { summary, issues, hints, index: FeatureIndex.open(summary.featureIndex) };
}

const building = (id: string, content: string) =>
  member(`<bldg:Building gml:id="${id}">${content}</bldg:Building>`);
const solid = `<bldg:lod1Solid>${block(35.5, 139.5, 0.001, 2, 12)}</bldg:lod1Solid>`;

/** A text with everything that the scanner has to tell apart. */
const EVERYTHING = cityModel(
  `  <!-- <core:cityObjectMember> > -- -->`.replace(' -- ', ' - ') +
    `<?target <x> ?>\r\n` +
    building(
      'b&amp;1',
      `<gml:name>駅前ビル</gml:name><bldg:class codeSpace="../../codelists/Building_class.xml">3001</bldg:class>
      <bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember>${polygon([
        [35.5, 139.5, 0],
        [35.5, 139.502, 0],
        [35.501, 139.502, 0],
      ])}</gml:surfaceMember></gml:MultiSurface></bldg:lod0RoofEdge>${solid}
      <bldg:address><core:Address><core:xalAddress><xAL:AddressDetails><xAL:Locality>\
<xAL:LocalityName>見本県見本市</xAL:LocalityName><xAL:DependentLocality>\
<xAL:DependentLocalityName>緑町&#x4E00;丁目</xAL:DependentLocalityName></xAL:DependentLocality></xAL:Locality>\
</xAL:AddressDetails></core:xalAddress></core:Address></bldg:address>
      <uro:city codeSpace='../../codelists/Common_localPublicAuthorities.xml'> 99101
      </uro:city>`,
    ) +
    `<core:cityObjectMember/><core:cityObjectMember></core:cityObjectMember>` +
    member(`<tran:Road><gml:description><![CDATA[<not a tag> & no reference]]></gml:description>
      <uro:roadDmAttribute><uro:DmGeometricAttribute><uro:lod0Geometry><gml:Point srsName="EPSG:6668" \
srsDimension="3"><gml:pos>35 139 0</gml:pos></gml:Point></uro:lod0Geometry></uro:DmGeometricAttribute>\
</uro:roadDmAttribute>
      <tran:lod1MultiSurface><gml:MultiSurface><gml:surfaceMember>${polygon([
        [35.6, 139.6, 0],
        [35.6, 139.61, 0],
        [35.61, 139.61, 0],
      ])}</gml:surfaceMember></gml:MultiSurface></tran:lod1MultiSurface></tran:Road>`) +
    building('c', solid) +
    building('c', '') +
    `<app:appearanceMember><app:Appearance><app:imageURI>x_appearance/1.jpg</app:imageURI></app:Appearance>` +
    `</app:appearanceMember>`,
  ` xsi:schemaLocation="https://www.geospatial.jp/iur/uro/3.1 ../../schemas/iur/uro/3.1/urbanObject.xsd http://a ` +
    `http://b/c.xsd"`,
);

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

test('each fault has its code, line and byte', () => {
  const cases: Array<[name: string, text: string | Buffer, code: string, fragment: string]> = [
    ['nothing', '', 'EMPTY_FILE', ''],
    ['blanks', ' \n ', 'EMPTY_FILE', ''],
    ['plain text', 'これは文章です。', 'NOT_XML', 'こ'],
    ['only a comment', '<!-- x -->', 'NOT_XML', ''],
    ['another tag', '<a>\n<b></a>', 'MISMATCHED_TAG', '</a>'],
    ['a longer name', '<a>\n</ab>', 'MISMATCHED_TAG', '</ab>'],
    ['no end', '<a>', 'NOT_WELL_FORMED', ''],
    ['two roots', '<a/><b/>', 'NOT_WELL_FORMED', '<b/>'],
    ['text after', '<a/>x', 'NOT_WELL_FORMED', 'x'],
    ['no quotes', '<a b=c/>', 'NOT_WELL_FORMED', 'c/'],
    ['no value', '<a b/>', 'NOT_WELL_FORMED', 'b/'],
    ['twice', '<a b="" b=""/>', 'NOT_WELL_FORMED', 'b=""/'],
    ['no blank', '<a b=""c=""/>', 'NOT_WELL_FORMED', 'c='],
    ['< in a value', '<a b="<"/>', 'NOT_WELL_FORMED', '<"/'],
    ['lone &', '<a>x & y</a>', 'NOT_WELL_FORMED', '& y'],
    ['an entity', '<a>&nbsp;</a>', 'NOT_WELL_FORMED', '&nbsp;'],
    ['an entity in a value', '<a b="&x;"/>', 'NOT_WELL_FORMED', '&x;'],
    ['a bad tag', '<a><1/></a>', 'NOT_WELL_FORMED', '<1'],
    ['-- in a comment', '<a><!-- -- --></a>', 'NOT_WELL_FORMED', '-- -->'],
    ['prefix of an element', '<x:a/>', 'UNBOUND_PREFIX', '<x:a'],
    ['prefix of an attribute', '<a x:b="1"/>', 'UNBOUND_PREFIX', '1'],
    ['two colons', '<a:b:c/>', 'NOT_WELL_FORMED', '<a:b'],
    ['entities declared', '<!DOCTYPE a [<!ENTITY x "y">]><a/>', 'DOCTYPE', '<!DOCTYPE'],
    ['declaration inside', '<a><?xml version="1.0"?></a>', 'NOT_WELL_FORMED', '<?xml'],
    ['UTF-16', Buffer.from('\ufeff<a/>', 'utf16le'), 'ENCODING', ''],
    ['deep', `${'<a>'.repeat(1001)}`, 'NOT_WELL_FORMED', ''],
  ];
  for (const [name, text, code, fragment] of cases) {
    const { summary, issues } = scan(text);
    const fault = issues.find((issue) => issue.code === code);
    assert.ok(fault, `${name}: ${JSON.stringify(issues)}`);
    assert.equal(summary.wellFormed, false, name);
    assert.equal(fault.severity, 'error');
    if (fragment !== '') {
      const at = Buffer.from(text as string).indexOf(fragment);
      assert.equal(fault.byte, at, name);
      assert.equal(fault.line, (text as string).slice(0, at).split('\n').length, name);
    }
  }
});

test('a document type without declarations is passed, another root is told', () => {
  const { summary, issues } = scan('<!DOCTYPE html SYSTEM "[>"><html/>');
  assert.deepEqual(
    issues.map((issue) => issue.code),
    ['DOCTYPE', 'NOT_CITYGML'],
  );
  assert.equal(summary.wellFormed, true);
  assert.equal(summary.features, 0);
});

test('encodings: what is not UTF-8 is damaged, what only says so is not', () => {
  const declared = EVERYTHING.replace('encoding="UTF-8"', "encoding='Shift_JIS'");
  const same = scan(declared);
  assert.equal(same.summary.wellFormed, true);
  assert.equal(same.issues.find((issue) => issue.code === 'ENCODING')?.severity, 'warning');
  const bytes = Buffer.from(declared);
  const at = bytes.indexOf('駅');
  bytes[at] = 0x8a;
  for (const sizes of [[1], [4096], [1 << 20]]) {
    const damaged = scan(bytes, sizes);
    assert.equal(damaged.summary.wellFormed, false);
    assert.equal(damaged.summary.features, 4);
    const issue = damaged.issues.find((one) => one.code === 'ENCODING');
    assert.equal(issue?.severity, 'error');
    assert.equal(issue?.byte, at);
  }
  const marked = scan(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(EVERYTHING)]));
  assert.equal(marked.summary.wellFormed, true);
  assert.equal(marked.index.feature(0).start, scan(EVERYTHING).index.feature(0).start + 3);
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

test('reports what is not well formed wherever it stands, in chunks of any size', () => {
  const positions = (text: string) =>
    cityModel(
      building(
        'a',
        `<bldg:lod0RoofEdge><gml:LineString><gml:posList>35.5 139.5 0 ${text} 35.6 139.6 0</gml:posList>` +
          `</gml:LineString></bldg:lod0RoofEdge>`,
      ),
    );
  const plain = (text: string) => cityModel(building('a', text));
  const declared = (text: string) => plain('').replace(/^<\?xml.*?\?>/, text);
  const broken = [
    ...[' & ', '&#x0;', '&nbsp;', '&#', 'a]]>b', '1]]>', '\u0001', '1\u0000', 'x\u001f', '&amp'].flatMap(
      (text) => [positions(text), plain(`<gml:name>${text}</gml:name>`), plain(text)],
    ),
    ...['\u0000', '&#x0;', '&', '\u000b'].map((text) => plain(`<gml:name codeSpace="${text}">1</gml:name>`)),
    ...['<!-- \u0002 -->', '<![CDATA[\u0003]]>', '<?target \u0004?>', '<? x?>', '<?XML x?>', '<?xml?>'].map(
      plain,
    ),
    ...[
      '<?xml?>',
      '<?xml encoding="UTF-8"?>',
      '<?xml version="2.0"?>',
      '<?xml version="1.0" encoding=UTF-8?>',
      '<?xml version="1.0" encoding="UTF-8" standalone="maybe"?>',
      '<?xml version="1.0" encoding="UTF-8" more="yes"?>',
      '<?xml version=\'1.0"?>',
    ].map(declared),
  ];
  const sound = [
    ...['&amp;', '&#32;', '&#x20;', 'a]]b', ']', ']]', '&lt;'].flatMap((text) => [
      positions(text),
      plain(`<gml:name>${text}</gml:name>`),
    ]),
    ...['<![CDATA[]]>', '<![CDATA[ ]]]]>', '<!-- ]]> -->', '<?a?>', '<?xml-stylesheet ]]>?>', '\t\r\n'].map(
      plain,
    ),
    plain('<gml:name codeSpace="]]>">1</gml:name>'),
    ...["<?xml version='1.0'?>", '<?xml version="1.1" encoding=\'UTF-8\' standalone="no" ?>', ''].map(
      declared,
    ),
  ];
  for (const sizes of [[1 << 20], [1], [5_000, 3]]) {
    for (const [texts, wellFormed] of [
      [broken, false],
      [sound, true],
    ] as const) {
      for (const text of texts) {
        const { summary, issues } = scan(text, sizes);
        assert.equal(summary.wellFormed, wellFormed, `${JSON.stringify(text.slice(-200))} in ${sizes}`);
        const codes = issues.map(({ code }) => code);
        if (!wellFormed)
          assert.ok(codes.includes('NOT_WELL_FORMED'), `${codes} ${JSON.stringify(text.slice(-200))}`);
      }
    }
  }
});

test('breaks off a text that takes more memory than any honest one, and says why', () => {
  const scope = (level: number) =>
    `<bldg:a ${Array.from({ length: 499 }, (_, i) => `xmlns:p${i}="u${level}"`).join(' ')}>`;
  const nested = (depth: number) =>
    cityModel(building('a', Array.from({ length: depth }, (_, level) => scope(level)).join('')));
  assert.equal(scan(nested(19)).summary.overBudget, null);
  assert.match(scan(nested(21)).summary.overBudget!, /10000 namespaces are declared/);
  const names = Array.from({ length: 20_001 }, (_, i) => `<bldg:n${i}/>`).join('');
  assert.match(scan(cityModel(building('a', names))).summary.overBudget!, /more than 20000 names/);
});

test('a declaration that XML forbids is a fault of the file, one that it allows is not', () => {
  const scanned = (declaration: string) =>
    scan(Buffer.from(cityModel(member(`<bldg:Building ${declaration} gml:id="a"/>`))));
  const fine = scanned('xmlns:xml="http://www.w3.org/XML/1998/namespace"');
  assert.ok(fine.summary.wellFormed);
  const wrong = scanned('xmlns:xml="x"');
  assert.equal(wrong.summary.wellFormed, false);
  assert.match(wrong.issues.map(({ message }) => message).join(), /prefix xml is bound to another namespace/);
});

test('a text that is not UTF-8 is told with the encoding that it declares, where that is another', () => {
  const reason = (declared: string) => {
    const head = Buffer.from(`<?xml version="1.0"${declared}?><a>`);
    const { issues } = scan(Buffer.concat([head, Buffer.of(0x83, 0x4a), Buffer.from('</a>')]));
    return issues.find(({ code }) => code === 'ENCODING')?.message;
  };
  assert.equal(reason(''), 'The text is not UTF-8; only UTF-8 is read.');
  assert.equal(reason(' encoding="UTF-8"'), 'The text is not UTF-8; only UTF-8 is read.');
  assert.equal(
    reason(' encoding="Shift_JIS"'),
    'The text is not UTF-8 and declares shift_jis; only UTF-8 is read.',
  );
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
