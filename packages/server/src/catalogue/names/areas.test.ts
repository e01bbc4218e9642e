import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  AREAS,
  area,
  cityOfWard,
  isSpecialWard,
  membersOf,
  prefectureOf,
  SPECIAL_WARDS_NAME,
  wardsOf,
} from './areas.ts';

describe('areas', () => {
  it('has every prefecture, municipality and ward, each below an area that exists', () => {
    const kinds = { prefecture: 0, municipality: 0, ward: 0 };
    for (const municipality of AREAS.values()) {
      kinds[municipality.kind]++;
      const parent = municipality.parent === null ? undefined : area(municipality.parent);
      assert.equal(
        parent?.kind,
        { prefecture: undefined, municipality: 'prefecture', ward: 'municipality' }[municipality.kind],
      );
      assert.equal(prefectureOf(municipality.code)?.code, municipality.code.slice(0, 2));
    }
    assert.deepEqual(kinds, { prefecture: 47, municipality: 1789, ward: 175 });
  });

  it('knows designated cities and their wards', () => {
    assert.equal(area('01100')?.name, '札幌市');
    assert.deepEqual(area('01101'), { code: '01101', name: '中央区', kind: 'ward', parent: '01100' });
    assert.equal(wardsOf('01100').length, 10);
    assert.deepEqual(wardsOf('22203'), []);
    assert.equal(cityOfWard('14131'), '14130');
    assert.equal(cityOfWard('14130'), undefined);
    assert.equal(cityOfWard('99999'), undefined);
    assert.deepEqual(membersOf('22203'), ['22203']);
    assert.deepEqual(membersOf('13'), ['13']);
    assert.equal(membersOf('14130').length, 8);
    assert.equal(area('13998'), undefined);
    assert.equal(prefectureOf('13998')?.name, '東京都');
  });

  it('treats 13100 as a city of the special wards, which stay municipalities', () => {
    assert.equal(area('13100')?.name, SPECIAL_WARDS_NAME);
    assert.equal(wardsOf('13100').length, 23);
    assert.equal(membersOf('13100').at(-1), '13123');
    assert.equal(area('13101')?.kind, 'municipality');
    assert.equal(cityOfWard('13101'), undefined);
    assert.deepEqual(membersOf('13101'), ['13101']);
    assert.deepEqual(['13100', '13101', '13123', '13201'].map(isSpecialWard), [false, true, true, false]);
  });

  it('agrees with the published list', (t) => {
    const path = new URL('../../../../../../shared/data/municipalities.tsv', import.meta.url);
    if (!existsSync(path)) return t.skip('needs ../shared/data');
    for (const line of readFileSync(path, 'utf8').trim().split('\n').slice(1)) {
      const [code, name, kind, parent] = line.split('\t') as [string, string, string, string];
      const expected = {
        code,
        name: code === '13100' ? SPECIAL_WARDS_NAME : name,
        kind,
        parent: parent || null,
      };
      assert.deepEqual(area(code), expected);
    }
  });
});
