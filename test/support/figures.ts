import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Holds figures to what Prometheus's own check says, where `promtool` is installed. */
export function checkFigures(text: string): void {
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  if ((checked.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    console.log('promtool is not installed: what it says of the figures is skipped');
    return;
  }
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
}

/** The first line of a program's log with a message. Rejects when the program ends before. */
export async function logLine(child: ChildProcess, message: string): Promise<Record<string, unknown>> {
  for await (const text of createInterface({ input: child.stdout! })) {
    const line = text.startsWith('{') ? JSON.parse(text) : {};
    if (line.msg === message) return line;
  }
  throw new Error(`the program ended before it said "${message}"`);
}
