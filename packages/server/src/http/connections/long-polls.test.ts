import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { type LongPoll, LongPolls } from './long-polls.ts';
import type { Pipelining } from './pipelining.ts';

test('so many wait as may, of one address and of all, and places come back', () => {
  const [perAddress, total] = [2, 4];
  const step = fc.tuple(fc.constantFrom('begin', 'begin', 'end'), fc.constantFrom('a', 'b', 'c'), fc.nat(9));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const crowded = new Set<() => void>();
      const pipelining = {
        onCrowded(_socket: unknown, tell: () => void) {
          crowded.add(tell);
          return () => crowded.delete(tell);
        },
      } as unknown as Pipelining;
      const polls = new LongPolls({ perAddress, total }, pipelining);
      const waiting: Array<{ address: string; poll: LongPoll }> = [];
      for (const [what, name, which] of steps) {
        if (what === 'end') {
          if (waiting.length > 0) waiting.splice(which % waiting.length, 1)[0]!.poll[Symbol.dispose]();
        } else {
          const address = `192.0.2.${name.charCodeAt(0)}`;
          const ofAddress = waiting.filter((one) => one.address === address).length;
          const poll = polls.begin({ ip: address, raw: { socket: {} } } as unknown as FastifyRequest);
          assert.equal(poll !== null, waiting.length < total && ofAddress < perAddress);
          if (poll !== null) waiting.push({ address, poll });
        }
        assert.equal(polls.size, waiting.length);
        assert.equal(crowded.size, waiting.length);
      }
      for (const tell of crowded) tell();
      for (const { poll } of waiting) assert.ok(poll.signal.aborted);
    }),
  );
});
