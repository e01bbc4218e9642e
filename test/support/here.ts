/**
 * Commands in the process of a test, for what a test needs around that which it is about: starting the program takes
 * ten times as long as most of its work. One at a time, and while no other one starts a program.
 */
import { COMMANDS } from '../../packages/server/src/cli/commands.ts';
import { runCommand } from '../../packages/server/src/cli/testing/run-command.ts';
import { QUIET, type RunResult } from './program.ts';
import { commandsOf } from './store.ts';

/** Runs a command by the words that the program would get. Rejects where the program would tell of an error. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunResult> {
  const add = await COMMANDS[args[0]!]!();
  const { code, out, err } = await runCommand(add, args, { ...QUIET, ...env });
  return { code, signal: null, stdout: out, stderr: err };
}

/** What `store.ts` has, in this process. */
export const here = commandsOf(runHere);
