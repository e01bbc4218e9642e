/** What each format writes, byte for byte where it is text. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { finish } from '../../base/steps.ts';
import { cityJsonHeader, cityJsonTransform } from '../../citygml/formats/to-cityjson.ts';
import { geometriesOf } from '../../citygml/geometry/feature-geometry.ts';
import { polygon, feature as treeOf } from '../../citygml/testing/fixtures.ts';
import type { XmlElement } from '../../citygml/xml/feature-xml.ts';
import { CITYJSONSEQ_FORMAT } from './cityjsonseq-format.ts';
import { CSV_FORMAT } from './csv-format.ts';
import { FLATGEOBUF_FORMAT } from './flatgeobuf-format.ts';
import { chosenAttributes, type FeatureFormat, type FeatureParts, type WriterOptions } from './format.ts';
import { FORMATS, formatNamed } from './formats.ts';
import { GEOJSON_FORMAT } from './geojson-format.ts';
import { JSON_FORMAT } from './json-format.ts';

const OPTIONS: WriterOptions = { fields: null, flatten: true, tableBytes: 1 << 20 };
const NESTED: WriterOptions = { ...OPTIONS, flatten: false };

const element = (name: string, text: string, children: XmlElement[] = []): XmlElement => ({
  name,
  attributes: {},
  text,
  children,
});

function feature(...properties: Array<[name: string, text: string]>): FeatureParts {
  return {
    entry: { index: 0, id: null, element: 'bldg:Building', start: 0, end: 0, extent: null } as never,
    element: element(
      'bldg:Building',
      '',
      properties.map(([name, text]) => element(name, text)),
    ),
    labels: null,
    geometries: [],
    fallbackId: 'a#0',
  };
}

/** A feature with a footprint, from its XML; its altitudes are 2 and 6.5 metres. */
function drawn(xml: string): FeatureParts {
  const tree = treeOf(xml);
  const extent = { west: 139.001, south: 35.002, east: 140, north: 36, minAlt: 2, maxAlt: 6.5 };
  return {
    ...feature(),
    entry: { extent, hasAltitude: true, lod1Solid: true } as never,
    element: tree,
    geometries: geometriesOf(tree, { srsName: 'EPSG:6697', srsDimension: 3 }),
  };
}

const SQUARE = drawn(
  `<bldg:Building gml:id="b1"><bldg:usage>1</bldg:usage><bldg:usage>2</bldg:usage>
  <bldg:lod0FootPrint><gml:MultiSurface><gml:surfaceMember>${polygon([
    [
      [139.5, 35.5, 2],
      [139.75, 35.5, 2],
      [139.75, 35.75, 2],
      [139.5, 35.75, 2],
    ],
  ])}</gml:surfaceMember></gml:MultiSurface></bldg:lod0FootPrint></bldg:Building>`,
);
const LINE = drawn(
  `<tran:Road gml:id="r1"><tran:lod0Network><gml:LineString><gml:posList>35.5 139.5 2 35.75 139.5 2</gml:posList></gml:LineString></tran:lod0Network></tran:Road>`,
);

function written(format: FeatureFormat, features: FeatureParts[], options = OPTIONS): Buffer {
  const writer = format.writer(options);
  const pieces: Uint8Array[] = [];
  for (const one of features) {
    const record = writer.record(one);
    pieces.push(writer.batch([typeof record === 'string' ? record : finish(record)]));
  }
  return Buffer.concat([...pieces, ...writer.end()]);
}

test('every format is documented', () => {
  const docs = readFileSync(new URL('../../../docs/features.md', import.meta.url), 'utf8');
  for (const { name, contentType } of FORMATS) {
    assert.ok(docs.includes(`\`${name}\``), name);
    assert.ok(docs.includes(contentType.split(';')[0]!), contentType);
  }
});

