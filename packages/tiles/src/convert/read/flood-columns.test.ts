import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext, parseFeature } from '@citymodel/citygml';
import fc from 'fast-check';
import type { RowValues } from '../account/attribute-account.ts';
import { floodColumns, isFloodRisk } from './flood-columns.ts';

const CONTEXT = namespaceContext(
  Buffer.from('<core:CityModel xmlns:uro="https://www.geospatial.jp/iur/uro/3.2">'),
);
const WORDS: Record<string, string> = {
  'a 1': '国',
  'a 2': '都道府県',
  's 1': 'L1（計画規模）',
  's 2': 'L2（想定最大規模）',
};

/** A record with these children; of codes, the letter of the list stands before them. */
function risk(type: string, values: Record<string, string | number>) {
  const children = Object.entries(values).map(([name, value]) => {
    const [, list, code] = /^(?:(\w):)?(.*)$/s.exec(String(value))!;
    return `<uro:${name}${list === undefined ? '' : ` codeSpace="${list}"`}>${code}</uro:${name}>`;
  });
  return parseFeature(
    Buffer.from(`<uro:${type}RiskAttribute>${children.join('')}</uro:${type}RiskAttribute>`),
    CONTEXT,
  );
}

function columns(...risks: ReturnType<typeof risk>[]) {
  const list = floodColumns(risks, (codeSpace, code) => WORDS[`${codeSpace} ${code}`]);
  assert.equal(new Set(list.map(({ name }) => name)).size, list.length);
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

test('a river has the names of published tiles, by who administers it and by its scale', () => {
  const river = { description: '利根川', rank: 3, depth: 3.5, duration: 12 };
  assert.deepEqual(
    columns(
      risk('RiverFlooding', { ...river, adminType: 'a:1', scale: 's:2' }),
      risk('RiverFlooding', { ...river, adminType: 'a:2', scale: 's:1', rank: 1, depth: 0.3 }),
    ),
    {
      '利根川（国管理区間）_L2（想定最大規模）_浸水ランク': '3',
      '利根川（国管理区間）_L2（想定最大規模）_浸水ランクコード': 3,
      '利根川（国管理区間）_L2（想定最大規模）_浸水深': 3.5,
      '利根川（国管理区間）_L2（想定最大規模）_浸水継続時間': 12,
      '利根川（都道府県管理区間）_L1（計画規模）_浸水ランク': '1',
      '利根川（都道府県管理区間）_L1（計画規模）_浸水ランクコード': 1,
      '利根川（都道府県管理区間）_L1（計画規模）_浸水深': 0.3,
      '利根川（都道府県管理区間）_L1（計画規模）_浸水継続時間': 12,
    },
  );
});

test('other waters have their kind before the area, in every version of i-UR', () => {
  for (const prefix of ['', 'Building']) {
    const found = ['Tsunami', 'HighTide', 'InlandFlooding', 'ReservoirFlooding'].map((type) =>
      risk(`${prefix}${type}`, { description: '湾', rankOrg: 2, depth: -9999 }),
    );
    assert.ok(found.every(({ name }) => isFloodRisk(name)));
    assert.deepEqual(Object.keys(columns(...found)), [
      '津波浸水想定_湾_浸水ランク',
      '津波浸水想定_湾_浸水ランクコード',
      '高潮浸水想定_湾_浸水ランク',
      '高潮浸水想定_湾_浸水ランクコード',
      '内水浸水想定_湾_浸水ランク',
      '内水浸水想定_湾_浸水ランクコード',
      'ため池浸水想定_湾_浸水ランク',
      'ため池浸水想定_湾_浸水ランクコード',
    ]);
  }
  assert.ok(!isFloodRisk('uro:LandSlideRiskAttribute'));
});

test('a river may lack scale and administrator, but not its name', () => {
  assert.deepEqual(columns(risk('RiverFlooding', { description: '利根川', depth: 1 })), { 利根川_浸水深: 1 });
  assert.deepEqual(columns(risk('RiverFlooding', { rank: 3 })), {});
  assert.deepEqual(columns(risk('Tsunami', { depth: 2 })), { 津波浸水想定_浸水深: 2 });
});

test('of records with the same names the worst stays whole', () => {
  const record = fc.record(
    {
      rank: fc.integer({ min: 1, max: 6 }),
      depth: fc.integer({ min: 0, max: 9 }),
      duration: fc.integer({ min: 0, max: 9 }),
    },
    { requiredKeys: ['rank'] },
  );
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
      const order = ({ rank, depth = -1, duration = -1 }: (typeof records)[0]) =>
        rank * 10_000 + depth * 100 + duration;
      const worst = records.reduce((a, b) => (order(b) > order(a) ? b : a));
      const found = columns(...records.map((one) => risk('Tsunami', { description: '湾', ...one })));
      const expected: Record<string, unknown> = {
        津波浸水想定_湾_浸水ランク: String(worst.rank),
        津波浸水想定_湾_浸水ランクコード: worst.rank,
      };
      if (worst.depth !== undefined) expected.津波浸水想定_湾_浸水深 = worst.depth;
      if (worst.duration !== undefined) expected.津波浸水想定_湾_浸水継続時間 = worst.duration;
      assert.deepEqual(found, expected);
    }),
  );
  // Ranks of different lists say nothing about each other.
  const other = columns(
    risk('Tsunami', { description: '湾', rankOrg: 9, depth: 1 }),
    risk('Tsunami', { description: '湾', rank: 1, depth: 2 }),
  );
  assert.equal(other.津波浸水想定_湾_浸水深, 2);
  assert.equal(other.津波浸水想定_湾_浸水ランクコード, 1);
});

test('each value of a record is accounted for: shown, empty, unknown, of a milder record, or left out', () => {
  const fates: string[] = [];
  const values: Pick<RowValues, 'note' | 'leaveProperty'> = {
    note: (_owner, name, fate) => void fates.push(`${name.replace('uro:', '')} ${fate}`),
    leaveProperty: (_owner, { name }) => void fates.push(`${name.replace('uro:', '')} left`),
  };
  const worst = { description: '湾', rank: 2, rankOrg: 5, depth: -9999, duration: ' ' };
  floodColumns(
    [risk('Tsunami', worst), risk('Tsunami', { description: '湾', rank: 1 })],
    () => undefined,
    values as RowValues,
  );
  assert.deepEqual(fates, [
    'description COLUMN',
    'rank COLUMN',
    'rankOrg left',
    'depth VALUE_UNKNOWN',
    'duration EMPTY',
    'description WORSE_SHOWN',
    'rank WORSE_SHOWN',
  ]);
});
