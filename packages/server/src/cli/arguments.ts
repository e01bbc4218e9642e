/** Checks of what options are given, for commander. */
import { type Command, InvalidArgumentError } from 'commander';

/** The option of commands that may take objects over from another database. */
export function addAdopt(command: Command): Command {
  return command.option(
    '--adopt',
    'take over the objects in OBJECT_STORE, which belong to another database; say so only when nobody uses that one ' +
      'any more',
    false,
  );
}

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
