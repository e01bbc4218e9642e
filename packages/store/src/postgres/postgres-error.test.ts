import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutOfPatience } from '@citymodel/base';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import { isLocked, isMissingTable, isOfConnection, isPassing, translate } from './postgres-error.ts';
import { ConnectionSilent } from './silence-watch.ts';

function reported(state: string | undefined): pg.DatabaseError {
  const error = new pg.DatabaseError('x', 1, 'error');
  return Object.assign(error, { code: state });
}

/** What is said of an error; null where it stays as it is. */
function whyOf(error: unknown): string | null {
  const shown = translate(error, 'catalogue');
  if (shown === error) return null;
  assert.ok(shown instanceof StoreUnavailable);
  assert.equal(shown.message, `the database catalogue cannot answer: ${shown.why}`);
  assert.equal(shown.cause, error);
  return shown.why!;
}

test('states that say "not now" are said in words: the longer one first, a whole class else', () => {
  for (const [state, why] of [
    ['08006', 'the connection failed'],
    ['25006', 'it is read-only, as a standby is'],
    ['25P03', 'a transaction waited for this program too long'],
    ['28P01', 'it refuses the user or the password'],
    ['3D000', 'there is no such database'],
    ['40001', 'another transaction was in the way'],
    ['53300', 'it has too many connections'],
    ['53100', 'it lacks disk or memory'],
    ['55P03', 'it is busy'],
    ['57014', 'a statement took longer than allowed'],
    ['57P01', 'it is starting, stopping or restarting'],
    ['58030', 'reading or writing its disk failed'],
    ['F0001', 'its configuration is damaged'],
    ['XX001', 'it is damaged'],
    ['XX002', 'it is damaged'],
    ['25001', null],
    ['42601', null],
    ['55000', null],
    ['XX000', null],
    ['23505', null],
  ] as const) {
    assert.equal(whyOf(reported(state)), why, state);
  }
});

test('what comes from the way to the database says what failed there', () => {
  const connecting = new Error('timeout exceeded when trying to connect');
  assert.equal(whyOf(connecting), 'all connections of the pool are in use');
  assert.equal(whyOf(new ConnectionSilent(false)), 'it is silent');
  assert.equal(whyOf(new OutOfPatience()), 'it did not answer in time');
  assert.equal(
    whyOf(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
    'the connection failed (ECONNREFUSED)',
  );
  assert.equal(whyOf(new Error('x')), 'the connection failed');
  assert.equal(whyOf('x'), 'the connection failed');
  assert.equal(whyOf(reported(undefined)), 'the connection failed');
  for (const known of [new StoreUnavailable('known'), new RangeError('too large')])
    assert.equal(whyOf(known), null);
});

test('states tell what may run again, what is locked or missing, and what ends a connection', () => {
  const questions = { isPassing, isLocked, isMissingTable, isOfConnection };
  const answers = (error: unknown) =>
    Object.entries(questions).flatMap(([name, ask]) => (ask(error) ? [name] : []));
  for (const [state, expected] of [
    ['40001', ['isPassing']],
    ['40P01', ['isPassing']],
    ['40002', []],
    ['55P03', ['isLocked']],
    ['42P01', ['isMissingTable']],
    ['08006', ['isOfConnection']],
    ['57P01', ['isOfConnection']],
    ['57014', []],
    ['25P03', ['isOfConnection']],
    ['25006', ['isOfConnection']],
    ['25001', []],
  ] as const) {
    assert.deepEqual(answers(reported(state)), expected, state);
  }
  assert.deepEqual(answers(new Error('read ECONNRESET')), ['isOfConnection']);
  assert.deepEqual(answers(new RangeError('a number that is too large')), []);
});
