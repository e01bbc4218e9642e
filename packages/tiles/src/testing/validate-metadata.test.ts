import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FeatureTable } from '../convert/tiles3d/feature-table.ts';
import { writeTileGlb } from '../convert/tiles3d/glb.ts';
import { validateContent } from './validate-content.ts';

const CORNERS = [0, 0, 0, 10, 0, 0, 0, 10, 0];
const NORMALS = [0, 0, 1, 0, 0, 1, 0, 0, 1];

/** Two triangles, one for each row of a table. */
function glb(change: (options: { features: number[]; table: FeatureTable }) => void) {
  const metadata = {
    features: [0, 0, 0, 1, 1, 1],
    table: {
      type: 'building',
      count: 2,
      columns: [
        { name: 'label', type: 'STRING', values: ['a', 'bcd'] },
        { name: 'storeys', type: 'INT32', values: [3, 4] },
        { name: 'height', type: 'FLOAT64', values: [8, undefined] },
      ],
    } satisfies FeatureTable,
  };
  change(metadata);
  const mesh = {
    positions: new Float32Array([...CORNERS, ...CORNERS]),
    normals: new Float32Array([...NORMALS, ...NORMALS]),
    uvs: null,
    colours: null,
    features: new Uint16Array(metadata.features),
    indices: new Uint32Array([0, 1, 2, 3, 4, 5]),
  };
  return writeTileGlb(
    {
      translation: [0, 0, 0],
      primitives: [{ mesh, image: null, blend: false, isTwoSided: false, table: 0 }],
      images: [],
      tables: [metadata.table],
      places: [],
    },
    { compression: { kind: 'none' }, error: 0, uvError: 0, tables: true, unlit: false },
  )!;
}

async function issues(bytes: Uint8Array): Promise<string[]> {
  const found: string[] = [];
  await validateContent(
    bytes,
    (code, severity, message) => found.push(`${severity} ${code}: ${message}`),
    () => Promise.reject(new Error('There is nothing beside it.')),
  );
  return found;
}

/** The good file with a part of its JSON replaced by another of the same length. */
function edited(from: string, to: string): Uint8Array {
  assert.equal(from.length, to.length);
  const text = Buffer.from(glb(() => {})).toString('latin1');
  assert.ok(text.includes(from), `${from} in ${text.slice(20)}`);
  return new Uint8Array(Buffer.from(text.replace(from, to), 'latin1'));
}

describe('validateMetadata', () => {
  it('finds nothing in feature ids and a property table that fit, nor does the validator of glTF', async () => {
    assert.deepEqual(await issues(glb(() => {})), []);
    // All empty, a column of strings has no bytes for a view.
    const empty = glb(({ table }) => Object.assign(table.columns[0]!, { values: ['', ''] }));
    assert.deepEqual(await issues(empty), []);
  });

  const defects: Array<[string, string, Uint8Array]> = [
    ['a name that is no identifier', 'METADATA_INVALID', edited('"label":{"t', '"la-el":{"t')],
    ['a class that is not there', 'METADATA_INVALID', edited('"class":"building"', '"class":"dwelling"')],
    ['a column that is missing', 'METADATA_INVALID', edited('"label":{"v', '"lab_l":{"v')],
    ['values of another length', 'METADATA_INVALID', edited('"INT32"', '"INT64"')],
    ['another kind of value for no data', 'METADATA_INVALID', edited('"noData":-9999', '"noData":"999"')],
    ['a count that differs', 'METADATA_INVALID', edited('"count":2,', '"count":3,')],
    ['ids beyond the table', 'FEATURE_ID_INVALID', glb((o) => o.features.splice(3, 3, 2, 2, 2))],
    ['more ids than counted', 'FEATURE_ID_INVALID', edited('"featureCount":2', '"featureCount":1')],
    ['an attribute that is missing', 'FEATURE_ID_INVALID', edited('"attribute":0', '"attribute":1')],
  ];
  for (const [name, code, bytes] of defects) {
    it(`finds ${name}`, async () => {
      const found = await issues(bytes);
      assert.ok(
        found.some((issue) => issue.startsWith(`error ${code}:`)),
        `${code} in ${found}`,
      );
    });
  }
});
