/**
 * Messages between the 3D view in a frame and the page around it: docs/embedding.md. Nothing of a message is used that
 * was not looked at here.
 */

import { PARAMETERS, type Parameter } from '../core/parameters.ts';
import { INITIAL, type State } from '../core/state.ts';

/** Stands in every message, in both directions. */
export const PROTOCOL = 'citymodel/1';

export type Command =
  | { type: 'fly'; lng: number; lat: number; height: number; heading: number; pitch: number }
  | { type: 'pick'; id: string | null }
  /** Parts of the state to show from now on. */
  | { type: 'show'; changes: Partial<State> };

export type Report =
  | { type: 'ready' }
  | { type: 'loaded'; model: string }
  | { type: 'camera'; camera: number[] }
  | {
      type: 'picked';
      id: string | null;
      lng: number | null;
      lat: number | null;
      properties: Record<string, unknown>;
    }
  | { type: 'failed'; reason: string };

/** Parameters that `show` sets. */
const SHOWN_BY_MESSAGE = PARAMETERS.filter(({ message }) => message === 'show');

/** Characters of any text in a command. */
const MAX_TEXT = 2_000;

/** True when a page of the origin may command: the list has it, or `*`. */
export function isAllowed(origin: string, allowed: readonly string[], own: string): boolean {
  return origin === own || allowed.includes('*') || allowed.includes(origin);
}

/** True for what claims to be ours; everything else that is posted to a window is ignored in silence. */
export function isOurs(data: unknown): data is { protocol: string } {
  return typeof data === 'object' && data !== null && (data as { protocol?: unknown }).protocol === PROTOCOL;
}

/** The command of a message, or what is wrong with it. */
export function readCommand(data: Record<string, unknown>): Command | { reason: string } {
  try {
    switch (data.type) {
      case 'fly':
        only(data, ['lng', 'lat', 'height', 'heading', 'pitch']);
        return {
          type: 'fly',
          lng: number(data, 'lng', -180, 180),
          lat: number(data, 'lat', -90, 90),
          height: number(data, 'height', -500, 10_000_000),
          heading: number(data, 'heading', -360, 360, 0),
          pitch: number(data, 'pitch', -90, 90, -45),
        };
      case 'pick':
        only(data, ['id']);
        return { type: 'pick', id: data.id === null ? null : text(data, 'id') };
      case 'show':
        only(
          data,
          SHOWN_BY_MESSAGE.map(({ name }) => name),
        );
        return {
          type: 'show',
          changes: Object.assign({}, ...SHOWN_BY_MESSAGE.map((row) => part(data, row))),
        };
      default:
        return { reason: 'type must be one of "fly", "pick", "show".' };
    }
  } catch (error) {
    if (error instanceof RangeError) return { reason: error.message };
    throw error;
  }
}

/**
 * What a message says of a parameter: a text, number or list of texts, as docs/embedding.md has it; null takes it away.
 * Nothing when the message does not name it. Throws RangeError for what the address could not hold either.
 */
function part(data: Record<string, unknown>, { name, key, kind, read }: Parameter): Partial<State> {
  const value = data[name];
  if (value === undefined) return {};
  if (value === null || value === '') return { [key]: INITIAL[key] };
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(','));
  const written =
    kind === 'list'
      ? isList
        ? value.join(',')
        : null
      : typeof value === (kind === 'text' ? 'string' : kind)
        ? String(value)
        : null;
  const found = written !== null && written.length <= MAX_TEXT ? read(written) : null;
  if (found !== null) return found;
  throw new RangeError(`${name} cannot be ${String(JSON.stringify(value)).slice(0, 60)}.`);
}

function only(data: Record<string, unknown>, names: readonly string[]): void {
  for (const key of Object.keys(data)) {
    if (key !== 'protocol' && key !== 'type' && !names.includes(key)) {
      throw new RangeError(
        `${JSON.stringify(key.slice(0, 40))} is not known; there are ${names.join(', ')}.`,
      );
    }
  }
}

function number(
  data: Record<string, unknown>,
  name: string,
  low: number,
  high: number,
  otherwise?: number,
): number {
  const value = data[name] ?? otherwise;
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw new RangeError(`${name} must be a number from ${low} to ${high}.`);
}

function text(data: Record<string, unknown>, name: string): string {
  const value = data[name];
  if (typeof value === 'string' && value.length <= MAX_TEXT) return value;
  throw new RangeError(`${name} must be a text of at most ${MAX_TEXT} characters.`);
}
