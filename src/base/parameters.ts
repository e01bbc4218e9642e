import { ServiceError } from './errors.ts';

/** A comma-separated query parameter, also when it is repeated; blanks around entries and empty entries are dropped. */
export function listParameter(query: Record<string, unknown>, name: string): string[] {
  const value = query[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value])
    .flatMap((part) => String(part).split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * A yes-or-no query parameter: `true`, `1` and an empty value are true; `false`, `0` and its absence are false, in any
 * letter case. Throws ServiceError 400 for anything else.
 */
export function flagParameter(query: Record<string, unknown>, name: string): boolean {
  const value = query[name];
  if (value === undefined) return false;
  // Python writes True.
  const text = String(value).toLowerCase();
  if (text === 'false' || text === '0') return false;
  if (text === 'true' || text === '1' || text === '') return true;
  throw new ServiceError(400, 'invalid parameter', {
    reason: `${name} is ${quoted(String(value))}; it must be true or false.`,
  });
}

/** What a caller wrote, for a sentence about it: in quotation marks, and cut after `most` code units. */
export function quoted(text: string, most = 80): string {
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}
