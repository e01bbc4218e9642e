import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { AdminToken } from './admin-token.ts';

const TOKEN = 'correct-horse-battery-staple';

function statusOf(token: AdminToken, header: string | undefined, network = '192.0.2.1'): number {
  try {
    token.check(header, network);
    return 200;
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    assert.ok(!JSON.stringify(error.body()).includes(TOKEN));
    return error.status;
  }
}

describe('token of the operator', () => {
  it('is taken as it is, and nothing else', () => {
    const token = new AdminToken(TOKEN);
    assert.equal(statusOf(token, `Bearer ${TOKEN}`), 200);
    assert.equal(statusOf(token, `bearer  ${TOKEN}`), 200);
    for (const wrong of [
      undefined,
      '',
      TOKEN,
      'Bearer',
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN} x`,
    ]) {
      assert.equal(statusOf(token, wrong), 401, String(wrong));
    }
  });

  it('is told to wait after ten guesses of a network, in which the right one still works', () => {
    const token = new AdminToken(TOKEN);
    for (let i = 0; i < 10; i++) assert.equal(statusOf(token, `Bearer guess${i}`), 401);
    assert.equal(statusOf(token, 'Bearer guess'), 429);
    assert.equal(statusOf(token, undefined), 429);
    assert.equal(statusOf(token, `Bearer ${TOKEN}`), 200);
    assert.equal(statusOf(token, 'Bearer guess'), 429);
    assert.equal(statusOf(token, 'Bearer guess', '192.0.2.2'), 401);
  });

  it('is not counted as guessed by requests without one', () => {
    const token = new AdminToken(TOKEN);
    for (let i = 0; i < 50; i++) assert.equal(statusOf(token, undefined), 401);
    assert.equal(statusOf(token, `Bearer ${TOKEN}`), 200);
  });
});
