import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { formatTilesSpec, parseTilesSpec, type TilesSpec, withHighestLod } from './tiles-spec.ts';

test('specs are read and written', () => {
  assert.deepEqual(parseTilesSpec('all-bldg-maxlod2-latest'), {
    area: 'all',
    type: 'bldg',
    sub: null,
    lod: { max: true, value: 2 },
    interior: false,
    texture: null,
    year: 'latest',
  });
  assert.deepEqual(parseTilesSpec('13101-fld_natl_ara-kawa_l2-gensai-lod1-interior-notexture-2023'), {
    area: '13101',
    type: 'fld',
    sub: 'natl_ara-kawa_l2-gensai',
    lod: { max: false, value: 1 },
    interior: true,
    texture: false,
    year: 2023,
  });
  const spec: fc.Arbitrary<TilesSpec> = fc.record(
    {
      area: fc.constantFrom('all', '13', '13101'),
      type: fc.constantFrom('bldg', 'fld', 'interior', 'latest'),
      sub: fc.option(fc.stringMatching(/^[a-z]+(_[a-z0-9]+){0,2}(-[a-z]+)?$/)),
      lod: fc.record(
        { max: fc.boolean(), value: fc.integer({ min: 0, max: 99 }) },
        { noNullPrototype: true },
      ),
      interior: fc.boolean(),
      texture: fc.option(fc.boolean()),
      year: fc.oneof(fc.constant('latest' as const), fc.integer({ min: 1000, max: 9999 })),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(spec, (tiles) => assert.deepEqual(parseTilesSpec(formatTilesSpec(tiles)), tiles)));
});

test('a spec without a LOD is 400, with the spec that has one', () => {
  for (const [text, completed] of [
    ['47900-bldg-latest', '47900-bldg-maxlod4-latest'],
    ['all-fld-2024', 'all-fld-maxlod4-2024'],
    ['47900-bldg-interior-notexture-2024', '47900-bldg-maxlod4-interior-notexture-2024'],
    [
      '47900-fld_natl_ara-kawa_l2-gensai-texture-latest',
      '47900-fld_natl_ara-kawa_l2-gensai-maxlod4-texture-latest',
    ],
  ] as const) {
    assert.equal(withHighestLod(text), completed);
    assert.throws(
      () => parseTilesSpec(text),
      (e) =>
        e instanceof ServiceError &&
        e.status === 400 &&
        e.message === 'invalid spec' &&
        e.reason!.includes(
          `lacks the LOD, lodN or maxlodN, behind the type; "${completed}" takes the highest.`,
        ),
      text,
    );
  }
  for (const text of ['47900-bldg-lod1-latest', '47900-latest', 'bldg', '', '479-bldg-latest']) {
    assert.equal(withHighestLod(text), null, text);
  }
});

test('malformed specs are 400 and say what is accepted', () => {
  for (const text of [
    '',
    'all',
    'all-bldg',
    'all-bldg-lod1',
    'all-bldg-lod1-23',
    'all-bldg-lod1-newest',
    'all-bldg-lodx-latest',
    'all-bldg-lod-latest',
    'all-bldg-lod100-latest',
    '131-bldg-lod1-latest',
    '131011-bldg-lod1-latest',
    'all-1bdg-lod1-latest',
    'all-bldg-lod1-textured-latest',
    'all-bldg-lod1-texture-interior-latest',
    'all-bldg-lod1-latest-',
    'all-bldg-lod1-latest\n',
    'x'.repeat(10_000),
  ]) {
    assert.throws(
      () => parseTilesSpec(text),
      (e) =>
        e instanceof ServiceError &&
        e.status === 400 &&
        e.message === 'invalid spec' &&
        /maxlodN/.test(e.reason!) &&
        e.reason!.length < 500,
      text,
    );
  }
});