test('formats differ in what they need and can do', () => {
  const facts = FORMATS.map(({ name, needsGeometry, listsIds, flatten }) => [
    name,
    needsGeometry,
    listsIds,
    flatten,
  ]);
  assert.deepEqual(facts, [
    ['json', false, true, 'optional'],
    ['geojson', true, false, 'optional'],
    ['cityjsonseq', true, false, 'never'],
    ['flatgeobuf', true, false, 'always'],
    ['csv', false, false, 'always'],
  ]);
  assert.equal(formatNamed('csv'), CSV_FORMAT);
  assert.equal(formatNamed('xml'), undefined);
});

test('chosen attributes bring their codes and units, and what they belong to', () => {
  const all = { 'gml:id': 'a', _type: 't', x: 1, x_code: 2, x_uom: 'm', x_other: 3, y: 4, y_code: 5 };
  assert.equal(chosenAttributes(all, null), all);
  const { y, y_code, x_other, ...chosen } = all;
  assert.deepEqual(chosenAttributes(all, new Set(['x'])), chosen);
  assert.deepEqual(chosenAttributes(all, new Set(['y_code'])), { 'gml:id': 'a', _type: 't', y_code: 5 });
});

describe('json', () => {
  const two = feature(['bldg:usage', '1'], ['bldg:usage', '2']);

  test('is an array of objects, nested or flat', () => {
    const nested = '{"_type":"bldg:Building","bldg:usage":["1","2"]}';
    assert.equal(written(JSON_FORMAT, [two, two], NESTED).toString(), `[${nested},${nested}]`);
    assert.equal(written(JSON_FORMAT, [two]).toString(), '[{"_type":"bldg:Building","bldg:usage":"1; 2"}]');
    assert.equal(written(JSON_FORMAT, []).toString(), '[]');
  });

  test('in batches of any size is the same', () => {
    const writer = JSON_FORMAT.writer(NESTED);
    const pieces = [writer.batch([]), writer.batch(['1', '2']), writer.batch([]), writer.batch(['3'])];
    assert.deepEqual(
      pieces.map((piece) => Buffer.from(piece).toString()),
      ['', '[1,2', '', ',3'],
    );
    assert.equal(Buffer.concat([...writer.end()]).toString(), ']');
  });
});

const RING = [
  [139.5, 35.5],
  [139.75, 35.5],
  [139.75, 35.75],
  [139.5, 35.75],
  [139.5, 35.5],
];

describe('geojson', () => {
  test('is a collection of footprints with heights, nested or flat', () => {
    const read = (options: WriterOptions) =>
      JSON.parse(written(GEOJSON_FORMAT, [SQUARE, LINE], options).toString());
    const square = {
      type: 'Feature',
      id: 'b1',
      geometry: { type: 'MultiPolygon', coordinates: [[RING]] },
      properties: {
        'gml:id': 'b1',
        _type: 'bldg:Building',
        'bldg:usage': ['1', '2'],
        height: 4.5,
        minAlt: 2,
        maxAlt: 6.5,
      },
    };
    const nested = read(NESTED);
    assert.equal(nested.type, 'FeatureCollection');
    assert.equal(nested.features.length, 2);
    assert.deepEqual(pick(nested.features[0]), square);
    assert.equal(nested.features[1].geometry.type, 'MultiLineString');
    const flat = read(OPTIONS);
    assert.deepEqual(pick(flat.features[0]), {
      ...square,
      properties: { ...square.properties, 'bldg:usage': '1; 2' },
    });
  });

  test('of nothing is an empty collection', () => {
    assert.equal(written(GEOJSON_FORMAT, []).toString(), '{"type":"FeatureCollection","features":[]}');
  });

  /** Without the bounds, which other tests are about. */
  function pick(one: { properties: Record<string, unknown> }) {
    const kept = Object.entries(one.properties).filter(([key]) => !key.startsWith('_bbox'));
    return { ...one, properties: Object.fromEntries(kept) };
  }
});

