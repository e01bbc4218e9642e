/** Checks of what options are given, for commander. */
import { InvalidArgumentError } from 'commander';

/** Reads a whole number between two others, both allowed; without a second there is no upper limit. */
export function wholeNumber(low: number, high = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < low || value > high) {
      const end = high === Number.MAX_SAFE_INTEGER ? '' : ` to ${high}`;
      throw new InvalidArgumentError(`It must be a whole number from ${low}${end}.`);
    }
    return value;
  };
}
