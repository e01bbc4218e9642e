import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../base/errors.ts';
import { parseConditions } from './conditions.ts';

const LIMITS = { maxBounds: 1000 };
const parse = (text: string): unknown => parseConditions(text, LIMITS);

function refuses(text: string, reason: RegExp, error = 'invalid conditions'): void {
  assert.throws(
    () => parse(text),
    (thrown) => {
      assert.ok(thrown instanceof ServiceError, String(thrown));
      assert.equal(thrown.status, 400);
      assert.equal(thrown.message, error);
      assert.match(thrown.reason!, reason);
      return true;
    },
    text,
  );
}

describe('conditions', () => {
  it('reads all six forms', () => {
    assert.deepEqual(parse('m:533945,53394509'), {
      kind: 'mesh',
      codes: ['533945', '53394509'],
      exact: false,
    });
    assert.deepEqual(parse('m:5339,53394509123'), {
      kind: 'mesh',
      codes: ['5339', '53394509123'],
      exact: false,
    });
    assert.deepEqual(parse('mm:533945091'), { kind: 'mesh', codes: ['533945091'], exact: true });
    assert.deepEqual(parse('s:18/1/232853/103220,/0/0/0,12'), {
      kind: 'spatial-id',
      ids: [
        { z: 18, f: 1, x: 232853, y: 103220 },
        { z: 0, x: 0, y: 0, f: null },
        { z: 2, x: 1, y: 0, f: 0 },
      ],
    });
    assert.deepEqual(parse('r:139.75,35.68'), { kind: 'point', lng: 139.75, lat: 35.68 });
    assert.deepEqual(parse('r:139.7,35.6,139.8,35.7'), {
      kind: 'box',
      bounds: { west: 139.7, south: 35.6, east: 139.8, north: 35.7 },
    });
    assert.deepEqual(parse('g:千代田区'), { kind: 'place', name: '千代田区' });
    assert.deepEqual(parse('13101,01101,13'), { kind: 'area', codes: ['13101', '01101', '13'] });
  });

  it('refuses digits without end', () => {
    const long = `${'1'.repeat(500_000)}x`;
    for (const text of [`r:${long},1`, `r:1,2,3,${long}`]) refuses(text, /…" is not a number/);
  });

  it('repeats little of what it refuses', () => {
    for (const text of ['1'.repeat(9_000), `x${'m:5339'.repeat(2_000)}`]) {
      for (const form of [
        `m:${text}`,
        `s:${text}`,
        `s:99/0/${text}`,
        `r:${text}`,
        text,
        `${'z'.repeat(9_000)}:1`,
      ]) {
        assert.throws(
          () => parse(form),
          (error: ServiceError) => error.reason!.length < 1_000,
        );
      }
    }
  });

  it('reads every mix of percent-encoding', () => {
    const spec = 's:18/1/232853/103220,18/232853/103221';
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: spec.length, maxLength: spec.length }), (encode) => {
        const mixed = [...spec].map((c, i) => (encode[i] ? `%${c.charCodeAt(0).toString(16)}` : c)).join('');
        assert.deepEqual(parse(mixed), parse(spec));
      }),
    );
    assert.deepEqual(parse('g%3A%E5%8D%83代田区'), { kind: 'place', name: '千代田区' });
    assert.deepEqual(parse('g:100%ビル'), { kind: 'place', name: '100%ビル' });
  });

  it('passes over blanks, empty entries and what is given twice', () => {
    assert.deepEqual(parse('m: 533945 ,,533945,'), { kind: 'mesh', codes: ['533945'], exact: false });
    assert.deepEqual(parse('r: 139.75 , 35.68'), { kind: 'point', lng: 139.75, lat: 35.68 });
  });

  it('says what is wrong', () => {
    refuses('', /is empty/);
    refuses('m:', /is empty/);
    refuses('x:1', /"x:" is not a known condition prefix/);
    refuses('M:533945', /"M:" is not a known condition prefix/);
    refuses('m:5339-45', /digits only/);
    refuses('m:53394', /5 digits/);
    refuses('mm:533985', /0 to 7/);
    refuses('s:18/1', /not a spatial ID/);
    refuses('s:32/0/0', /zoom is 32/);
    refuses('s:', /is empty/);
    refuses('r:139.75', /but 1 were given/);
    refuses('r:139.75,35,36', /but 3 were given/);
    refuses('r:139.75,x', /"x" is not a number/);
    refuses('r:,', /is not a number/);
    refuses('r:0x10,1', /is not a number/);
    refuses('r:35.68,139.75', /outside the world/);
    refuses('r:139,35,1e999,36', /is not a number/);
    refuses('r:139.8,35.6,139.7,35.7', /lng1 < lng2/);
    refuses('r:139.7,35.6,139.8,35.6', /lat1 < lat2/);
    refuses('g:', /empty/);
    refuses('g:  ', /empty/);
    refuses(`g:${'あ'.repeat(201)}`, /at most 200/);
    refuses('1310', /no municipality code/);
    refuses('131011', /no municipality code/);
    refuses('千代田区', /no municipality code/);
  });

  it('limits how much is asked for at once', () => {
    const codes = Array.from({ length: 1001 }, (_, i) => String(53_390_000 + i * 10 + 1));
    const valid = codes.filter((code) => /^\d{4}[0-7]{2}/.test(code));
    assert.ok(valid.length < 1000);
    assert.equal((parse(`m:${valid.join(',')}`) as { codes: string[] }).codes.length, valid.length);
    refuses(`m:${codes.join(',')}`, /1001 codes or IDs were given; at most 1000/, 'too many bounds');
    refuses(`s:${'0/0/0,'.repeat(1001)}`, /at most 1000/, 'too many bounds');
    assert.throws(() => parseConditions('13101,13102', { maxBounds: 1 }), /too many bounds/);
  });

  it('never fails otherwise than with a sentence for the caller', () => {
    const text = fc
      .array(fc.constantFrom(...'mmsrg:,/0123456789.-+% 千e'), { maxLength: 24 })
      .map((c) => c.join(''));
    fc.assert(
      fc.property(text, (condition) => {
        try {
          parse(condition);
        } catch (error) {
          assert.ok(error instanceof ServiceError && error.status === 400 && error.reason!.length > 20);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
