/**
 * Whether a text, which begins with year, month and day as `2023-02-28`, begins with a day that the calendar has.
 * JavaScript takes the 29th of February of any year, for the first of March.
 */
export function dayExists(text: string): boolean {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day;
}
