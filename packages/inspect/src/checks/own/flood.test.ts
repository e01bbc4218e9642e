import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import type { Finding } from '../../check.ts';
import { FLOOD, rangeOf } from './flood.ts';

const WORDS = new Map([
  ['1', '0.5m未満'],
  ['2', '0.5m以上3m未満'],
  ['9', '調査中'],
]);

const leaf = (name: string, text: string, attributes: Record<string, string> = {}): XmlElement => ({
  ...{ name: `uro:${name}`, attributes, children: [], text },
});

function record(
  depth: string,
  rank: string,
  { kind = 'River', scale = '1', list = 'ranks.xml' } = {},
): XmlElement {
  const children = [leaf('description', '川'), leaf('scale', scale)];
  if (depth !== '') children.push(leaf('depth', ` ${depth} `));
  if (rank !== '') children.push(leaf('rank', rank, list === '' ? {} : { codeSpace: list }));
  return { name: `uro:${kind}FloodingRiskAttribute`, attributes: {}, children, text: '' };
}

/** What is found of features with these records. */
async function found(...features: XmlElement[][]): Promise<string[]> {
  const findings: Finding[] = [];
  const check = FLOOD.open({
    path: 'udx/bldg/a.gml',
    report: (finding: Finding) => void findings.push(finding),
    package: { codeList: async (list: string) => (list === 'ranks.xml' ? WORDS : null) },
  } as never) as {
    looksAt(name: string): boolean;
    element(element: XmlElement): void;
    member(member: unknown): Promise<void>;
  };
  for (const [i, records] of features.entries()) {
    for (const one of records) if (check.looksAt(one.name)) check.element(one);
    const feature = { name: 'bldg:Building', attributes: { 'gml:id': `b${i}` }, children: [], text: '' };
    await check.member({ feature, line: i + 1 });
  }
  return findings.map(({ id, line, ref, message }) => `${id} ${line} ${ref}: ${message}`);
}

test('a depth lies within its rank, but for rounding', async () => {
  assert.deepEqual(await found([record('2', '2')], [record('0.495', '2')], [record('3.004', '2')]), []);
  assert.deepEqual(await found([record('0.49', '2')], [record('3.01', '2')], [record('0', '1')]), [
    'b0 1 0.49: The depth of 0.49 m is not that of its rank, 0.5m以上3m未満.',
    'b1 2 3.01: The depth of 3.01 m is not that of its rank, 0.5m以上3m未満.',
  ]);
});

test('nothing is said where there is nothing to compare', async () => {
  const lists = [record('7', '1', { list: '' }), record('7', '1', { list: 'other.xml' })];
  assert.deepEqual(
    await found([record('', '1')], [record('7', '')], [record('7', '9')], [record('7', '8')], lists, []),
    [],
  );
  assert.deepEqual(await found([record('-1', '1')], [record('deep', '1')]), []);
  assert.deepEqual(await found([record('9', '1', { kind: 'Landslide' })]), []);
});

test('records of one flood of one feature agree, and those of several need not', async () => {
  assert.deepEqual(await found([record('1', ''), record('2', ''), record('2', '', { scale: '2' })]), [
    'b0 1 depth: Records of one flood have the depth 1 and 2.',
  ]);
  assert.deepEqual(await found([record('', '1'), record('', '2')]), [
    'b0 1 rank: Records of one flood have the rank 1 and 2.',
  ]);
  assert.deepEqual(await found([record('1', '')], [record('2', '')]), []);
  assert.deepEqual(await found([record('1', ''), record('2', '', { kind: 'Inland' })]), []);
});

test('a range has one end at least', () => {
  assert.deepEqual(rangeOf('0.5m以上3m未満'), { from: 0.5, to: 3 });
  assert.deepEqual(rangeOf('0.5 m未満'), { from: 0, to: 0.5 });
  assert.deepEqual(rangeOf('20m以上'), { from: 20, to: Infinity });
  assert.equal(rangeOf('不明'), null);
});
