/**
 * Compares versions such as `4.10` number by number: negative when `a` is lower. A part that is missing, or no number,
 * counts as 0.
 *
 * ```ts
 * ['4.10', '4.9'].sort(compareVersions); // ['4.9', '4.10']
 * ```
 */
export function compareVersions(a: string, b: string): number {
  const left = parts(a);
  const right = parts(b);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parts(version: string): number[] {
  return version.split('.').map((part) => Number(part) || 0);
}
