import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countIssues, type Issue } from '@citymodel/base';
import fc from 'fast-check';
import { IssueList, MAX_MESSAGE } from './issue-list.ts';

const issue = (code: string, member: string | null, severity: Issue['severity'] = 'warning'): Issue => ({
  code,
  severity,
  member,
  message: 'It is odd.',
});

function listOf(issues: Iterable<Issue>): IssueList {
  const list = new IssueList();
  for (const one of issues) list.sink(one);
  return list;
}

it('keeps twenty of one code and member, and says how many more there were', () => {
  const twenty = listOf(Array.from({ length: 20 }, () => issue('ODD', 'a')));
  assert.equal(twenty.all().length, 20);
  assert.ok(twenty.all().every(({ message }) => message === 'It is odd.'));
  const list = listOf([
    ...Array.from({ length: 23 }, () => issue('ODD', 'a')),
    issue('ODD', 'b'),
    issue('EVEN', 'a', 'error'),
    issue('WHOLE', null),
  ]);
  const all = list.all();
  assert.equal(all.length, 24);
  assert.deepEqual(
    [all[0], all.at(-1)].map((one) => one!.member),
    [null, 'b'],
    'by member, the package itself first',
  );
  assert.deepEqual(all.at(-2), {
    ...issue('ODD', 'a'),
    message: 'There are 3 more of this kind in this file.',
  });
  assert.deepEqual(list.totals, { error: 1, warning: 25, info: 0 });
});

it('keeps ten thousand in all, and counts every one', () => {
  const list = listOf(Array.from({ length: 10_001 }, (_, i) => issue('ODD', `${i}`, 'info')));
  const all = list.all();
  assert.equal(all.length, 10_001);
  assert.deepEqual(all[0], {
    ...issue('ODD', null, 'info'),
    message: 'There are 1 more of this kind in this package.',
  });
  assert.deepEqual(list.totals, { error: 0, warning: 0, info: 10_001 });
});

it('a list stands for every issue, however many there are of each kind', () => {
  const kinds = fc.record({
    code: fc.constantFrom('A', 'B'),
    member: fc.constantFrom(null, 'a', 'b'),
    severity: fc.constantFrom('error', 'warning', 'info' as const),
    times: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 4_000, max: 6_000 })),
    members: fc.constantFrom(1, 4_000),
  });
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 6 }), (issues) => {
      const list = new IssueList();
      const expected = new Map<string, number>();
      for (const { code, member, severity, times, members } of issues) {
        for (let i = 0; i < times; i++) {
          list.sink(issue(code, members === 1 ? member : `${member}${i}`, severity));
          expected.set(`${severity} ${code}`, (expected.get(`${severity} ${code}`) ?? 0) + 1);
        }
      }
      const all = list.all();
      const counted = countIssues(all).map(
        ({ code, severity, count }) => [`${severity} ${code}`, count] as const,
      );
      assert.deepEqual(new Map(counted), new Map([...expected].sort()), 'by code');
      assert.deepEqual(
        counted.map(([kind]) => kind),
        counted.map(([kind]) => kind).sort(worstFirst),
      );
      assert.ok(all.length <= 10_000 + 500 + 6, `${all.length}`);
    }),
    { numRuns: 30 },
  );
});

function worstFirst(a: string, b: string): number {
  const place = (kind: string) => ['error', 'warning', 'info'].indexOf(kind.split(' ')[0]!);
  return place(a) - place(b);
}

it('messages that quote megabytes of a package are cut', () => {
  const issues = new IssueList();
  issues.sink({
    ...issue('CONTENT_MISSING', 'tileset.json'),
    message: `The content ${'a'.repeat(5_000_000)} is missing.`,
  });
  issues.sink({ ...issue('CONTENT_MISSING', 'tileset.json'), message: 'The content b is missing.' });
  const [long, short] = issues.all();
  assert.equal(long!.message.length, MAX_MESSAGE);
  assert.match(long!.message, /^The content a+…$/);
  assert.equal(short!.message, 'The content b is missing.');
});
