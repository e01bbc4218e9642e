/**
 * Every setting of the program, by part: environment variables, and the same keys in a JSON file. `docs/settings.md` is
 * generated from it.
 */

import { readFileSync } from 'node:fs';
import { withoutEnd } from '@citymodel/base';
import { parseJson } from './parse-json.ts';
import { ADDRESSES_SETTINGS } from './settings/addresses.ts';
import { CATALOGUE_SETTINGS } from './settings/catalogue.ts';
import { FEATURES_SETTINGS } from './settings/features.ts';
import { GRAPHQL_SETTINGS } from './settings/graphql.ts';
import { JOBS_SETTINGS } from './settings/jobs.ts';
import {
  type ChoiceSchema,
  type IntegerSchema,
  integerMistake,
  type TextSchema,
  textMistake,
} from './settings/kinds.ts';
import { OPERATING_SETTINGS } from './settings/operating.ts';
import { PACKS_SETTINGS } from './settings/packs.ts';
import { PORTAL_SETTINGS } from './settings/portal.ts';
import { REQUESTS_SETTINGS } from './settings/requests.ts';
import { STORES_SETTINGS } from './settings/stores.ts';

/** The settings of each part, in the order of the document. */
export const SETTINGS_BY_PART = {
  Addresses: ADDRESSES_SETTINGS,
  Stores: STORES_SETTINGS,
  Catalogue: CATALOGUE_SETTINGS,
  Features: FEATURES_SETTINGS,
  Packs: PACKS_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Jobs: JOBS_SETTINGS,
  'Requests and connections': REQUESTS_SETTINGS,
  Operating: OPERATING_SETTINGS,
  Portal: PORTAL_SETTINGS,
};

/** JSON Schema of each setting. */
export const SETTINGS = {
  ...ADDRESSES_SETTINGS,
  ...STORES_SETTINGS,
  ...CATALOGUE_SETTINGS,
  ...FEATURES_SETTINGS,
  ...PACKS_SETTINGS,
  ...GRAPHQL_SETTINGS,
  ...JOBS_SETTINGS,
  ...REQUESTS_SETTINGS,
  ...OPERATING_SETTINGS,
  ...PORTAL_SETTINGS,
};

export type Settings = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['default'];
};

/** Settings that cannot be used, with every mistake named. */
export class InvalidSettings extends Error {
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(`the settings cannot be used:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`);
    this.name = 'InvalidSettings';
    this.mistakes = mistakes;
  }
}

/**
 * Reads the settings: defaults, then the JSON file named by `CONFIG_FILE`, then the environment.
 * Empty environment variables count as not set. Throws InvalidSettings naming every mistake at once.
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const mistakes: string[] = [];
  const values: Record<string, unknown> = {};
  const names = Object.keys(SETTINGS);
  const file = env.CONFIG_FILE;
  if (file) {
    try {
      const content = parseJson(readFileSync(file, 'utf8'));
      if (typeof content !== 'object' || content === null || Array.isArray(content)) {
        mistakes.push(`CONFIG_FILE ${file} must hold one JSON object`);
      } else {
        for (const [name, value] of Object.entries(content)) {
          if (names.includes(name)) values[name] = value;
          else
            mistakes.push(`CONFIG_FILE ${file} has the unknown key ${name}; known are ${names.join(', ')}`);
        }
      }
    } catch (error) {
      mistakes.push(`CONFIG_FILE ${file} cannot be read as JSON: ${(error as Error).message}`);
    }
  }
  for (const name of names) {
    const value = env[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  const settings: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries<IntegerSchema | TextSchema | ChoiceSchema<string>>(SETTINGS)) {
    const value = values[name] ?? schema.default;
    const mistake = schema.type === 'integer' ? integerMistake(value, schema) : textMistake(value, schema);
    if (mistake !== null) {
      const shown =
        'isSecret' in schema && schema.isSecret ? 'not accepted' : withoutSecrets(JSON.stringify(value));
      mistakes.push(`${name} is ${shown}, but it must be ${mistake}`);
    }
    settings[name] = schema.type === 'integer' ? Number(value) : value;
  }
  if (mistakes.length > 0) throw new InvalidSettings(mistakes);
  const result = settings as Settings;
  const publicUrl =
    values.PUBLIC_URL === undefined && result.PORT !== 0
      ? `http://localhost:${result.PORT}`
      : withoutEnd(result.PUBLIC_URL, '/');
  return {
    ...result,
    PUBLIC_URL: publicUrl,
    ASSET_REDIRECT: withoutEnd(result.ASSET_REDIRECT, '/'),
    ASSET_URL: withoutEnd(result.ASSET_URL || `${publicUrl}/assets`, '/'),
  };
}

/**
 * What is printed of a value that may be an address: not its user and password, nor its query, which may have a key.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/?#\s"]*@/, '//…@').replace(/[?#][^\s"]*/, '?…');
}
