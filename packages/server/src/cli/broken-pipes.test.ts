import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { dropUnread } from './broken-pipes.ts';

const MODULE = JSON.stringify(new URL('./broken-pipes.ts', import.meta.url));

/** A program that writes far more than a pipe holds, then says on its other output that it has come to its end. */
const WRITER = `
const { dropUnread } = await import(${MODULE});
if (process.argv[1] === 'drops') dropUnread(process.stdout);
for (let i = 0; i < 50; i++) {
  await new Promise((resolve) => process.stdout.write('line\\n'.repeat(20_000), resolve));
}
console.error('at its end');
`;

/** Ends reading after the first piece, as `head` does. Exit code, and what stood on the other output. */
async function readFirst(mode: string): Promise<{ code: number; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRITER, mode]);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = (await once(child, 'close')) as [number];
  return { code, errors };
}

test('a command whose reader has gone goes on to its end and prints no stack', async () => {
  assert.deepEqual(await readFirst('drops'), { code: 0, errors: 'at its end\n' });
  const { code, errors } = await readFirst('throws');
  assert.notEqual(code, 0);
  assert.match(errors, /EPIPE/);
});

test('other errors of a stream are not passed over', () => {
  const listeners: Array<(error: Error) => void> = [];
  const fake = { on: (_: string, listener: (error: Error) => void) => listeners.push(listener) };
  dropUnread(fake as unknown as NodeJS.WriteStream);
  const [listener] = listeners;
  listener!(Object.assign(new Error('gone'), { code: 'EPIPE' }));
  assert.throws(() => listener!(Object.assign(new Error('full'), { code: 'ENOSPC' })), /full/);
});
