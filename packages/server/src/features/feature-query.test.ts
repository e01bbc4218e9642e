import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../base/errors.ts';
import { type RawQuery, readQuery } from '../http/describe/query-parameters.ts';
import { FEATURE_PARAMETERS } from '../http/operations/features.ts';
import type { AttributeFilter } from './attribute-filter.ts';
import {
  elementsIn,
  optionalTypes,
  presentationOf,
  requiredIds,
  requiredRegion,
  requiredTypes,
  requiredUrl,
} from './feature-query.ts';
import { FORMATS } from './formats/formats.ts';

/** The parameters as the operations read them. */
const asked = (query: RawQuery) =>
  readQuery({ ...FEATURE_PARAMETERS.attributes, ...FEATURE_PARAMETERS.features }, query);

const LIMITS = { maxBounds: 1_000, maxIds: 1_000 };

test('digits without end are refused, and named in short', () => {
  const long = `${'1'.repeat(500_000)}x`;
  for (const query of [
    { bbox: `${long},1,1,1` },
    { polygon: `${long},1,2,2,3,3` },
    { polygon: `POLYGON((${long} 1, 2 2, 3 3))` },
    { bbox: `${'0'.repeat(90)}200,0,1,1` },
  ]) {
    assert.throws(
      () => requiredRegion(asked(query), LIMITS),
      (error) => error instanceof ServiceError && error.status === 400 && error.reason!.length < 500,
    );
  }
});

/** The reason of the 400 that is thrown. */
function refused(work: () => unknown, error = 'invalid parameter'): string {
  try {
    work();
  } catch (thrown) {
    assert.ok(thrown instanceof ServiceError, String(thrown));
    assert.deepEqual([thrown.status, thrown.message], [400, error]);
    return thrown.reason ?? '';
  }
  return assert.fail('nothing was thrown');
}

test('what is required is asked for by name', () => {
  assert.match(
    refused(() => requiredUrl(asked({ url: ' ' })), 'url parameter is required'),
    /Give url/,
  );
  assert.match(
    refused(() => requiredIds(asked({}), LIMITS), 'id parameter is required'),
    /Give id/,
  );
  assert.match(
    refused(() => requiredTypes(asked({ type: ',' })), 'type parameter is required'),
    /Give type/,
  );
  assert.match(
    refused(() => requiredRegion(asked({}), LIMITS), 'sid parameter is required'),
    /Give sid/,
  );
  assert.match(
    refused(() => asked({ url: ['a', 'b'] })),
    /url is given 2 times/,
  );
  assert.equal(asked({}).url, undefined);
});

test('ids are taken once each, in their order, and counted after that', () => {
  assert.deepEqual(requiredIds(asked({ id: ['b,a', 'b', ' c '] }), LIMITS), ['b', 'a', 'c']);
  const many = (count: number) => Array.from({ length: count }, (_, i) => `id_${i}`).join(',');
  assert.equal(requiredIds(asked({ id: [many(1_000), many(1_000)] }), LIMITS).length, 1_000);
  assert.match(
    refused(() => requiredIds(asked({ id: many(1_001) }), LIMITS)),
    /1001 ids were given; at most 1000/,
  );
});

test('types are codes and elements in any mix', () => {
  const types = optionalTypes(asked({ type: 'bldg,tran:Road' }));
  assert.deepEqual(types, { codes: new Set(['bldg']), elements: new Set(['tran:Road']) });
  assert.equal(elementsIn(types, 'bldg'), null);
  assert.deepEqual(elementsIn(types, 'tran'), new Set(['tran:Road']));
  assert.deepEqual(elementsIn({ codes: new Set(['bldg']), elements: null }, 'tran'), new Set());
  assert.deepEqual(optionalTypes(asked({})), { codes: null, elements: null });
});

