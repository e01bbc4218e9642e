/**
 * Checks that imports look down only (docs/how-it-works.md, "Layers"). Prints every import that does not and exits
 * with 1.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What each layer may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  geo: ['base'],
  zip: ['base'],
  citygml: ['base', 'geo', 'zip'],
  tiles: ['base', 'geo', 'zip'],
  store: ['base', 'geo', 'zip'],
  catalogue: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store'],
  graphql: ['base', 'geo', 'store', 'catalogue'],
  features: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  pack: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  ingest: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue'],
  sample: ['base', 'geo', 'zip', 'citygml', 'tiles'],
  http: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue', 'features', 'graphql', 'pack'],
  cli: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue', 'pack', 'ingest', 'sample', 'http'],
};

/** The only files of `store` that catalogue, pack and ingest may name: interfaces, and what is built on them alone. */
const STORE_INTERFACES = new Set([
  'object-store.ts',
  'catalogue-store.ts',
  'pack-store.ts',
  'rows.ts',
  'archives.ts',
  'sweep.ts',
]);
const INTERFACES_ONLY = new Set(['catalogue', 'features', 'graphql', 'pack', 'ingest']);

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g;

const wrong: string[] = [];
for (const file of globSync('src/**/*.ts')) {
  const [, layer] = file.split(/[\\/]/);
  if (layer === undefined || !(layer in MAY_IMPORT)) {
    wrong.push(`${file}: lies in no known layer`);
    continue;
  }
  const isTest = /\.test\.ts$|[\\/]testing[\\/]/.test(file);
  for (const match of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3]!;
    if (!target.startsWith('.')) continue;
    const parts = normalize(join(dirname(file), target)).split(/[\\/]/);
    if (parts[0] !== 'src') {
      wrong.push(`${file}: imports ${target}, which lies outside src/`);
      continue;
    }
    const other = parts[1]!;
    if (other === layer || isTest) continue;
    if (parts.includes('testing')) wrong.push(`${file}: imports ${target}, which is for tests only`);
    if (!MAY_IMPORT[layer]!.includes(other))
      wrong.push(`${file}: ${layer} may not import ${other} (${target})`);
    else if (
      other === 'store' &&
      INTERFACES_ONLY.has(layer) &&
      !STORE_INTERFACES.has(parts.slice(2).join('/'))
    ) {
      wrong.push(`${file}: ${layer} may import the interfaces of store only, not ${target}`);
    }
  }
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log('imports look down only');
