/** Who may run the program: everybody on the machine, no matter who built it. */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openToAll } from '../scripts/open-to-all.ts';
import { ROOT, tempDirectory } from './support/program.ts';

/** A user without rights, where the tests run as root, which may read everything. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const NO_RIGHTS = { skip: process.platform === 'win32' && 'modes are those of POSIX' };

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the built program', () => {
  it('can be read by every user', NO_RIGHTS, () => {
    const dist = join(ROOT, 'packages/server/dist');
    // Compiled modules are kept for the owner alone, while others of the tests start the program.
    const names = readdirSync(dist).filter((name) => name !== '.compiled');
    const paths = [dist, ...names.map((name) => join(dist, name))];
    for (const directory of paths.slice(1)) {
      if (!statSync(directory).isDirectory()) continue;
      for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
        paths.push(join(entry.parentPath, entry.name));
    }
    const closed = paths.filter((path) => {
      const { mode } = statSync(path);
      const wanted = statSync(path).isDirectory() ? 0o005 : 0o004;
      return (mode & wanted) !== wanted;
    });
    assert.deepEqual(closed, []);
  });

  it('is opened to others as to its owner, and to nobody for writing', NO_RIGHTS, async (t) => {
    const directory = await tempDirectory(t);
    mkdirSync(join(directory, 'deep'), { mode: 0o700 });
    writeFileSync(join(directory, 'deep/text'), '', { mode: 0o600 });
    writeFileSync(join(directory, 'deep/program'), '', { mode: 0o700 });
    openToAll(directory);
    assert.deepEqual(
      ['', 'deep', 'deep/text', 'deep/program'].map((path) => modeOf(join(directory, path))),
      ['755', '755', '644', '755'],
    );
  });

  it('says whether it is not built or cannot be read', NO_RIGHTS, async (t) => {
    const directory = await programCopy(t);
    assert.match(started(directory).stderr, /^citymodel is not built yet[^\n]+\n$/);
    mkdirSync(join(directory, 'dist/cli'), { recursive: true });
    writeFileSync(join(directory, 'dist/cli/main.js'), 'console.log("runs");');
    assert.equal(started(directory).stdout, 'runs\n');
    for (const [path, closed, open] of [
      ['dist', 0o700, 0o755],
      ['dist/cli/main.js', 0o600, 0o644],
    ] as const) {
      chmodSync(join(directory, path), 'uid' in NOBODY ? closed : 0);
      const { status, stderr } = started(directory);
      chmodSync(join(directory, path), open);
      assert.equal(status, 1, path);
      assert.match(stderr, /^citymodel: the program cannot be read by this user \(EACCES[^\n]+\n$/, path);
    }
  });
});

/** A directory with the launcher alone. */
async function programCopy(t: TestContext): Promise<string> {
  const directory = await tempDirectory(t);
  chmodSync(directory, 0o755);
  cpSync(join(ROOT, 'packages/server/bin'), join(directory, 'bin'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
  return directory;
}

function started(directory: string): SpawnSyncReturns<string> {
  const options = { cwd: directory, encoding: 'utf8', env: { PATH: process.env.PATH }, ...NOBODY } as const;
  return spawnSync(process.execPath, ['bin/citymodel.js', '--version'], options);
}
