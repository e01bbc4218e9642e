/** Servers and workers on one PostgreSQL and one bucket, which can be killed and come back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PROGRAM = new URL('../../packages/server/bin/citymodel.js', import.meta.url).pathname;

/** One server or worker, under a name; started again after it was killed. */
export class Member {
  /** Where a server listens; null for a worker, and while it is not there. */
  url: string | null = null;
  /** When it was killed last, ms since 1970. */
  killedAt = 0;
  kills = 0;
  /** How often it ended by itself after it had begun its work, and was started again. */
  ends = 0;
  /** Highest resident memory of its processes, MB, as far as it was looked at: when one is killed, and by `look`. */
  peakMb = 0;
  readonly name: string;
  readonly command: 'serve' | 'worker';
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;

  constructor(command: 'serve' | 'worker', directory: string, env: NodeJS.ProcessEnv) {
    this.name = basename(directory);
    this.command = command;
    this.#directory = directory;
    this.#env = env;
  }

  get logPath(): string {
    return join(this.#directory, 'log');
  }

  /**
   * Starts it, and resolves when it is at work. A store that is away makes it start again and again, as a service
   * manager would.
   */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    for (;;) {
      const log = await open(this.logPath, 'a');
      const { size } = await log.stat();
      const child = spawn(process.execPath, [PROGRAM, this.command], {
        stdio: ['ignore', log.fd, log.fd],
        env: {
          ...process.env,
          DATA_DIR: this.#directory,
          PORT: '0',
          HOST: '127.0.0.1',
          ...this.#env,
        },
      });
      await log.close();
      this.#child = child;
      while (child.exitCode === null && child.signalCode === null) {
        const text = (await readFile(this.logPath)).subarray(size).toString();
        const address = /"address":"(http:[^"]+)"/.exec(text)?.[1];
        if (this.command === 'serve' ? address !== undefined : text.includes('"working"')) {
          this.url = address ?? null;
          child.once('exit', () => {
            if (this.#child !== child) return;
            this.ends++;
            void this.start();
          });
          return;
        }
        await pause(50);
      }
      if (child.signalCode === 'SIGKILL') return;
      await pause(500);
    }
  }

  /** Kills it with no warning and starts it again. */
  async crash(): Promise<void> {
    this.kills++;
    await this.look();
    await this.end('SIGKILL');
    await this.start();
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.killedAt = Date.now();
    this.url = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    this.killedAt = Date.now();
  }

  /** Notes the highest memory of the process that runs now. */
  async look(): Promise<void> {
    const status = await readFile(`/proc/${this.#child?.pid}/status`, 'utf8').catch(() => '');
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
    this.peakMb = Math.max(this.peakMb, peak);
  }
}
