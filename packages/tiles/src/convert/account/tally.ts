/**
 * How many of something went in, came out, and where the rest is, by code of the issue, or the reason, that names it.
 */
export interface Tally {
  in: number;
  out: number;
  rest: Record<string, number>;
}

export function emptyTally(): Tally {
  return { in: 0, out: 0, rest: {} };
}

/** Adds to what an issue names. */
export function addTo(rest: Record<string, number>, code: string, count: number): void {
  if (count !== 0) rest[code] = (rest[code] ?? 0) + count;
}
