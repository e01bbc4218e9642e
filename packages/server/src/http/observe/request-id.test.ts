import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestId, traceOf } from './request-id.ts';

describe('the name of a request', () => {
  it('is what a proxy gave, where it is short and plain', () => {
    assert.equal(requestId({ headers: { 'x-request-id': 'a-1.B_2' } }), 'a-1.B_2');
    for (const header of ['', 'a b', 'a\r\nb', '<b>', 'x'.repeat(65), 'é']) {
      assert.match(requestId({ headers: { 'x-request-id': header } }), /^[0-9a-f-]{36}$/, header);
    }
    assert.notEqual(requestId({ headers: {} }), requestId({ headers: {} }));
  });

  it('has the trace of a W3C traceparent', () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    assert.equal(traceOf({ traceparent: `00-${trace}-00f067aa0ba902b7-01` }), trace);
    assert.equal(traceOf({ traceparent: `01-${trace}-00f067aa0ba902b7-01-more` }), trace);
    for (const wrong of [
      '',
      trace,
      `ff-${trace}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
      `00-${trace}-00f067aa0ba902b7-01more`,
    ]) {
      assert.equal(traceOf({ traceparent: wrong }), null, wrong);
    }
    assert.equal(traceOf({}), null);
  });
});