describe('cityjsonseq', () => {
  const lines = (features: FeatureParts[], options = NESTED) =>
    written(CITYJSONSEQ_FORMAT, features, options).toString().split('\n');

  test('begins with a header whose place is that of the first feature, and ends with a line end', () => {
    const found = lines([SQUARE, LINE]);
    assert.equal(found.length, 4);
    assert.deepEqual(JSON.parse(found[0]!), cityJsonHeader(cityJsonTransform(SQUARE.entry.extent)));
    assert.equal(JSON.parse(found[1]!).id, 'b1');
    assert.equal(JSON.parse(found[2]!).id, 'r1');
    assert.equal(found[3], '');
  });

  test('of nothing is a header', () => {
    const found = lines([]);
    assert.deepEqual(JSON.parse(found[0]!), cityJsonHeader(cityJsonTransform(null)));
    assert.deepEqual(found.slice(1), ['']);
  });

  test('keeps the attributes that are wanted', () => {
    const attributes = (fields: string[]) =>
      JSON.parse(lines([SQUARE], { ...NESTED, fields: new Set(fields) })[1]!).CityObjects.b1.attributes;
    assert.deepEqual(attributes(['bldg:usage'])['bldg:usage'], ['1', '2']);
    assert.equal(attributes(['bldg:class'])['bldg:usage'], undefined);
  });
});

describe('flatgeobuf', () => {
  async function opened(features: FeatureParts[], options = OPTIONS) {
    const bytes = written(FLATGEOBUF_FORMAT, features, options);
    const headers: HeaderMeta[] = [];
    const found: unknown[] = [];
    for await (const one of deserialize(bytes, {
      headerMetaFn: (header: HeaderMeta) => headers.push(header),
    }))
      found.push(one);
    return { header: headers[0]!, found: found as Array<{ geometry: unknown; properties: object }> };
  }

  test('has footprints, flat attributes and their types', async () => {
    const { header, found } = await opened([SQUARE]);
    assert.equal(header.geometryType, 6, 'MultiPolygon');
    assert.equal(header.featuresCount, 1);
    assert.equal(header.indexNodeSize, 0);
    assert.equal(header.crs?.code, 6668);
    const types = new Map(header.columns!.map(({ name, type, nullable }) => [name, [type, nullable]]));
    assert.deepEqual(types.get('bldg:usage'), [11, true], 'text');
    assert.deepEqual(types.get('maxAlt'), [10, true], 'a number');
    for (const { unique, primary_key, width, precision, scale } of header.columns!)
      assert.deepEqual([unique, primary_key, width, precision, scale], [false, false, -1, -1, -1]);
    assert.deepEqual(found[0]!.geometry, { type: 'MultiPolygon', coordinates: [[RING]] });
    assert.deepEqual(
      Object.entries(found[0]!.properties).filter(([name]) => /usage|Alt|height/.test(name)),
      [
        ['bldg:usage', '1; 2'],
        ['height', 4.5],
        ['minAlt', 2],
        ['maxAlt', 6.5],
      ],
    );
  });

  test('of several kinds of geometry says that they are unknown, and a line has its ends', async () => {
    const { header, found } = await opened([SQUARE, LINE, feature(['bldg:usage', '3'])]);
    assert.equal(header.geometryType, 0);
    assert.equal(header.featuresCount, 3);
    const line = [
      [139.5, 35.5],
      [139.5, 35.75],
    ];
    assert.deepEqual(found[1]!.geometry, { type: 'MultiLineString', coordinates: [line] });
    assert.deepEqual(found[2]!.properties, { _type: 'bldg:Building', 'bldg:usage': '3' });
  });

  test('a single line states its end too, for GDAL', () => {
    const bytes = written(FLATGEOBUF_FORMAT, [LINE]);
    // A list of one number, the count of its positions; readers that the library brings do without.
    assert.ok(bytes.includes(Buffer.from(Uint32Array.of(1, 2).buffer)));
  });

  test('a column of numbers and texts is of texts', async () => {
    const height = (text: string) => feature(['bldg:measuredHeight', text]);
    const { header, found } = await opened([height('1.5'), height('tall')]);
    assert.deepEqual(
      header.columns!.map(({ name, type }) => [name, type]),
      [
        ['_type', 11],
        ['bldg:measuredHeight', 11],
      ],
    );
    assert.deepEqual(
      found.map(({ properties }) => (properties as Record<string, unknown>)['bldg:measuredHeight']),
      ['1.5', 'tall'],
    );
  });

  test('of many features is sent in pieces', async () => {
    const many = Array.from({ length: 300 }, (_, i) => feature(['gml:description', `${i}`.padEnd(999, 'x')]));
    const writer = FLATGEOBUF_FORMAT.writer(OPTIONS);
    for (const one of many) {
      const record = writer.record(one);
      assert.equal(writer.batch([typeof record === 'string' ? record : finish(record)]).length, 0);
    }
    const all = [...writer.end()].map(({ length }) => length);
    assert.ok(all.length >= many.length / 32, 'nothing comes between, so that others may go first');
    const pieces = all.filter((length) => length > 0);
    assert.ok(
      pieces.length >= 4 && pieces.slice(0, -1).every((length) => length >= 65_536 && length < 70_000),
      `${pieces}`,
    );
    assert.equal((await opened(many)).found.length, 300);
  });
});

