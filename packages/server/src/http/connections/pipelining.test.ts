import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { LongPolls } from './long-polls.ts';
import { Pipelining } from './pipelining.ts';

/** As much of a socket as is looked at. */
class FakeSocket extends EventEmitter {
  paused = false;
  destroyed = false;

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.emit('resume');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** A connection on which requests arrive, and the numbers of those that are handled. */
function connection(pipelining: Pipelining) {
  const socket = new FakeSocket();
  const handled: number[] = [];
  const responses: EventEmitter[] = [];
  return {
    socket,
    handled,
    arrive(count = 1) {
      for (let i = 0; i < count; i++) {
        const n = responses.length;
        const response = new EventEmitter();
        responses.push(response);
        pipelining.admit({ socket } as unknown as IncomingMessage, response as ServerResponse, () =>
          handled.push(n),
        );
      }
    },
    /** The answer to request `n` was sent, or its connection ended. */
    answer: (n: number) => responses[n]!.emit('close'),
    request: { ip: '192.0.2.1', raw: { socket } } as unknown as Parameters<LongPolls['begin']>[0],
  };
}

test('handles a few requests of a connection, and the others in order as answers leave', () => {
  const pipelining = new Pipelining(2);
  const one = connection(pipelining);
  one.arrive(5);
  assert.deepEqual([one.handled, one.socket.paused, pipelining.waiting], [[0, 1], true, 3]);
  // Reading the body of an earlier request resumes the socket.
  one.socket.resume();
  assert.equal(one.socket.paused, true);
  one.answer(0);
  assert.deepEqual([one.handled, one.socket.paused], [[0, 1, 2], true]);
  one.answer(1);
  one.answer(2);
  assert.deepEqual([one.handled, one.socket.paused, pipelining.waiting], [[0, 1, 2, 3, 4], false, 0]);
  one.answer(3);
  one.answer(4);
  one.arrive();
  assert.equal(one.handled.at(-1), 5);
});

test('forgets what waits when the connection closes, and does not hold up other connections', () => {
  const pipelining = new Pipelining(1);
  const one = connection(pipelining);
  const other = connection(pipelining);
  one.arrive(4);
  other.arrive();
  assert.deepEqual([other.handled, other.socket.paused, pipelining.waiting], [[0], false, 3]);
  one.socket.destroy();
  assert.equal(pipelining.waiting, 0);
  one.answer(0);
  assert.deepEqual([one.handled, pipelining.waiting], [[0], 0]);
});

test('closes a connection when too many requests wait in all', () => {
  const pipelining = new Pipelining(1);
  const one = connection(pipelining);
  one.arrive(20_001);
  assert.deepEqual([one.socket.destroyed, pipelining.waiting], [false, 20_000]);
  const other = connection(pipelining);
  other.arrive(2);
  assert.deepEqual([other.handled, other.socket.destroyed, one.socket.destroyed], [[0], true, false]);
});

test('a long poll ends when a request arrives behind it, or is there already', () => {
  const pipelining = new Pipelining(4);
  const polls = new LongPolls({ perAddress: 9, total: 9 }, pipelining);
  const one = connection(pipelining);
  one.arrive();
  const poll = polls.begin(one.request)!;
  assert.equal(poll.signal.aborted, false);
  one.arrive();
  assert.equal(poll.signal.aborted, true);
  assert.equal(polls.begin(one.request)!.signal.aborted, true);
  const quiet = polls.begin(connection(pipelining).request)!;
  assert.equal(quiet.signal.aborted, false);
});

test('as many long polls as the limits allow wait, by address and in all', () => {
  const pipelining = new Pipelining(4);
  const polls = new LongPolls({ perAddress: 2, total: 3 }, pipelining);
  const from = (ip: string) => polls.begin({ ...connection(pipelining).request, ip } as never);
  const first = from('192.0.2.1')!;
  assert.ok(from('192.0.2.1'));
  assert.equal(from('192.0.2.1'), null);
  // One network of IPv6 counts as one address.
  assert.ok(from('2001:db8:1:2::5'));
  assert.equal(from('192.0.2.7'), null);
  assert.equal(polls.size, 3);
  first[Symbol.dispose]();
  assert.equal(polls.size, 2);
  assert.ok(from('192.0.2.1'));
});
