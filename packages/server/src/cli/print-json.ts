/** Long values as JSON, printed piece by piece: a report of an inspection may have 100 MB. */
import type { Writable } from 'node:stream';

/** Characters that are written at once. */
const AT_ONCE = 1 << 16;

/** Writes what `JSON.stringify(value, null, 2)` says, and a line feed; to its end also where nobody reads any more. */
export async function printJson(value: unknown, stream: Writable): Promise<void> {
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  const write = (text: string) =>
    Promise.race([closed, new Promise<void>((resolve) => stream.write(text, () => resolve()))]);
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length < AT_ONCE) continue;
    await write(text);
    text = '';
  }
  await write(`${text}\n`);
}

/** Values below each other that are taken apart: packages, checks, their places. */
const DEPTH = 5;

/** What `JSON.stringify(value, null, 2)` says, in pieces; of plain values. */
export function* jsonPieces(value: unknown, depth = DEPTH, margin = ''): Generator<string, void, void> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value, null, 2) ?? 'null';
    yield margin === '' ? text : text.replaceAll('\n', `\n${margin}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = `${margin}  `;
  let isEmpty = true;
  for (const [key, part] of Object.entries(value)) {
    if (open === '{' && part === undefined) continue;
    yield `${isEmpty ? open : ','}\n${inner}${open === '{' ? `${JSON.stringify(key)}: ` : ''}`;
    yield* jsonPieces(part, depth - 1, inner);
    isEmpty = false;
  }
  yield isEmpty ? `${open}${close}` : `\n${margin}${close}`;
}
