import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { finish, Slices } from '@citymodel/base';
import { geometriesOf } from '@citymodel/citygml';
import { feature as treeOf } from '@citymodel/citygml/testing';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { TableRow } from './feature-table.ts';
import type { FeatureParts } from './format.ts';
import { GEOPARQUET_FORMAT } from './geoparquet-format.ts';
import type { Place } from './geoparquet-geometry.ts';
import { hilbertPlace } from './hilbert-place.ts';
import { ParquetGroups } from './parquet-groups.ts';
import { SpoolSpace } from './record-spool.ts';

const COMPRESSORS = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };
const CORNER = [139.5, 35.5] as const;

/** A tree that stands at so many hundredths of a degree from a corner. */
function tree(id: string, x: number, y: number, properties = ''): FeatureParts {
  const [lng, lat] = [CORNER[0] + x / 100, CORNER[1] + y / 100];
  const point = `<gml:Point><gml:pos>${lat} ${lng} 3</gml:pos></gml:Point>`;
  const element = treeOf(
    `<veg:SolitaryVegetationObject gml:id="${id}">${properties}
    <veg:lod0Geometry>${point}</veg:lod0Geometry></veg:SolitaryVegetationObject>`,
  );
  return {
    entry: {
      extent: { west: lng, east: lng, south: lat, north: lat, minAlt: 3, maxAlt: 3 },
      hasAltitude: true,
    } as never,
    element,
    labels: null,
    geometries: geometriesOf(element, { srsName: 'EPSG:6697', srsDimension: 3 }),
    fallbackId: id,
    hasVersion2Names: false,
  };
}

async function written(features: FeatureParts[], memoryBytes = 1 << 20): Promise<ArrayBuffer> {
  const writer = GEOPARQUET_FORMAT.writer({
    fields: null,
    flatten: true,
    tableRoom: { memoryBytes, space: new SpoolSpace(tmpdir(), 1 << 22) },
  });
  async function* records() {
    for (const one of features) yield [finish(writer.record(one))];
  }
  const pieces: Uint8Array[] = [];
  for await (const bytes of writer.pieces(records(), new Slices(async () => {}, 0))) pieces.push(bytes);
  return Uint8Array.from(Buffer.concat(pieces)).buffer;
}

