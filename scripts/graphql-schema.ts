/** Writes `docs/schema.graphql` from the schema; with `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildGraphSchema } from '../packages/server/src/graphql/schema.ts';

const FILE = 'docs/schema.graphql';
const HEADER = '# The catalogue in GraphQL. Written by scripts/graphql-schema.ts, not by hand.\n\n';
const text = `${HEADER}${printSchema(lexicographicSortSchema(buildGraphSchema()))}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) {
    console.error(`${FILE} is not what the schema says; run: node scripts/graphql-schema.ts`);
    process.exit(1);
  }
} else {
  writeFileSync(FILE, text);
}
