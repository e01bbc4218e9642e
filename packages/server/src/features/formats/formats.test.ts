/** What each format writes, byte for byte where it is text. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { finish, Slices } from '@citymodel/base';
import { cityJsonHeader, cityJsonTransform, geometriesOf, type XmlElement } from '@citymodel/citygml';
import { polygon, feature as treeOf } from '@citymodel/citygml/testing';
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { CITYJSONSEQ_FORMAT } from './cityjsonseq-format.ts';
import { CSV_FORMAT } from './csv-format.ts';
import { FLATGEOBUF_FORMAT } from './flatgeobuf-format.ts';
import {
  chosenAttributes,
  type FeatureFormat,
  type FeatureParts,
  type FeatureWriter,
  type WriterOptions,
} from './format.ts';
import { FORMATS, formatNamed } from './formats.ts';
import { GEOJSON_FORMAT } from './geojson-format.ts';
import { JSON_FORMAT } from './json-format.ts';
import { SpoolSpace } from './record-spool.ts';

const DIRECTORY = mkdtempSync(join(tmpdir(), 'citymodel-spool-'));
after(() => rm(DIRECTORY, { recursive: true }));

/** Memory as given, and a megabyte of disk. */
function roomOf(memoryBytes: number, diskBytes = 1 << 20) {
  return { memoryBytes, space: new SpoolSpace(join(DIRECTORY, 'spool'), diskBytes) };
}

const OPTIONS: WriterOptions = { fields: null, flatten: true, tableRoom: roomOf(1 << 20) };
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
    hasVersion2Names: false,
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
  `<tran:Road gml:id="r1"><tran:lod0Network><gml:LineString><gml:posList>35.5 139.5 2 35.75 139.5 2</gml:posList>` +
    `</gml:LineString></tran:lod0Network></tran:Road>`,
);

async function written(format: FeatureFormat, features: FeatureParts[], options = OPTIONS): Promise<Buffer> {
  return Buffer.concat(await piecesOf(format.writer(options), features));
}

async function textOf(...args: Parameters<typeof written>): Promise<string> {
  const bytes = await written(...args);
  return bytes.toString();
}

/** What a writer makes of features, one a batch. */
async function piecesOf(writer: FeatureWriter, features: FeatureParts[]): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of writer.pieces(recordsOf(writer, features), slices())) pieces.push(bytes);
  return pieces;
}

/** Records of features, one a batch. */
async function* recordsOf(writer: FeatureWriter, features: FeatureParts[]): AsyncGenerator<unknown[]> {
  for (const one of features) yield [finish(writer.record(one))];
}

/** Slices that are due at every look at the clock; `onPause` is told of each. */
function slices(onPause = () => {}): Slices {
  return new Slices(async () => onPause(), 0);
}

test('every format is documented', () => {
  const docs = readFileSync(new URL('../../../../../docs/features.md', import.meta.url), 'utf8');
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
    ['geoparquet', true, false, 'always'],
    ['csv', false, false, 'always'],
  ]);
  assert.equal(formatNamed('csv'), CSV_FORMAT);
  assert.equal(formatNamed('xml'), undefined);
});

