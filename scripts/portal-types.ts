/** Writes the portal's types of answers from `docs/openapi.json`; with `--check` only compares. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApi } from 'swagger-typescript-api';

const FILE = 'portal/src/core/interface-types.ts';
const BIOME = join(import.meta.dirname, '../node_modules/.bin/biome');

const { files } = await generateApi({
  spec: JSON.parse(readFileSync('docs/openapi.json', 'utf8')),
  output: false,
  fileName: 'interface-types.ts',
  generateClient: false,
  generateUnionEnums: true,
  silent: true,
});
// Its own head switches the checks of other tools off.
const types = files[0]!.fileContent
  .replace(/^[\s\S]*?(?=\n(?:\/\*\*[\s\S]*?\*\/\n)?export )/, '')
  .replace(/\bany\b(?=[>;[)])/g, 'unknown');
const text = execFileSync(BIOME, ['format', `--stdin-file-path=${FILE}`], {
  input: `/** Made by scripts/portal-types.ts from docs/openapi.json. */\n${types}`,
  encoding: 'utf8',
});

if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) {
    console.error(`${FILE} is not what docs/openapi.json says; run: node scripts/portal-types.ts`);
    process.exit(1);
  }
} else {
  writeFileSync(FILE, text);
}
