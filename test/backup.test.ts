/** Backups by the built program. What they do at every fault is tested beside them; here is what an operator does. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { finished, ROOT, runProgram, tempDirectory } from './support/program.ts';

describe('backup and restore', () => {
  it(
    'the drill passes: cuts amid publications, killed backups, restores into and between both kinds of ' +
      'stores',
    async () => {
      const drill = spawn(process.execPath, [join(ROOT, 'scripts/try-backup.ts'), '--backups', '2'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { code, stdout, stderr } = await finished(drill);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^\d+ backups of (?:[2-9]|\d{2,}) versions, [1-9]\d* killed/m);
      assert.match(stdout, /^all is well: (?:[3-9]\d\d|\d{4,}) answers compared$/m);
    },
  );

  it('says in one sentence what cannot be', async (t) => {
    const DATA_DIR = await tempDirectory(t);
    const place = join(DATA_DIR, 'backups');
    const run = async (...args: string[]) => {
      const { code, stderr } = await runProgram(args, { DATA_DIR });
      return `${code} ${stderr}`;
    };
    assert.match(
      await run('backup', join(DATA_DIR, 'store/backups')),
      /^2 citymodel: [\s\S]* are within each other\n$/,
    );
    assert.match(await run('backup', DATA_DIR), /^2 citymodel: [\s\S]* are within each other\n$/);
    assert.match(
      await run('backup', 's3://no bucket'),
      /^2 citymodel: [\s\S]*- the place of backups is no URL; .*\n$/,
    );
    assert.match(await run('restore', place), /^1 citymodel: there are no backups in this place\n$/);
    assert.match(await run('restore', place, '--to', '2026-11-24 09:00'), /It must be a time with its zone/);
    assert.match(await run('backup', place), /^0 $/);
    assert.match(
      await run('restore', place, '--to', '2020-01-01T00:00Z'),
      /^1 citymodel: no backup is so old/,
    );
  });
});
