import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatDuration, type Progress, ProgressLine } from './progress.ts';

/** A terminal, or a file, that keeps what is written. */
function screen(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 100, write: (text: string) => written.push(text) > 0 };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

const state = (done: number, label = 'a.zip'): Progress => ({
  label,
  phase: 'reading',
  member: null,
  done,
  total: 100_000_000,
});

test('rate and time left come from the last ten seconds of the same label', () => {
  let now = 1_000;
  const { written, stream } = screen(true);
  const line = new ProgressLine(stream, () => now);
  line.update(state(0));
  now += 2_000;
  line.update(state(20_000_000));
  assert.match(written.at(-1)!, /a\.zip {2}reading 20 % {2}20\.0 MB of 100 MB, 10\.0 MB\/s, 8\.0 s left$/);
  // A slow start is forgotten.
  for (let i = 1; i <= 20; i++) {
    now += 1_000;
    line.update(state(20_000_000 + i * 1_000_000));
  }
  assert.match(line.render(state(40_000_000)), /, 1\.00 MB\/s, 1 min 0 s left$/);
  line.update(state(0, 'b.zip'));
  assert.match(line.render(state(0, 'b.zip')), /^b\.zip {2}reading 0 % .*, 0 B\/s$/);
});

test('a line is rewritten ten times a second at most, on a terminal alone', () => {
  let now = 1_000;
  const terminal = screen(true);
  const line = new ProgressLine(terminal.stream, () => now);
  for (let i = 0; i < 10; i++) {
    line.update(state(i));
    now += 50;
  }
  assert.equal(terminal.written.length, 5);
  assert.ok(terminal.written.every((text) => text.startsWith('\r\x1b[2K')));
  const file = screen(false);
  new ProgressLine(file.stream, () => now).update(state(1));
  assert.deepEqual(file.written, []);
});

test('sizes and times in words', () => {
  assert.equal(formatBytes(0), '0 B');
  assert.equal(formatDuration(4.46), '4.5 s');
  assert.equal(formatDuration(59), '59 s');
  assert.equal(formatDuration(61), '1 min 1 s');
  assert.equal(formatDuration(3_660), '1 h 1 min');
});
