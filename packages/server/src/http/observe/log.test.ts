import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

test('lines that were gathered are written when the process ends, however it does', () => {
  const url = new URL('./log.ts', import.meta.url);
  for (const end of ['process.exit(3)', "throw new Error('broken')", '']) {
    const program = `import { createLog } from ${JSON.stringify(url)};
      const { log } = createLog('info');
      log.info('first');
      log.error('last');
      ${end}`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => (line === '' ? null : JSON.parse(line).msg));
    assert.deepEqual(messages, ['first', 'last'], end);
  }
});

test('lines that nobody takes do not fill the memory; how many were dropped is said afterwards', async () => {
  const program = `import { setImmediate, setTimeout } from 'node:timers/promises';
    import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url))};
    const { log } = createLog('info');
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 1_500; i++) {
      for (let j = 0; j < 100; j++) log.info({ url: String(j).padEnd(1_000, 'x') }, 'request');
      await setImmediate();
    }
    process.send(process.memoryUsage.rss() - before);
    process.once('message', () => process.exit(0));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    const [grown] = (await once(child, 'message')) as [number];
    assert.ok(grown < 100_000_000, `grew by ${grown} bytes`);
    const output = text(child.stdout!);
    let seen = '';
    child.stdout!.on('data', (chunk) => {
      seen = (seen + chunk).slice(-100_000);
      if (seen.includes('were dropped') && child.connected) child.send('end');
    });
    const lines = (await output).trim().split('\n');
    const warning = JSON.parse(lines.find((line) => line.includes('were dropped'))!);
    const requests = lines.filter((line) => line.includes('"request"')).length;
    assert.equal(warning.lines + requests, 150_000);
  } finally {
    child.kill('SIGKILL');
  }
});
