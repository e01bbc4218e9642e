import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Issue } from '@citymodel/base';
import { convertIssueLines, countsLine, issueLines, refusalLine } from './print-issues.ts';

const issueOf = (member: string | null, more: Partial<Issue> = {}): Issue => ({
  code: 'MISSING_TEXTURE',
  severity: 'warning',
  message: 'wall.jpg is not in the package.',
  member,
  ...more,
});

test('issues are listed worst first, a few of each code, in both languages', () => {
  const issues = [
    issueOf('a.gml', { line: 7 }),
    issueOf('b.gml', { byte: 9 }),
    issueOf('c.gml'),
    issueOf('d.gml'),
    issueOf(null, { code: 'NO_SUCH_CODE', severity: 'error', message: 'Broken.' }),
  ];
  assert.deepEqual(issueLines(issues, 'en'), [
    'error NO_SUCH_CODE: Broken.',
    'warning MISSING_TEXTURE a.gml, line 7: wall.jpg is not in the package.',
    'warning MISSING_TEXTURE b.gml, byte 9: wall.jpg is not in the package.',
    'warning MISSING_TEXTURE c.gml: wall.jpg is not in the package.',
    '… and 1 more of MISSING_TEXTURE (--json lists them)',
  ]);
  const japanese = issueLines(issues, 'ja');
  assert.deepEqual(japanese.slice(0, 2), ['エラー NO_SUCH_CODE', '  Broken.']);
  assert.match(japanese[2]!, /^警告 MISSING_TEXTURE：.*テクスチャがパッケージにありません。対処：.+/);
  assert.deepEqual(japanese.slice(3), [
    '  a.gml 7 行 wall.jpg is not in the package.',
    '  b.gml 9 バイト目 wall.jpg is not in the package.',
    '  c.gml wall.jpg is not in the package.',
    '  … ほか 1 件（--json ですべて表示）',
  ]);
});

test('all issues are listed where somebody asks for all', () => {
  const issues = Array.from({ length: 9 }, (_, i) => issueOf(`${i}.gml`));
  assert.equal(issueLines(issues, 'en', Number.POSITIVE_INFINITY).length, 9);
});

test('refusals and failures say why in both languages', () => {
  const refusal = { code: 'NOT_A_ZIP', reason: 'x.zip has no directory.' };
  assert.equal(refusalLine('refused', refusal, 'en'), 'refused (NOT_A_ZIP): x.zip has no directory.');
  const japanese =
    '拒否（NOT_A_ZIP）：zip ではありません。対処：入手し直してください。 (x.zip has no directory.)';
  assert.equal(refusalLine('refused', refusal, 'ja'), japanese);
  assert.match(
    refusalLine('failed', { code: 'NO_SPACE', reason: 'Full.' }, 'ja'),
    /^失敗（NO_SPACE）：ディスク/,
  );
});

test('issues of a conversion have their files below them', () => {
  const found = (file: string, id: string | null, count: number) => ({
    code: 'ID_TWICE',
    severity: 'warning' as const,
    message: 'Two.',
    remedy: 'Change one.',
    file,
    id,
    count,
  });
  const issues = [found('a', 'x', 3), found('b', null, 1), found('c', null, 1), found('d', null, 1)];
  assert.deepEqual(convertIssueLines(issues, 'en'), [
    'warning ID_TWICE, 6 in 4 files: Two. Change one.',
    '  a x and 2 more',
    '  b',
    '  c',
    '  … and 1 more files (--json lists all)',
  ]);
  const [first, second] = convertIssueLines(issues, 'ja');
  assert.match(first!, /^警告 ID_TWICE（4 ファイルに 6 件）：2 つの地物が同じ gml:id/);
  assert.equal(second, '  a x ほか 2 件');
});

test('counts of severities', () => {
  const counts = { error: 1, warning: 2, info: 3 };
  assert.equal(countsLine(counts, 'en'), 'issues: 1 errors, 2 warnings, 3 notes');
  assert.equal(countsLine(counts, 'ja'), '指摘：エラー 1、警告 2、情報 3');
});
