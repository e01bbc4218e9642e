import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageIdentity, parsePackageName } from '../catalogue/names/package-name.ts';
import { isFromElsewhere } from './convert-and-ingest.ts';

const CITY = '14130_kawasaki-shi_city_2023_citygml_1_op';
/** The identity of tiles; of buildings at LOD 1 of a ward, or of the whole city. */
const identityOf = (wardCode: string | null) =>
  packageIdentity({ ...parsePackageName(`${CITY}_bldg_3dtiles_lod1`)!, wardCode });

/** Whether tiles of the name are from elsewhere, where a package of the identity is live and has these members. */
function isElsewhere(name: string, live: string, members: Record<string, string>, state = 'live') {
  const catalogue = {
    findPackages: async ({ identity }: { identity?: string }) => (identity === live ? [{ state }] : []),
  };
  const archives = {
    open: async () => ({
      index: {
        find: (path: string) =>
          members[path] === undefined ? undefined : { path, method: 0, size: members[path].length },
      },
      archive: {},
      async [Symbol.asyncDispose]() {},
    }),
  };
  return isFromElsewhere(name, { catalogue } as never, archives as never);
}

test('tiles of a ward are those of the same ward, not those of its city', async () => {
  const [ward, city] = [`${CITY}_bldg_3dtiles_14131_kawasaki-ku_lod1`, `${CITY}_bldg_3dtiles_lod1`];
  for (const [name, live, expected] of [
    [ward, identityOf('14131'), true],
    [ward, identityOf('14132'), false],
    [ward, identityOf(null), false],
    [city, identityOf(null), true],
    [city, identityOf('14131'), false],
    ['no name', identityOf(null), false],
  ] as const) {
    assert.equal(await isElsewhere(name, live, {}), expected, `${name} beside ${live}`);
  }
});

test('tiles that say how they were converted are not from elsewhere, nor are retired ones', async () => {
  const [name, own] = [`${CITY}_bldg_3dtiles_lod1`, identityOf(null)];
  assert.equal(await isElsewhere(name, own, { 'conversion.json': '{}' }), false);
  assert.equal(await isElsewhere(name, own, { 'other.json': '{}' }), true);
  assert.equal(await isElsewhere(name, own, {}, 'retired'), false);
});
