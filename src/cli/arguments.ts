/** Checks of what options are given, for commander. */
import { InvalidArgumentError } from 'commander';

/** Reads a whole number between two others, both allowed. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < low || value > high) {
      throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
    }
    return value;
  };
}
