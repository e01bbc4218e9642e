/** The first of 0 … n-1 for which a condition holds that holds for all after it, or n. Looks at log2 n of them. */
export function firstWhere(n: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
