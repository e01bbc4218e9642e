/**
 * The description of the interface passes the linters that its readers use, in both versions; and its sentences are
 * short.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { toOpenApi30 } from '../packages/server/src/http/describe/openapi-30.ts';
import type { Json, JsonObject } from '../packages/server/src/http/describe/operation.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';

const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
/** Words of a sentence. */
const MOST_WORDS = 25;

let directory: string;
const documents = new Map<string, JsonObject>();

before(async () => {
  directory = await tempDirectory();
  const document = JSON.parse(await readFile(join(ROOT, 'docs/openapi.json'), 'utf8'));
  documents.set('3.1', document).set('3.0', toOpenApi30(document));
});

after(() => removeDirectory(directory));

describe('the description of the interface', () => {
  for (const version of ['3.1', '3.0']) {
    it(`has nothing that Redocly finds in OpenAPI ${version}`, async () => {
      const file = join(directory, `openapi-${version}.json`);
      await writeFile(file, JSON.stringify(documents.get(version)));
      // Without these it looks for a newer version of itself on the network.
      const env = {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        CI: 'true',
      };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [REDOCLY, 'lint', file, '--extends', 'recommended', '--format', 'json'],
        { cwd: directory, env },
      );
      assert.deepEqual(JSON.parse(stdout).problems, []);
    });

    it(`has nothing that Spectral finds in OpenAPI ${version}`, async () => {
      const linter = new spectral.Spectral();
      linter.setRuleset({
        extends: rulesets.oas as spectral.RulesetDefinition,
        // The program does not know who runs it.
        rules: { 'info-contact': 'off' },
      } as spectral.RulesetDefinition);
      const found = await linter.run(documents.get(version)!);
      assert.deepEqual(
        found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
        [],
      );
    });
  }

  it('has short sentences', () => {
    const long: string[] = [];
    for (const text of texts(documents.get('3.1')!)) {
      for (const sentence of text.split(/[.;:](?:\s|$)|\n/)) {
        if (sentence.split(/\s+/).filter(Boolean).length > MOST_WORDS) long.push(sentence);
      }
    }
    assert.deepEqual(long, []);
  });
});

/** Every summary and description. */
function* texts(value: Json): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if ((key === 'description' || key === 'summary') && typeof entry === 'string') yield entry;
    else yield* texts(entry);
  }
}
