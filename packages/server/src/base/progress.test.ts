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

test('a size has three digits and the unit in which it is below a thousand', () => {
  const sizes: Array<[number, string]> = [
    [999, '999 B'],
    [1_000, '1.00 kB'],
    [9_994, '9.99 kB'],
    [10_000, '10.0 kB'],
    [99_900, '99.9 kB'],
    [100_000, '100 kB'],
    [999_000, '999 kB'],
    [1_000_000, '1.00 MB'],
    [12_345_678, '12.3 MB'],
    [5_000_000_000, '5.00 GB'],
    [5_000_000_000_000, '5.00 TB'],
    [5_000_000_000_000_000, '5000 TB'],
  ];
  for (const [bytes, text] of sizes) assert.equal(formatBytes(bytes), text);
});

test('a time has the two units that matter', () => {
  const times: Array<[number, string]> = [
    [-1, '0.0 s'],
    [0, '0.0 s'],
    [9.94, '9.9 s'],
    [10, '10 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [60, '1 min 0 s'],
    [3_599, '59 min 59 s'],
    [3_600, '1 h 0 min'],
    [7_500, '2 h 5 min'],
  ];
  for (const [seconds, text] of times) assert.equal(formatDuration(seconds), text);
});

test('a line fits the terminal, is removed there alone, and says 100 % of nothing', () => {
  const narrow = screen(true);
  Object.assign(narrow.stream, { columns: 30 });
  const line = new ProgressLine(narrow.stream, () => 1_000);
  line.update(state(0));
  assert.equal(narrow.written[0]!.length, '\r\x1b[2K'.length + 29);
  line.clear();
  assert.equal(narrow.written[1], '\r\x1b[2K');
  const tiny = screen(true);
  Object.assign(tiny.stream, { columns: 5 });
  new ProgressLine(tiny.stream, () => 1_000).update(state(0));
  assert.equal(tiny.written[0]!.length, '\r\x1b[2K'.length + 20);
  const file = screen(false);
  new ProgressLine(file.stream).clear();
  assert.deepEqual(file.written, []);
  assert.match(line.render({ ...state(0), total: 0 }), /reading 100 %/);
  for (const percent of [1, 50, 99, 100]) {
    assert.match(line.render(state(percent * 1_000_000)), new RegExp(`reading ${percent} %`));
  }
});

test('before anything is known of the rate, a line has none', () => {
  const line = new ProgressLine(screen(false).stream);
  assert.equal(line.render(state(0)), 'a.zip  reading 0 %  0 B of 100 MB, 0 B/s');
});

test('ten seconds back, and never fewer than two samples', () => {
  let now = 1_000;
  const line = new ProgressLine(screen(false).stream, () => now);
  line.update(state(0));
  now += 60_000;
  line.update(state(60_000_000));
  assert.match(line.render(state(60_000_000)), /1\.00 MB\/s/);
  now += 10_000;
  line.update(state(80_000_000));
  // The first is older than ten seconds, the second is not.
  assert.match(line.render(state(80_000_000)), /2\.00 MB\/s, 10 s left/);
});
