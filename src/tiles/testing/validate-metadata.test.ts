import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type GlbOptions, writeGlb } from '../write/glb.ts';
import { validateContent } from './validate-content.ts';

const CORNERS = [0, 0, 0, 10, 0, 0, 0, 10, 0];
const NORMALS = [0, 0, 1, 0, 0, 1, 0, 0, 1];

/** Two triangles, one for each row of a table. */
function glb(change: (options: { featureIds: number[]; table: NonNullable<GlbOptions['table']> }) => void) {
  const options = {
    featureIds: [0, 0, 0, 1, 1, 1],
    table: {
      className: 'building',
      count: 2,
      columns: [
        { id: 'label', name: 'label', values: ['a', 'bcd'] },
        { id: 'storeys', name: 'storeys', values: { uint16: [3, 4] } },
        { id: 'height', name: 'height', values: { float32: [8, -9999], noData: -9999 } },
      ],
    },
  };
  change(options);
  const primitive = {
    positions: new Float32Array([...CORNERS, ...CORNERS]),
    normals: new Float32Array([...NORMALS, ...NORMALS]),
    uvs: null,
    featureIds: new Float32Array(options.featureIds),
    indices: new Uint32Array([0, 1, 2, 3, 4, 5]),
    material: { name: 'plain', color: [1, 1, 1] as [number, number, number], image: null },
  };
  return writeGlb([primitive], { featureIdAttribute: '_FEATURE_ID_0', table: options.table });
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
    ['a name that is no identifier', 'METADATA_INVALID', edited('"label":{"n', '"la-el":{"n')],
    ['a class that is not there', 'METADATA_INVALID', edited('"class":"building"', '"class":"dwelling"')],
    ['a column that is missing', 'METADATA_INVALID', edited('"label":{"v', '"lab_l":{"v')],
    ['values of another length', 'METADATA_INVALID', edited('"UINT16"', '"UINT32"')],
    ['another kind of value for no data', 'METADATA_INVALID', edited('"noData":-9999', '"noData":"999"')],
    ['a count that differs', 'METADATA_INVALID', edited('"count":2,', '"count":3,')],
    ['ids beyond the table', 'FEATURE_ID_INVALID', glb((o) => o.featureIds.splice(3, 3, 2, 2, 2))],
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
