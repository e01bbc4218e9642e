/** The help of commands in Japanese. */
import { type Argument, type Command, Help, type Option } from 'commander';
import { HELP_IN_JAPANESE } from './help-in-japanese.ts';

/**
 * Puts the help of a command and of those below it into Japanese: what commands, arguments and options say, and the
 * words that the library adds. A text without a translation stays as it is.
 */
export function translateHelp(command: Command): void {
  command.description(inJapanese(command.description()));
  command.helpOption('-h, --help', inJapanese('display help for command'));
  if (command.commands.length > 0) {
    command.helpCommand('help [command]', inJapanese('display help for command'));
  }
  command.configureHelp({
    styleTitle: inJapanese,
    optionDescription: (option: Option) => withoutEnglish(new Help().optionDescription(option)),
    argumentDescription: (argument: Argument) => withoutEnglish(new Help().argumentDescription(argument)),
  });
  for (const option of command.options) option.description = inJapanese(option.description);
  for (const argument of command.registeredArguments) argument.description = inJapanese(argument.description);
  for (const below of command.commands) translateHelp(below);
}

function inJapanese(text: string): string {
  return HELP_IN_JAPANESE[text] ?? text;
}

/** What the library says of choices and of what counts where nothing is given. */
function withoutEnglish(text: string): string {
  return text
    .replace(' (default: false)', '')
    .replace('choices: ', '選べる値：')
    .replace('default: ', '初期値：');
}