test('a format that waits begins its answer behind the last feature, every other one before', async () => {
  for (const format of FORMATS) {
    const writer = format.writer(format.flatten === 'never' ? NESTED : OPTIONS);
    let isWhole = false;
    const records = async function* () {
      yield* recordsOf(writer, [SQUARE, SQUARE, SQUARE]);
      isWhole = true;
    };
    const pieces = writer.pieces(records(), slices());
    await pieces.next();
    assert.equal(isWhole, format.waits, format.name);
    await pieces.return();
  }
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

  test('is an array of objects, nested or flat', async () => {
    const nested = '{"_type":"bldg:Building","bldg:usage":["1","2"]}';
    assert.equal(await textOf(JSON_FORMAT, [two, two], NESTED), `[${nested},${nested}]`);
    assert.equal(await textOf(JSON_FORMAT, [two]), '[{"_type":"bldg:Building","bldg:usage":"1; 2"}]');
    assert.equal(await textOf(JSON_FORMAT, []), '[]');
  });

  test('has the names of CityGML 2.0 where they are asked for, and fields mean these', async () => {
    const dated = feature(['con:dateOfConstruction', '1999-04-01'], ['bldg:usage', '1']);
    const old = { ...dated, hasVersion2Names: true };
    const options = { ...NESTED, fields: new Set(['bldg:yearOfConstruction']) };
    assert.equal(await textOf(JSON_FORMAT, [dated], options), '[{"_type":"bldg:Building"}]');
    assert.equal(
      await textOf(JSON_FORMAT, [old], options),
      '[{"_type":"bldg:Building","bldg:yearOfConstruction":"1999"}]',
    );
  });

  test('in batches of any size is the same', async () => {
    const asked: number[] = [];
    async function* batches(): AsyncGenerator<Uint8Array[]> {
      for (const batch of [[], ['1', '2'], [], ['3']]) {
        asked.push(batch.length);
        yield batch.map((text) => Buffer.from(text));
      }
    }
    const pieces: string[] = [];
    for await (const piece of JSON_FORMAT.writer(NESTED).pieces(batches(), slices())) {
      pieces.push(`${asked.length}: ${Buffer.from(piece)}`);
    }
    assert.deepEqual(pieces, ['2: [1,2', '4: ,3', '4: ]'], 'no batch is read before the last one was taken');
  });

  test('of a large batch is sent in pieces, between which others go first', async () => {
    const text = Buffer.from(`"${'x'.repeat(999)}"`);
    async function* batches(): AsyncGenerator<Uint8Array[]> {
      yield Array.from({ length: 4_000 }, () => text);
    }
    let pauses = 0;
    const pieces: Uint8Array[] = [];
    const writer = JSON_FORMAT.writer(NESTED);
    for await (const piece of writer.pieces(
      batches(),
      slices(() => void pauses++),
    )) {
      pieces.push(piece);
    }
    assert.ok(pauses >= 3, `${pauses} pauses`);
    assert.ok(pieces.length >= 4 && pieces.every(({ length }) => length < 1_060_000));
    assert.equal(JSON.parse(Buffer.concat(pieces).toString()).length, 4_000);
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
  test('is a collection of footprints with heights, nested or flat', async () => {
    const read = async (options: WriterOptions) =>
      JSON.parse(await textOf(GEOJSON_FORMAT, [SQUARE, LINE], options));
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
    const nested = await read(NESTED);
    assert.equal(nested.type, 'FeatureCollection');
    assert.equal(nested.features.length, 2);
    assert.deepEqual(pick(nested.features[0]), square);
    assert.equal(nested.features[1].geometry.type, 'MultiLineString');
    const flat = await read(OPTIONS);
    assert.deepEqual(pick(flat.features[0]), {
      ...square,
      properties: { ...square.properties, 'bldg:usage': '1; 2' },
    });
  });

  test('of nothing is an empty collection', async () => {
    assert.equal(await textOf(GEOJSON_FORMAT, []), '{"type":"FeatureCollection","features":[]}');
  });

  /** Without the bounds, which other tests are about. */
  function pick(one: { properties: Record<string, unknown> }) {
    const kept = Object.entries(one.properties).filter(([key]) => !key.startsWith('_bbox'));
    return { ...one, properties: Object.fromEntries(kept) };
  }
});

describe('cityjsonseq', () => {
  const lines = async (features: FeatureParts[], options = NESTED) =>
    (await textOf(CITYJSONSEQ_FORMAT, features, options)).split('\n');

  test('begins with a header whose place is that of the first feature, and ends with a line end', async () => {
    const found = await lines([SQUARE, LINE]);
    assert.equal(found.length, 4);
    assert.deepEqual(JSON.parse(found[0]!), cityJsonHeader(cityJsonTransform(SQUARE.entry.extent)));
    assert.equal(JSON.parse(found[1]!).id, 'b1');
    assert.equal(JSON.parse(found[2]!).id, 'r1');
    assert.equal(found[3], '');
  });

  test('of nothing is a header', async () => {
    const found = await lines([]);
    assert.deepEqual(JSON.parse(found[0]!), cityJsonHeader(cityJsonTransform(null)));
    assert.deepEqual(found.slice(1), ['']);
  });

  test('makes a feature in one turn and writes it in another: of one of megabytes both take long', async () => {
    const record = CITYJSONSEQ_FORMAT.writer(OPTIONS).record(SQUARE);
    assert.deepEqual(record.next(), { done: false, value: undefined });
    const { done, value } = record.next();
    assert.equal(done, true);
    assert.equal(JSON.parse(String(value)).id, 'b1');
  });

  test('keeps the attributes that are wanted', async () => {
    const attributes = async (fields: string[]) =>
      JSON.parse((await lines([SQUARE], { ...NESTED, fields: new Set(fields) }))[1]!).CityObjects.b1
        .attributes;
    assert.deepEqual((await attributes(['bldg:usage']))['bldg:usage'], ['1', '2']);
    assert.equal((await attributes(['bldg:class']))['bldg:usage'], undefined);
  });
});

describe('flatgeobuf', () => {
  async function opened(features: FeatureParts[], options = OPTIONS) {
    const bytes = await written(FLATGEOBUF_FORMAT, features, options);
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

  test('a single line states its end too, for GDAL', async () => {
    const bytes = await written(FLATGEOBUF_FORMAT, [LINE]);
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
    let pauses = 0;
    const writer = FLATGEOBUF_FORMAT.writer(OPTIONS);
    const pieces: number[] = [];
    for await (const { length } of writer.pieces(
      recordsOf(writer, many),
      slices(() => void pauses++),
    )) {
      pieces.push(length);
    }
    assert.ok(pauses >= Math.floor(many.length / 32), 'others may go first');
    assert.ok(
      pieces.length >= 4 && pieces.slice(0, -1).every((length) => length >= 65_536 && length < 70_000),
      `${pieces}`,
    );
    assert.equal((await opened(many)).found.length, 300);
  });
});

describe('csv', () => {
  test('has a byte order mark, one header, and CRLF', async () => {
    const text = await textOf(CSV_FORMAT, [
      feature(['gml:description', 'a "b", c'], ['bldg:storeysAboveGround', '3']),
      feature(['bldg:measuredHeight', '1.5'], ['gml:description', 'two\nlines']),
    ]);
    assert.equal(
      text,
      '\ufeff_type,gml:description,bldg:storeysAboveGround,bldg:measuredHeight\r\n' +
        'bldg:Building,"a ""b"", c",3,\r\n' +
        'bldg:Building,"two\nlines",,1.5\r\n',
    );
  });

  test('lets no text run as a formula, and leaves numbers alone', async () => {
    const cell = async (text: string) =>
      (await textOf(CSV_FORMAT, [feature(['gml:description', text])]))
        .split('\r\n')[1]!
        .slice('bldg:Building,'.length);
    assert.equal(await cell('=1+2'), "'=1+2");
    assert.equal(await cell('@SUM(A1)'), "'@SUM(A1)");
    assert.equal(await cell('-cmd|x'), "'-cmd|x");
    assert.equal(await cell('+1,2'), '"\'+1,2"');
    assert.equal(await cell('-9999'), '-9999');
    assert.equal(await cell('a=b'), 'a=b');
    assert.equal(await cell('"'), '""""');
    for (const sign of '＝＋－＠') assert.equal(await cell(`${sign}A1`), `'${sign}A1`);
    assert.equal(await cell('x; =A1'), '"x; =A1"', 'nothing behind a semicolon is a cell of its own');
  });

  test('of many features is sent in pieces', async () => {
    const many = Array.from({ length: 300 }, (_, i) => feature(['gml:description', `${i}`.padEnd(999, 'x')]));
    const csv = await piecesOf(CSV_FORMAT.writer(OPTIONS), many);
    const pieces = csv.map((piece) => Buffer.from(piece).toString());
    assert.ok(
      pieces.length >= 4 && pieces.slice(0, -1).every(({ length }) => length >= 65_536 && length < 70_000),
    );
    assert.equal(pieces.join('').split('\r\n').length, 302);
  });

  test('has the altitudes of a feature', async () => {
    const [header, line] = (await textOf(CSV_FORMAT, [SQUARE])).split('\r\n');
    assert.match(header!, /,bldg:usage(,.*)?,height,minAlt,maxAlt$/);
    assert.match(line!, /,"1; 2"(,.*)?,4\.5,2,6\.5$/);
  });

  test('of nothing is a header', async () => {
    assert.equal(await textOf(CSV_FORMAT, []), '\ufeff\r\n');
  });

  test('of more features than memory holds waits on the disk, and is the same', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) =>
      feature(['gml:name', `建物 ${i}`], ['gml:description', 'x'.repeat(500)], [`uro:a${i % 7}`, `${i}`]),
    );
    const options = { ...OPTIONS, tableRoom: roomOf(10_000) };
    const writer = CSV_FORMAT.writer(options);
    const pieces: Uint8Array[] = [];
    for await (const bytes of writer.pieces(recordsOf(writer, many), slices())) {
      if (pieces.length === 0) {
        assert.deepEqual(await readdir(join(DIRECTORY, 'spool')), [], 'the file has no name');
      }
      pieces.push(bytes);
    }
    const inMemory = await written(CSV_FORMAT, many, { ...OPTIONS, tableRoom: roomOf(1 << 24) });
    assert.ok(Buffer.concat(pieces).equals(inMemory));
    assert.equal(inMemory.toString().split('\r\n').length, 3_002);
  });

  test('a table that is too large for the disk is 413 with a way out; beside another that fills it, 503', async () => {
    // Digits without a pattern hardly deflate.
    const long = (i: number) => Array.from({ length: 60 }, (_, k) => Math.sin(i * 61 + k)).join();
    const many = Array.from({ length: 300 }, (_, i) => feature(['gml:description', long(i)]));
    const options = { ...OPTIONS, tableRoom: roomOf(1_000, 200_000) };
    await assert.rejects(
      written(CSV_FORMAT, [...many, ...many, ...many], options),
      (error: { status: number; reason: string }) => error.status === 413 && /geojson/.test(error.reason),
    );
    const first = CSV_FORMAT.writer(options);
    const pieces = first.pieces(recordsOf(first, many), slices());
    await pieces.next();
    await assert.rejects(written(CSV_FORMAT, many, options), { status: 503, message: 'unavailable' });
    // Broken off, it gives back what it keeps.
    await pieces.return();
    assert.ok((await written(CSV_FORMAT, many, options)).length > 200_000);
  });

  test('a disk that cannot be written is 503', async () => {
    const options = {
      ...OPTIONS,
      tableRoom: { memoryBytes: 10, space: new SpoolSpace('/dev/null/spool', 1e6) },
    };
    await assert.rejects(written(CSV_FORMAT, [SQUARE], options), { status: 503, message: 'unavailable' });
  });
});
