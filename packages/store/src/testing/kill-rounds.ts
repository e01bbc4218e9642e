import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ROUNDS } from '@citymodel/base/testing';

/**
 * Starts a program that writes to a store over and over. Kills it (SIGKILL) at a random moment after its first line of
 * output, and has the store checked; all that `rounds` times, and as often again as TEST_ROUNDS says. Gives the lines
 * that each program wrote before it died.
 */
export async function killRounds(
  program: string,
  args: readonly string[],
  rounds: number,
  check: (lines: string[], round: number) => Promise<void>,
): Promise<void> {
  const total = rounds * ROUNDS;
  for (let round = 0; round < total; round++) {
    const child = spawn(process.execPath, [program, ...args, String(round)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = once(child, 'close');
    await Promise.race([once(child.stdout, 'data'), ended]);
    // The moment of death is what the test is about.
    await setTimeout(Math.random() * 60);
    child.kill('SIGKILL');
    const [code, signal] = await ended;
    if (signal !== 'SIGKILL') throw new Error(`${program} ended by itself with ${code}: ${output}`);
    // The last line counts only when its end was written.
    await check(output.split('\n').slice(0, -1), round);
  }
}

/** Runs a program to its end and gives what it wrote; throws when it fails. */
export async function runProgram(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return output;
}
