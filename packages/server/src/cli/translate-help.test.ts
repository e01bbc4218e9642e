import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { COMMANDS } from './commands.ts';
import { HELP_IN_JAPANESE } from './help-in-japanese.ts';
import { translateHelp } from './translate-help.ts';

async function programWithAll(): Promise<Command> {
  const program = new Command('citymodel');
  for (const load of Object.values(COMMANDS)) (await load())(program);
  return program;
}

function textsOf(command: Command): string[] {
  return [
    command.description(),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
    ...command.commands.flatMap(textsOf),
  ].filter((text) => text !== '');
}

test('every text of the help has Japanese words, and no words are for a text that is gone', async () => {
  const texts = new Set(textsOf(await programWithAll()));
  assert.deepEqual(
    [...texts].filter((text) => HELP_IN_JAPANESE[text] === undefined),
    [],
  );
  const ofLibrary = new Set([
    'Usage:',
    'Options:',
    'Commands:',
    'Arguments:',
    'display help for command',
    'output the version number',
    'Publishes 3D city models: CityGML, 3D Tiles and MVT packages behind one public interface.',
  ]);
  assert.deepEqual(
    Object.keys(HELP_IN_JAPANESE).filter((text) => !texts.has(text) && !ofLibrary.has(text)),
    [],
  );
});

test('names of settings, commands and options are the same in both languages', () => {
  const codeOf = (text: string) =>
    [...text.matchAll(/--[a-z-]+|\b[A-Z_]{4,}\b|`[^`]+`|\{[^}]+\}/g)].map(([word]) => word).sort();
  for (const [english, japanese] of Object.entries(HELP_IN_JAPANESE)) {
    assert.deepEqual(codeOf(japanese), codeOf(english), english);
  }
});

test('the help of a command and of those below it is Japanese, as far as the library lets it', async () => {
  const program = await programWithAll();
  translateHelp(program);
  const jobs = program.commands.find((command) => command.name() === 'jobs')!;
  for (const help of [program, ...program.commands, ...jobs.commands].map((command) =>
    command.helpInformation(),
  )) {
    assert.match(help, /使い方：/);
    assert.doesNotMatch(help, /Options:|Usage:|display help|default:|choices:/);
  }
});
