/**
 * Makes the tables of facts that the check of schemas reads, from a directory of XSDs: `node
 * scripts/make-schema-facts.ts DIR`. DIR has `ogc/` (laid out as schemas.opengis.net and citygml4j have it) and a
 * directory `iur-VERSION` for each version of i-UR.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SchemaCompiler } from './schema-facts/compiler.ts';
import { readSchema } from './schema-facts/read-schema.ts';

/** Tables by the file that they are written to, with the directories that each is made of. */
const TABLES: Record<string, readonly string[]> = {
  'citygml-2.json': ['ogc/citygml/2.0', 'ogc/gml/3.1/**', 'ogc/xal/2.0', 'ogc/xlink', 'ogc/xml', 'iur-3.*'],
  'citygml-3.json': [
    'ogc/citygml/3.0',
    'ogc/gml/3.2',
    'ogc/iso/**',
    'ogc/xal/3.0',
    'ogc/xlink',
    'ogc/xml',
    'iur-4.*',
  ],
};
const TARGET = resolve(import.meta.dirname, '../packages/inspect/src/schema/generated');

const directory = process.argv[2];
if (directory === undefined) {
  console.error('usage: node scripts/make-schema-facts.ts DIR');
  process.exit(1);
}
for (const [name, patterns] of Object.entries(TABLES)) {
  const files = new Set(
    patterns.flatMap((pattern) => globSync(`${pattern}/*.xsd`, { cwd: directory })).sort(),
  );
  const compiler = new SchemaCompiler();
  for (const file of files) compiler.add(readSchema(readFileSync(join(directory, file), 'utf8')));
  const facts = compiler.compile();
  const lines = Object.entries(facts).map(([key, value]) => {
    const rows = Array.isArray(value)
      ? `[\n${value.map((row) => JSON.stringify(row)).join(',\n')}\n]`
      : `{\n${Object.entries(value)
          .map(([of, row]) => `${JSON.stringify(of)}:${JSON.stringify(row)}`)
          .join(',\n')}\n}`;
    return `${JSON.stringify(key)}:${rows}`;
  });
  writeFileSync(join(TARGET, name), `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${name}: ${files.size} schemas, ${facts.types.length} types`);
}
