import assert from 'node:assert/strict';
import test from 'node:test';
import { AREAS } from './areas.ts';
import { isPlausibleAreaName } from './plausible-name.ts';

test('every name of the built-in table is plausible for its own code and for an unknown one', () => {
  for (const { name, kind } of AREAS.values()) {
    assert.ok(isPlausibleAreaName(name, name), name);
    if (kind === 'prefecture' || /未定地$|未確定地$|^東京都23区$/.test(name)) continue;
    assert.ok(isPlausibleAreaName(name, null), name);
  }
});

test('an older name of a municipality is plausible, another municipality or any text is not', () => {
  assert.ok(isPlausibleAreaName('篠山市', '丹波篠山市'));
  assert.ok(isPlausibleAreaName('那珂川町', '那珂川市'));
  assert.ok(isPlausibleAreaName('帰属未定地', '境界未確定地'), 'no municipality has no suffix');
  assert.equal(isPlausibleAreaName('帰属未定地', '沼津市'), false);
  assert.equal(isPlausibleAreaName('<b>未確定地</b>', '境界未確定地'), false);
  for (const name of [
    '大阪市',
    '市',
    '<b>沼津市</b>',
    '沼津市 http://evil.example',
    '沼津',
    '',
    `${'沼'.repeat(30)}市`,
  ]) {
    assert.equal(isPlausibleAreaName(name, '沼津市'), false, name);
  }
  assert.equal(isPlausibleAreaName('click here市', null), false);
});
