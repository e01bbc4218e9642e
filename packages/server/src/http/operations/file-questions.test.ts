import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { FileQuestions } from './file-questions.ts';
import { readFileFilters } from './files.ts';

const PREFIX = '/datacatalog/citygml/';

function reader() {
  let reads = 0;
  const questions = new FileQuestions({
    prefix: PREFIX,
    maxBounds: 3,
    filters: (query) => {
      reads++;
      return readFileFilters(query);
    },
  });
  const of = (path: string) => {
    const url = PREFIX + path;
    const query = Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''));
    return questions.of({ raw: { url }, query } as unknown as FastifyRequest);
  };
  return { of, reads: () => reads };
}

test('a question is read once for each way of writing it, and stays the same object', () => {
  const { of, reads } = reader();
  const first = of('13101?types=bldg');
  assert.deepEqual(first.conditions, { kind: 'area', codes: ['13101'] });
  assert.equal(of('13101?types=bldg'), first);
  assert.equal(reads(), 1);
  assert.notDeepEqual(of('13101?types=tran').filters, first.filters);
  assert.deepEqual(of('13101/').conditions, first.conditions);
  assert.deepEqual(of('13101/?types=bldg').conditions, first.conditions);
  assert.equal(reads(), 4);
});

test('what is refused is refused each time, and a long URL is read each time', () => {
  const { of, reads } = reader();
  for (let i = 0; i < 2; i++) {
    assert.throws(() => of('m:1'), ServiceError);
    assert.throws(() => of('m:53394525,53394526,53394535,53394536'), ServiceError);
  }
  const before = reads();
  const long = `g:${'x'.repeat(100)}?types=${'bldg,'.repeat(400)}bldg`;
  assert.notEqual(of(long), of(long));
  assert.equal(reads(), before + 2);
});
