/** Commands in this process: what they print, and the code that the process would end with. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Command, CommanderError } from 'commander';

export interface CommandRun {
  code: number;
  /** What went to the standard output. */
  out: string;
  /** What went to the standard error. */
  err: string;
}

const running = new AsyncLocalStorage<CommandRun>();
/** What commands wait for. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'disconnect'] as NodeJS.Signals[];

/**
 * Runs the command that `add` adds, by its words, with nothing but `env` as environment. One at a time: the environment
 * is that of the process. Rejects with what the command throws; words that it does not know end it with 1.
 */
export function runCommand(
  add: (program: Command) => void,
  words: readonly string[],
  env: Record<string, string>,
): Promise<CommandRun> {
  return catchOutput(env, async () => {
    const program = new Command('citymodel').exitOverride();
    add(program);
    for (const command of program.commands) overrideExit(command);
    try {
      await program.parseAsync(words, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      process.exitCode = error.exitCode;
    }
  });
}

/** Runs work that prints, with nothing but `env` as environment. */
export async function catchOutput(
  env: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<CommandRun> {
  const run: CommandRun = { code: 0, out: '', err: '' };
  const before = { env: process.env, exitCode: process.exitCode };
  const listeners = SIGNALS.map((name) => process.listeners(name));
  const writes = [catchWrites(process.stdout, 'out'), catchWrites(process.stderr, 'err')];
  process.env = { PATH: before.env.PATH, ...env };
  process.exitCode = undefined;
  try {
    await running.run(run, work);
    run.code = Number(process.exitCode ?? 0);
    return run;
  } finally {
    for (const restore of writes) restore();
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const [i, name] of SIGNALS.entries()) {
      for (const listener of process.listeners(name)) {
        if (!listeners[i]!.includes(listener)) process.off(name, listener);
      }
    }
  }
}

function overrideExit(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) overrideExit(below);
}

/** Keeps what the running command writes; what the runner of tests writes meanwhile goes its way. */
function catchWrites(stream: NodeJS.WriteStream, to: 'out' | 'err'): () => void {
  const { write } = stream;
  stream.write = ((...values: Parameters<typeof write>) => {
    const run = running.getStore();
    if (run === undefined) return write.apply(stream, values);
    run[to] += values[0];
    const callback: unknown = values.at(-1);
    if (typeof callback === 'function') queueMicrotask(() => callback());
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
  };
}