describe('csv', () => {
  test('has a byte order mark, one header, and CRLF', () => {
    const text = written(CSV_FORMAT, [
      feature(['gml:description', 'a "b", c'], ['bldg:storeysAboveGround', '3']),
      feature(['bldg:measuredHeight', '1.5'], ['gml:description', 'two\nlines']),
    ]).toString();
    assert.equal(
      text,
      '\ufeff_type,gml:description,bldg:storeysAboveGround,bldg:measuredHeight\r\n' +
        'bldg:Building,"a ""b"", c",3,\r\n' +
        'bldg:Building,"two\nlines",,1.5\r\n',
    );
  });

  test('lets no text run as a formula, and leaves numbers alone', () => {
    const cell = (text: string) =>
      written(CSV_FORMAT, [feature(['gml:description', text])])
        .toString()
        .split('\r\n')[1]!
        .slice('bldg:Building,'.length);
    assert.equal(cell('=1+2'), "'=1+2");
    assert.equal(cell('@SUM(A1)'), "'@SUM(A1)");
    assert.equal(cell('-cmd|x'), "'-cmd|x");
    assert.equal(cell('+1,2'), '"\'+1,2"');
    assert.equal(cell('-9999'), '-9999');
    assert.equal(cell('a=b'), 'a=b');
    assert.equal(cell('"'), '""""');
  });

  test('of many features is sent in pieces', () => {
    const many = Array.from({ length: 300 }, (_, i) => feature(['gml:description', `${i}`.padEnd(999, 'x')]));
    const writer = CSV_FORMAT.writer(OPTIONS);
    for (const one of many) assert.equal(writer.batch([writer.record(one) as string]).length, 0);
    const pieces = [...writer.end()].map((piece) => Buffer.from(piece).toString());
    assert.ok(
      pieces.length >= 4 && pieces.slice(0, -1).every(({ length }) => length >= 65_536 && length < 70_000),
    );
    assert.equal(pieces.join('').split('\r\n').length, 302);
  });

  test('has the altitudes of a feature', () => {
    const [header, line] = written(CSV_FORMAT, [SQUARE]).toString().split('\r\n');
    assert.match(header!, /,bldg:usage(,.*)?,height,minAlt,maxAlt$/);
    assert.match(line!, /,1; 2(,.*)?,4\.5,2,6\.5$/);
  });

  test('of nothing is a header', () => {
    assert.equal(written(CSV_FORMAT, []).toString(), '\ufeff\r\n');
  });

  test('a table that is too large is 413 with a way out', () => {
    const long = 'x'.repeat(1000);
    const options = { ...OPTIONS, tableBytes: 10_000 };
    assert.throws(
      () =>
        written(
          CSV_FORMAT,
          Array.from({ length: 10 }, () => feature(['gml:description', long])),
          options,
        ),
      (error: { status: number; reason: string }) => error.status === 413 && /geojson/.test(error.reason),
    );
  });
});