describe('GeoParquet', () => {
  test('states its columns, its geometry and where it lies', async () => {
    const file = await written([
      tree('a', 0, 0, '<veg:height uom="m">4.5</veg:height><veg:species>1</veg:species>'),
      tree('b', 10, 10),
    ]);
    const metadata = parquetMetadata(file);
    assert.equal(metadata.num_rows, 2n);
    assert.equal(metadata.row_groups.length, 1);
    assert.equal(metadata.created_by, 'citymodel');
    const geo = JSON.parse(metadata.key_value_metadata!.find(({ key }) => key === 'geo')!.value!);
    assert.equal(geo.version, '1.1.0');
    const { bbox, geometry_types, crs, covering } = geo.columns.geometry;
    assert.deepEqual(
      bbox.map((value: number) => Math.round(value * 100) / 100),
      [139.5, 35.5, 139.6, 35.6],
    );
    assert.deepEqual(geometry_types, ['MultiPoint']);
    assert.deepEqual(crs.id, { authority: 'EPSG', code: 6668 });
    assert.deepEqual(covering.bbox.xmin, ['bbox', 'xmin']);
    const [first, second] = await parquetReadObjects({ file, compressors: COMPRESSORS });
    assert.equal(first!['gml:id'], 'a');
    assert.equal(first!['veg:height'], 4.5);
    assert.equal(first!['veg:species'], '1');
    assert.equal(second!['veg:species'], null);
    assert.equal((first!.bbox as { xmin: number }).xmin, 139.5);
    assert.deepEqual(first!.geometry, { type: 'MultiPoint', coordinates: [[139.5, 35.5]] });
  });

  test('columns are of numbers, of truths and of texts', async () => {
    const file = await written([
      tree('a', 0, 0, '<veg:height uom="m">4.5</veg:height><brid:isMovable>true</brid:isMovable>'),
      tree('b', 1, 1, '<brid:isMovable>false</brid:isMovable><veg:class>1</veg:class>'),
      tree('c', 2, 2),
    ]);
    const types = new Map(parquetMetadata(file).schema.map(({ name, type }) => [name, type]));
    const named = ['veg:height', 'brid:isMovable', 'veg:class', 'geometry', 'xmin'].map((name) =>
      types.get(name),
    );
    assert.deepEqual(named, ['DOUBLE', 'BOOLEAN', 'BYTE_ARRAY', 'BYTE_ARRAY', 'DOUBLE']);
    const rows = await parquetReadObjects({ file, compressors: COMPRESSORS });
    assert.deepEqual(
      rows.map((row) => [row['veg:height'], row['brid:isMovable'], row['veg:class']]),
      [
        [4.5, true, null],
        [null, false, '1'],
        [null, null, null],
      ],
    );
  });

  test('a group has statistics of boxes and numbers, and rows that are near stand near', async () => {
    // By turns from two places far from each other, kept on the disk.
    const features = Array.from({ length: 40 }, (_, n) => tree(`t${n}`, (n % 2) * 90 + n / 20, n / 20));
    const file = await written(features, 1_000);
    const rows = await parquetReadObjects({ file, compressors: COMPRESSORS });
    const sides = rows.map(({ bbox }) => Number((bbox as { xmin: number }).xmin > 139.9));
    assert.deepEqual(sides, [...sides].sort(), 'each place by itself');
    const [group] = parquetMetadata(file).row_groups;
    const xmin = group!.columns.find(({ meta_data }) => meta_data!.path_in_schema.join('.') === 'bbox.xmin')!;
    const { min_value, max_value } = xmin.meta_data!.statistics!;
    assert.ok(Number(min_value) === 139.5 && Number(max_value) > 140.3);
    // Sizes of a group are those of its columns (parquet.thrift, RowGroup).
    for (const size of ['total_compressed_size', 'total_uncompressed_size'] as const) {
      const sum = group!.columns.reduce((all, { meta_data }) => all + meta_data![size], 0n);
      assert.equal(size === 'total_compressed_size' ? group![size] : group!.total_byte_size, sum);
    }
  });

  test('rows come along the curve of Hilbert, and what has no place comes last', async () => {
    const places = Array.from({ length: 64 }, (_, n): [number, number] => [n % 8, Math.floor(n / 8)]);
    const nowhere = { ...tree('nowhere', 0, 0), geometries: [], entry: { extent: null } as never };
    const file = await written([nowhere, ...places.map(([x, y]) => tree(`${x} ${y}`, x, 2 * y))]);
    const rows = await parquetReadObjects({ file, compressors: COMPRESSORS });
    const along = ([x, y]: [number, number]) => hilbertPlace(x / 7, y / 7);
    const expected = places.toSorted((a, b) => along(a) - along(b)).map(([x, y]) => `${x} ${y}`);
    assert.deepEqual(
      rows.map((row) => row['gml:id']),
      [...expected, 'nowhere'],
    );
  });

  test('a group ends behind 8 MiB of geometry', async () => {
    const rowsOf = async (rows: TableRow<Place>[]) => {
      const room = { memoryBytes: 1 << 26, space: new SpoolSpace(tmpdir(), 1 << 22) };
      const writer = GEOPARQUET_FORMAT.writer({ fields: null, flatten: true, tableRoom: room });
      async function* records() {
        yield rows;
      }
      const pieces: Uint8Array[] = [];
      for await (const bytes of writer.pieces(records(), new Slices(async () => {}, 0))) pieces.push(bytes);
      const { row_groups } = parquetMetadata(Uint8Array.from(Buffer.concat(pieces)).buffer);
      return row_groups.map(({ num_rows }) => Number(num_rows));
    };
    const large = { wkb: new Uint8Array(4 << 20), box: { xmin: 1, ymin: 1, xmax: 2, ymax: 2 } };
    const one = (geometry: Place): TableRow<Place> => ({ columns: [], cells: [], geometry });
    assert.deepEqual(await rowsOf(Array.from({ length: 5 }, () => one(large))), [2, 2, 1]);
    assert.deepEqual(await rowsOf(Array.from({ length: 4 }, () => one(large))), [2, 2]);
    assert.deepEqual(await rowsOf([]), []);
    assert.deepEqual(await rowsOf([one(null), one(large), one(large), one(large)]), [3, 1]);
  });

  test('without features, or without places, is a file too', async () => {
    const empty = await written([]);
    assert.equal(parquetMetadata(empty).num_rows, 0n);
    assert.deepEqual(await parquetReadObjects({ file: empty, compressors: COMPRESSORS }), []);
    const nowhere = { ...tree('n', 0, 0), geometries: [], entry: { extent: null } as never };
    const [row] = await parquetReadObjects({ file: await written([nowhere]), compressors: COMPRESSORS });
    assert.equal(row!['gml:id'], 'n');
    assert.equal(row!.geometry ?? null, null);
    assert.equal(row!.bbox ?? null, null);
  });
});

test('groups are joined out of their columns: rows of all groups come in order', async () => {
  const schema = [
    { name: 'root', num_children: 2 },
    { name: 'n', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
    { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  ] as const;
  const groups = new ParquetGroups([...schema]);
  const pieces: Uint8Array[] = [];
  const slices = new Slices(async () => {}, 0);
  for (const from of [0, 3, 6]) {
    const numbers = [from, from + 1, null];
    const columns = [
      { name: 'n', data: numbers, type: 'DOUBLE' as const },
      { name: 'text', data: numbers.map((n) => (n === null ? null : `t${n}`)), type: 'STRING' as const },
    ];
    for await (const piece of groups.group(columns, slices)) pieces.push(piece);
  }
  pieces.push(groups.finish([]));
  const file = Uint8Array.from(Buffer.concat(pieces)).buffer;
  const { num_rows, row_groups } = parquetMetadata(file);
  assert.equal(num_rows, 9n);
  assert.deepEqual(
    row_groups.map(({ num_rows: rows, columns }) => [rows, columns.length]),
    [
      [3n, 2],
      [3n, 2],
      [3n, 2],
    ],
  );
  const rows = await parquetReadObjects({ file, compressors: COMPRESSORS });
  assert.deepEqual(
    rows.map(({ n }) => n),
    [0, 1, null, 3, 4, null, 6, 7, null],
  );
  assert.deepEqual(
    rows.map(({ text }) => text),
    ['t0', 't1', null, 't3', 't4', null, 't6', 't7', null],
  );
});
