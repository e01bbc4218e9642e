/** How far a typed text is from a name: letters that are wrong, missing, too many, or in the wrong order. */

/** Errors that a text of so many letters may have: one in four, two in seven; none in a shorter one. */
export function errorsAllowed(letters: number): number {
  return letters < 4 ? 0 : letters < 7 ? 1 : 2;
}

/**
 * The fewest errors between a typed text and the beginning of a name, which may go on; Infinity above `most`. An error
 * is a letter that is wrong, missing or too many, or two neighbours that changed places (optimal string alignment).
 * A first letter is seldom wrong, and names that begin otherwise are many: it must be right.
 */
export function errorsBetween(typed: string, name: string, most: number): number {
  if (typed[0] !== name[0] || name.length < typed.length - most) return Number.POSITIVE_INFINITY;
  const width = Math.min(name.length, typed.length + most);
  let before: number[] = [];
  let row = Array.from({ length: width + 1 }, (_, j) => j);
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= width; j++) {
      const isSame = typed[i - 1] === name[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = typed[i - 1] === name[j - 2] && typed[i - 2] === name[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    if (Math.min(...next) > most) return Number.POSITIVE_INFINITY;
    before = row;
    row = next;
  }
  return Math.min(...row);
}
