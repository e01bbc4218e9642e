/**
 * Messages between the 3D view in a frame and the page around it: docs/embedding.md. Nothing of a message is used that
 * was not looked at here.
 */

/** Stands in every message, in both directions. */
export const PROTOCOL = 'citymodel/1';

export type Command =
  | { type: 'fly'; lng: number; lat: number; height: number; heading: number; pitch: number }
  | { type: 'pick'; id: string | null }
  | {
      type: 'show';
      model?: string;
      colour?: string;
      where?: string;
      sun?: number | null;
      cut?: number | null;
    };

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
        only(data, ['model', 'colour', 'where', 'sun', 'cut']);
        return {
          type: 'show',
          ...(data.model === undefined ? {} : { model: text(data, 'model') }),
          ...(data.colour === undefined ? {} : { colour: text(data, 'colour') }),
          ...(data.where === undefined ? {} : { where: text(data, 'where') }),
          ...(data.sun === undefined ? {} : { sun: data.sun === null ? null : number(data, 'sun', 0, 24) }),
          ...(data.cut === undefined
            ? {}
            : { cut: data.cut === null ? null : number(data, 'cut', 0, 1_000) }),
        };
      default:
        return { reason: 'type must be one of "fly", "pick", "show".' };
    }
  } catch (error) {
    if (error instanceof RangeError) return { reason: error.message };
    throw error;
  }
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
