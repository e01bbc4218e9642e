import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advCodes } from './adv-names.ts';

/** EPSG codes as the registry has them (https://epsg.org). */
const HORIZONTAL = {
  ETRS89_UTM31: 25_831,
  ETRS89_UTM32: 25_832,
  ETRS89_UTM33: 25_833,
  'ETRS89_Lat-Lon': 4_258,
  'ETRS89_Lat-Lon-h': 4_937,
  DE_DHDN_3GK2: 31_466,
  DE_DHDN_3GK3: 31_467,
  DE_DHDN_3GK4_BY120: 31_468,
  DE_DHDN_3GK5: 31_469,
  'DE_PD-83_3GK3': 3_396,
  'DE_PD-83_3GK4': 3_397,
  'DE_RD-83_3GK4': 3_398,
  'DE_RD-83_3GK5': 3_399,
  'DE_42-83_3GK3': 2_397,
  'DE_42-83_3GK4': 2_398,
  'DE_42-83_3GK5': 2_399,
};
const VERTICAL = {
  DE_DHHN92_NH: 5_783,
  DE_DHN92_NH: 5_783,
  DE_DHHN2016_NH: 7_837,
  DE_DHHN85_NH: 5_784,
  DE_DHHN12_NOH: 7_699,
  DE_SNN76_NOH: 5_785,
};

test('every system stands for its code, with every system of heights behind it', () => {
  for (const [name, code] of Object.entries(HORIZONTAL)) {
    assert.deepEqual(advCodes(`urn:adv:crs:${name}`), [code], name);
    for (const [heights, vertical] of Object.entries(VERTICAL)) {
      assert.deepEqual(advCodes(`urn:adv:crs:${name}*${heights}`), [code, vertical]);
      assert.deepEqual(advCodes(`urn:adv:crs:${name}*urn:adv:crs:${heights}`), [code, vertical]);
    }
  }
});

test('names with a part that is not known stand for nothing', () => {
  for (const name of [
    'EPSG:25832',
    'urn:adv:crs:',
    'urn:adv:crs:ETRS89_UTM30',
    'urn:adv:crs:ETRS89_UTM32*DE_X',
  ]) {
    assert.deepEqual(advCodes(name), [], name);
  }
});