test('a box has its numbers in order, west before east, inside the world', () => {
  const box = (bbox: string) => requiredRegion(asked({ bbox }), LIMITS);
  assert.ok(box('139,35,139,35').mayMeet({ west: 138, south: 34, east: 139, north: 35 }));
  assert.ok(box('-180,-90,180,90').mayMeet({ west: 1, south: 1, east: 1, north: 1 }));
  const floor = box('139,35,5,140,36,5');
  const within = { west: 139.1, south: 35.1, east: 139.2, north: 35.2 };
  const meets = (min: number, max: number) => floor.meetsOutline({ bounds: within, altitudes: { min, max } });
  assert.deepEqual([meets(1, 5), meets(5, 9), meets(1, 4), meets(6, 9)], [true, true, false, false]);
  assert.ok(box('139,35,-5,140,36,10').mayMeet({ west: 139, south: 35, east: 140, north: 36 }));
  for (const [bbox, reason] of [
    ['139,35,140', /3 numbers; expected 4/],
    ['139,35,140,36,1', /5 numbers/],
    ['140,35,139,36', /west > east/],
    ['139,36,140,35', /west > east/],
    ['139,35,10,140,36,5', /low > high/],
    ['139,35,1,140,36,2,3', /7 numbers/],
    ['139,35,140,181', /outside the world/],
    ['139,35,181,36', /outside the world/],
    ['139,-91,140,36', /outside the world/],
    ['139,35,1,140,34,2', /south > north/],
    ['-181,35,140,36', /outside the world/],
    ['139,35,140,90.5', /outside the world/],
    ['139,35,0x8c,36', /where a number is expected/],
    ['139,,140,36', /where a number is expected/],
  ] as const) {
    assert.match(
      refused(() => box(bbox)),
      reason,
      bbox,
    );
  }
  assert.match(
    refused(
      () => requiredRegion(asked({ sid: Array(1_001).fill('1/0/0').join() }), LIMITS),
      'too many bounds',
    ),
    /1001 spatial IDs/,
  );
  const thousand = Array.from({ length: 1_000 }, (_, i) => `11/${i}/3`);
  assert.equal(requiredRegion(asked({ sid: thousand.join() }), LIMITS).parts, 1_000);
  assert.equal(requiredRegion(asked({ sid: '11/1/3,11/1/3,11/2/3' }), LIMITS).parts, 2);
  assert.match(
    refused(() => requiredRegion(asked({ sid: '1/5/0' }), LIMITS)),
    /./,
  );
});

test('the presentation is what formats, fields and codes say', () => {
  assert.equal(presentationOf(asked({})).format.name, 'json');
  assert.equal(presentationOf(asked({ format: 'geojson', skip_code_list_fetch: '' })).rawCodes, true);
  assert.deepEqual(
    presentationOf(asked({ fields: 'bldg:usage,gml:name' })).fields,
    new Set(['bldg:usage', 'gml:name']),
  );
  assert.equal(presentationOf(asked({})).fields, null);
  assert.equal(presentationOf(asked({})).rawCodes, false);
  assert.equal(presentationOf(asked({})).where, null);
  assert.deepEqual((presentationOf(asked({ where: 'a=1;b=2;a=3' })).where as AttributeFilter).names, [
    'a',
    'b',
  ]);
  assert.equal(
    refused(() => presentationOf(asked({ format: 'shp' }))),
    'format is "shp"; it must be one of json, geojson, cityjsonseq, flatgeobuf, geoparquet, csv.',
  );
  assert.equal(
    refused(() => presentationOf(asked({ format: 'cityjsonseq', flatten: 'true' }))),
    'flatten does not go with format=cityjsonseq; it goes with json, geojson, flatgeobuf, geoparquet, csv.',
  );
  assert.equal(presentationOf(asked({})).hasVersion2Names, false);
  assert.equal(presentationOf(asked({ attributes: 'v2' })).hasVersion2Names, true);
  assert.equal(
    refused(() => presentationOf(asked({ attributes: 'v3' }))),
    'attributes is "v3"; it must be v2.',
  );
  assert.equal(
    refused(() => presentationOf(asked({ attributes: 'v2', format: 'cityjsonseq' }))),
    'attributes=v2 does not go with format=cityjsonseq, whose names are those of the data.',
  );
});

test('every format is given without flatten, and with it those that can be flat', () => {
  for (const { name, flatten } of FORMATS) {
    assert.equal(presentationOf(asked({ format: name })).flatten, flatten === 'always', name);
    if (flatten === 'never')
      assert.throws(() => presentationOf(asked({ format: name, flatten: 'true' })), /invalid parameter/);
    else assert.equal(presentationOf(asked({ format: name, flatten: 'true' })).flatten, true, name);
  }
});
