/** Small damage to texts and bytes, as a broken writer or a hostile one might do it. */
import type { Random } from '../../packages/sample/src/random.ts';

/** Numbers at which code that counts in 16, 32 or 53 bits goes wrong. */
export const NUMBERS = [
  '0', '-0', '1', '-1', '00', '+1', '.', '-', '1.', '.5', '1e3', '1e999', '-1e-999', 'NaN', 'Infinity', '0x10', '1_000',
  '255', '256',
  '65535', '65536', '2147483648', '4294967295', '4294967296', '9007199254740993', '123456789012345678901234567890',
] as const; // biome-ignore format: a table

/** Longest input that mutation makes, bytes or UTF-16 code units. */
const MOST = 1 << 20;

/** The text after one to some changes; `tokens` are what the grammar is made of. */
export function mutateText(text: string, random: Random, tokens: readonly string[]): string {
  let changed = text;
  for (let left = changes(random); left > 0; left--) changed = changeText(changed, random, tokens);
  return changed.slice(0, MOST);
}

function changeText(text: string, random: Random, tokens: readonly string[]): string {
  const [from, to] = range(text.length, random);
  const [otherFrom, otherTo] = range(text.length, random);
  const before = text.slice(0, from);
  switch (random.int(0, 7)) {
    case 0:
      return before + text.slice(to);
    case 1:
      return before + text.slice(otherFrom, otherTo) + text.slice(from);
    case 2:
      return before + random.pick(tokens) + text.slice(from);
    case 3:
      return before + random.pick(tokens) + text.slice(to);
    case 4:
      return replaceNumber(text, from, random);
    case 5:
      return before + String.fromCharCode(random.int(0, random.pick([127, 0xffff]))) + text.slice(from + 1);
    case 6:
      return before + text.slice(from, to).repeat(random.int(2, random.pick([3, 40]))) + text.slice(to);
    default:
      return before;
  }
}

/** The next number of the text is another one, or much longer. */
function replaceNumber(text: string, from: number, random: Random): string {
  const found = /\d+(?:\.\d+)?/.exec(text.slice(from, from + 4_000));
  if (found === null) return text + random.pick(NUMBERS);
  const at = from + found.index;
  const number = random.int(0, 9) === 0 ? '1'.repeat(random.int(1, 3_000)) : random.pick(NUMBERS);
  return text.slice(0, at) + number + text.slice(at + found[0].length);
}

/** The bytes after one to some changes; `tokens` are byte strings that mean something in the format. */
export function mutateBytes(bytes: Uint8Array, random: Random, tokens: readonly Uint8Array[] = []): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = changes(random); left > 0; left--) changed = changeBytes(changed, random, tokens);
  return changed.subarray(0, MOST);
}

function changeBytes(bytes: Buffer, random: Random, tokens: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const [from, to] = range(bytes.length, random);
  const [otherFrom, otherTo] = range(bytes.length, random);
  const before = bytes.subarray(0, from);
  const rest = bytes.subarray(to);
  switch (random.int(0, 7)) {
    case 0:
      return Buffer.concat([before, rest]);
    case 1:
      return Buffer.concat([before, bytes.subarray(otherFrom, otherTo), bytes.subarray(from)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(otherFrom, otherTo), rest]);
    case 3:
      return Buffer.concat([
        before,
        tokens.length === 0 ? noise(random) : random.pick(tokens),
        bytes.subarray(from),
      ]);
    case 4:
      return Buffer.concat([before, noise(random), rest]);
    case 5:
      return Buffer.from(before);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) {
        const at = Math.min(from, copy.length - 1);
        if (random.int(0, 1) === 0) copy[at]! ^= 1 << random.int(0, 7);
        else copy[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.int(0, 255)]);
      }
      return copy;
    }
  }
}

function noise(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random.int(1, 8) }, () => random.int(0, 255)));
}

function changes(random: Random): number {
  return random.int(1, random.pick([1, 1, 3, 12]));
}

/** A range that is short more often than long. */
function range(length: number, random: Random): [from: number, to: number] {
  const from = random.int(0, length);
  return [from, Math.min(length, from + random.int(0, random.pick([4, 40, 4_000])))];
}

/** A JSON document with one to some of its values replaced, removed, repeated or nested. */
export function mutateJson(document: unknown, random: Random, values: readonly unknown[]): unknown {
  const copy = structuredClone({ document });
  for (let left = changes(random); left > 0; left--) {
    if (typeof copy.document !== 'object' || copy.document === null) return random.pick(values);
    let holder: object = copy.document;
    for (;;) {
      const keys = Object.keys(holder);
      if (keys.length === 0) break;
      const key = random.pick(keys);
      const value: unknown = Reflect.get(holder, key);
      if (typeof value === 'object' && value !== null && random.int(0, 3) > 0) {
        holder = value;
        continue;
      }
      changeValue(holder, key, value, random, values);
      break;
    }
  }
  return copy.document;
}

function changeValue(
  holder: object,
  key: string,
  value: unknown,
  random: Random,
  values: readonly unknown[],
): void {
  switch (random.int(0, 5)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return;
    case 1:
      Reflect.set(holder, key, [value, value]);
      return;
    case 2:
      Reflect.set(holder, key, { [key]: value });
      return;
    default:
      Reflect.set(holder, key, structuredClone(random.pick(values)));
  }
}

/** Values of every JSON type and of the sizes at which code goes wrong. */
export const JSON_VALUES: readonly unknown[] = [
  null, true, false, 0, -0, -1, 1e308, 2 ** 53, 1.5, '', 'a', '__proto__', 'constructor', '../x', '\u0000', '\ud800',
  [], {}, [[]],
  [null], { a: null }, 'x'.repeat(5_000), Array.from({ length: 200 }, () => 0),
]; // biome-ignore format: a table
