const JAPAN_OFFSET_MS = 9 * 3_600_000;

/** The Japanese fiscal year (April to March, Japan Standard Time) that a moment lies in. */
export function fiscalYear(at: Date): number {
  const local = new Date(at.getTime() + JAPAN_OFFSET_MS);
  return local.getUTCMonth() >= 3 ? local.getUTCFullYear() : local.getUTCFullYear() - 1;
}
