/** Writes `docs/openapi.json` from the operations and schemas; with `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../packages/server/src/http/describe/openapi.ts';
import { OPERATIONS } from '../packages/server/src/http/operations/index.ts';

const FILE = 'docs/openapi.json';
const text = `${JSON.stringify(buildOpenApi(OPERATIONS, { publicUrl: 'https://citymodel.example.jp' }), null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) {
    console.error(`${FILE} is not what the operations say; run: node scripts/openapi.ts`);
    process.exit(1);
  }
} else {
  writeFileSync(FILE, text);
}
