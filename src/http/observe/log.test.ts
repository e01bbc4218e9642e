import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
