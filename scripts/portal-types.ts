/** Writes the types of answers that the portal uses from `docs/openapi.json`; with `--check` only compares. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApi } from 'swagger-typescript-api';

const FILE = 'packages/portal/src/core/interface-types.ts';
const BIOME = join(import.meta.dirname, '../node_modules/.bin/biome');

/** Schemas that the portal names; those that they refer to come with them. */
const USED = [
  'CityGmlFile',
  'CompositeTileset',
  'Dataset',
  'FeatureStatistics',
  'FileCounts',
  'FileList',
  'PackAccepted',
  'PackStatus',
  'QualityReport',
  'Changes',
  'Summary',
];

const spec = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const { files } = await generateApi({
  spec: { ...spec, paths: {}, components: { schemas: withReferences(USED) } },
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

/** The schemas of these names and all that they refer to, in the order of the document. */
function withReferences(names: readonly string[]): Record<string, unknown> {
  const kept = new Set(names);
  for (const name of kept) {
    for (const [, other] of JSON.stringify(spec.components.schemas[name]).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      kept.add(other!);
    }
  }
  return Object.fromEntries(Object.entries(spec.components.schemas).filter(([name]) => kept.has(name)));
}
