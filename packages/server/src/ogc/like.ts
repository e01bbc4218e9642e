/** Patterns of `LIKE` (OGC 21-065r2, section 7.2): `%` is any text, `_` one character, a backslash takes both as they are. */

/** Longest pattern, characters. */
const MAX_PATTERN = 200;

/** One of a run: a character, or any. */
type Unit = string | null;

/** Runs with any text between them. */
export type LikePattern = ReadonlyArray<readonly Unit[]>;

/** Throws a RangeError for a longer pattern than is accepted. */
export function likePattern(text: string): LikePattern {
  if (text.length > MAX_PATTERN)
    throw new RangeError(
      `filter has a pattern of ${text.length} characters; at most ${MAX_PATTERN} are accepted.`,
    );
  const runs: Unit[][] = [[]];
  const characters = [...text];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!;
    if (character === '%') runs.push([]);
    else if (character === '_') runs.at(-1)!.push(null);
    else runs.at(-1)!.push(character === '\\' && i + 1 < characters.length ? characters[++i]! : character);
  }
  return runs;
}

/** Whether the whole text is one that the pattern means. Takes at most the product of their lengths. */
export function matchesLike(pattern: LikePattern, text: string): boolean {
  const characters = [...text];
  const first = pattern[0]!;
  if (!standsAt(first, characters, 0)) return false;
  if (pattern.length === 1) return first.length === characters.length;
  const last = pattern.at(-1)!;
  const end = characters.length - last.length;
  if (end < first.length || !standsAt(last, characters, end)) return false;
  let from = first.length;
  // The earliest place of each run leaves most room for the next.
  for (const run of pattern.slice(1, -1)) {
    while (from + run.length <= end && !standsAt(run, characters, from)) from++;
    if (from + run.length > end) return false;
    from += run.length;
  }
  return true;
}

function standsAt(run: readonly Unit[], characters: readonly string[], at: number): boolean {
  if (at + run.length > characters.length) return false;
  return run.every((unit, n) => unit === null || unit === characters[at + n]);
}
