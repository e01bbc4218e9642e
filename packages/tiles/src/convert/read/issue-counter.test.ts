import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConvertIssue } from '../part-maker.ts';
import { IssueCounter } from './issue-counter.ts';

function issuesOf(count: (counter: IssueCounter) => void) {
  const issues: ConvertIssue[] = [];
  const counter = new IssueCounter('a.gml', (issue) => issues.push(issue));
  count(counter);
  counter.tell();
  return issues.map(({ code, id, count: times, message }) => [code, id, times, message]);
}

test('the same is told once with its number and the first feature', () => {
  const issues = issuesOf((counter) => {
    counter.count('ID_TWICE', 'a');
    counter.count('FLAT_DATA', 'b', '', 3);
    counter.count('ID_TWICE', 'c', '', 2);
  });
  assert.deepEqual(
    issues.map(([code, id, count]) => [code, id, count]),
    [
      ['ID_TWICE', 'a', 3],
      ['FLAT_DATA', 'b', 3],
    ],
  );
});

test('twenty details are told apart, and the rest together with the name of its first', () => {
  const images = (count: number) =>
    issuesOf((counter) => {
      for (let i = 0; i < count; i++) counter.count('IMAGE_MISSING', null, `$&${i}.jpg`);
      counter.count('IMAGE_MISSING', null, '$&0.jpg');
    });
  const last = (count: number) => images(count).at(-1);
  assert.equal(images(20).length, 20);
  const message = 'The package does not have the image $&20.jpg, or it cannot be read.';
  assert.deepEqual(images(21)[0]!.slice(1, 3), [null, 2]);
  assert.deepEqual(last(21), ['IMAGE_MISSING', null, 1, message]);
  assert.deepEqual(last(33), ['IMAGE_MISSING', null, 13, `${message} Others are counted with it.`]);
});
