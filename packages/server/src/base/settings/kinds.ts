/** The three kinds of settings, and what their values must be. */
import { isIP } from 'node:net';

/** Without a user and a password: addresses stand in answers and logs. */
export const URL_PATTERN = '^https?://[^/?#@\\s]+(/[^?#\\s]*)?$';
export const IS_ADDRESS = new RegExp(URL_PATTERN, 'u');

export interface IntegerSchema {
  type: 'integer';
  minimum: number;
  maximum: number;
  default: number;
  description: string;
}

export interface TextSchema {
  type: 'string';
  minLength?: number;
  pattern?: string;
  /** What a pattern cannot say. */
  accepts?: (value: string) => boolean;
  /** What is accepted, in words; an address when nothing is said. */
  accepted?: string;
  /** Never printed. */
  isSecret?: boolean;
  default: string;
  description: string;
}

export interface ChoiceSchema<T extends string> {
  type: 'string';
  enum: readonly T[];
  default: T;
  description: string;
}

// Plain JSON Schema of three kinds: a library for schemas would take a quarter of the time in which a server starts.
export const integer = (schema: Omit<IntegerSchema, 'type'>): IntegerSchema => ({
  type: 'integer',
  ...schema,
});
export const text = (schema: Omit<TextSchema, 'type'>): TextSchema => ({ type: 'string', ...schema });
export const choice = <const T extends string>(
  choices: readonly T[],
  schema: { default: NoInfer<T>; description: string },
): ChoiceSchema<T> => ({ type: 'string', enum: choices, ...schema });

/** What a setting must be, in words for the one who sets it; null where it is that. */
export function integerMistake(value: unknown, { minimum, maximum }: IntegerSchema): string | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const isRight =
    typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum;
  return isRight ? null : `a whole number from ${minimum} to ${maximum}`;
}

export function textMistake(value: unknown, schema: TextSchema | ChoiceSchema<string>): string | null {
  if ('enum' in schema) {
    return schema.enum.includes(value as string) ? null : `one of ${schema.enum.join(', ')}`;
  }
  if (typeof value !== 'string') return 'text';
  if (value.length < (schema.minLength ?? 0)) return 'some text, not empty';
  const fits = schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value);
  if (fits && (schema.accepts?.(value) ?? true)) return null;
  return (
    schema.accepted ?? 'an address such as https://data.example.jp/path, without user, password and query'
  );
}

/** Parts of a comma-separated list, without blanks around them and without empty ones. */
export function listOf(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Whether it is an IP address, a network as `address/bits`, or one of the names that stand for well-known networks. */
export function isAddressOrNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address, bits, more] = text.split('/');
  const version = isIP(address!);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
