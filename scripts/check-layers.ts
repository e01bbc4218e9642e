/**
 * Checks that imports look down only, and that none run in a circle (docs/how-it-works.md, "Layers"): between layers,
 * between the folders of a layer, and between files. In the portal, programs and helpers of tests it looks for circles
 * only. Prints every import that breaks a rule and exits with 1.
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
  inspect: ['base', 'geo', 'zip', 'citygml'],
  graphql: ['base', 'geo', 'store', 'catalogue'],
  features: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  pack: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  ingest: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue'],
  convert: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue', 'features', 'ingest', 'inspect'],
  mcp: ['base'],
  sample: ['base', 'geo', 'zip', 'citygml', 'tiles', 'catalogue', 'ingest', 'convert'],
  jobs: ['base', 'store', 'pack', 'ingest', 'convert'],
  service: ['base', 'geo', 'zip', 'catalogue', 'features', 'pack', 'inspect', 'convert', 'jobs', 'store'],
  http: [
    'base',
    'geo',
    'zip',
    'citygml',
    'tiles',
    'store',
    'catalogue',
    'features',
    'graphql',
    'mcp',
    'pack',
    'convert',
    'jobs',
    'service',
  ],
  cli: [
    'base',
    'geo',
    'zip',
    'citygml',
    'tiles',
    'store',
    'catalogue',
    'pack',
    'ingest',
    'inspect',
    'jobs',
    'convert',
    'sample',
    'service',
    'http',
  ],
};

/**
 * The folders of a layer, the lowest first: a folder imports those before it. Files beside the folders may be used by all
 * of them, or use them; circles are refused either way.
 */
const FOLDERS: Record<string, readonly string[]> = {
  zip: ['tables', 'index', 'read', 'write'],
  citygml: ['xml', 'schema', 'geometry', 'index', 'scan', 'attributes', 'formats'],
  catalogue: ['names', 'specs', 'rows', 'purge', 'snapshot', 'resolve', 'search'],
  convert: ['account', 'heights', 'read', 'texture', 'mesh', 'tree', 'tiles3d', 'vector', 'run'],
  http: ['observe', 'answers', 'connections', 'describe', 'pages', 'operations', 'admin'],
};

/** The only files of `store` that catalogue, pack and ingest may name: interfaces, and what is built on them alone. */
const STORE_INTERFACES = new Set([
  'object-store.ts',
  'catalogue-store.ts',
  'pack-store.ts',
  'job-store.ts',
  'job-messages.ts',
  'rows.ts',
  'archives.ts',
  'sweep.ts',
]);
const INTERFACES_ONLY = new Set(['catalogue', 'features', 'graphql', 'pack', 'ingest', 'convert']);

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g;

/** Who imports whom. */
class Graph {
  readonly #edges = new Map<string, Set<string>>();

  add(from: string, to: string): void {
    if (from === to) return;
    const edges = this.#edges.get(from) ?? new Set();
    this.#edges.set(from, edges.add(to));
  }

  /** Groups of nodes of which each reaches each other: strongly connected components (Tarjan, 1972) of two and more. */
  circles(): string[][] {
    const found: string[][] = [];
    const order = new Map<string, number>();
    const stack: string[] = [];
    const visit = (node: string): number => {
      order.set(node, order.size);
      let low = order.get(node)!;
      stack.push(node);
      for (const next of this.#edges.get(node) ?? []) {
        if (!order.has(next)) low = Math.min(low, visit(next));
        else if (stack.includes(next)) low = Math.min(low, order.get(next)!);
      }
      if (low === order.get(node)) {
        const members = stack.splice(stack.indexOf(node));
        if (members.length > 1) found.push(members);
      }
      return low;
    };
    for (const node of this.#edges.keys()) if (!order.has(node)) visit(node);
    return found;
  }
}

const wrong: string[] = [];
/** Imports of types count too: they decide what can be read on its own. */
const files = new Graph();
const folders = new Graph();

for (const file of globSync('src/**/*.ts')) {
  const [, layer] = file.split(/[\\/]/);
  if (layer === undefined || !(layer in MAY_IMPORT)) {
    wrong.push(`${file}: lies in no known layer`);
    continue;
  }
  const isTest = /\.test\.ts$|[\\/]testing[\\/]/.test(file);
  for (const [target, path] of importsOf(file)) {
    const parts = path.split(/[\\/]/);
    if (parts[0] !== 'src') {
      wrong.push(`${file}: imports ${target}, which lies outside src/`);
      continue;
    }
    files.add(file, path);
    if (isTest) continue;
    const other = parts[1]!;
    folders.add(unitOf(file), unitOf(path));
    if (parts.includes('testing')) wrong.push(`${file}: imports ${target}, which is for tests only`);
    if (other === layer) {
      const order = FOLDERS[layer] ?? [];
      const [from, to] = [file, path].map((each) => order.indexOf(each.split(/[\\/]/)[2]!));
      if (from! >= 0 && from! < to!) {
        wrong.push(`${file}: ${order[from!]} may not import ${order[to!]} (${target})`);
      }
    } else if (!MAY_IMPORT[layer]!.includes(other)) {
      wrong.push(`${file}: ${layer} may not import ${other} (${target})`);
    } else if (
      other === 'store' &&
      INTERFACES_ONLY.has(layer) &&
      !STORE_INTERFACES.has(parts.slice(2).join('/'))
    ) {
      wrong.push(`${file}: ${layer} may import the interfaces of store only, not ${target}`);
    }
  }
}
for (const file of globSync('{portal/src,bench,scripts,test}/**/*.{ts,tsx}')) {
  for (const [, path] of importsOf(file)) files.add(file, path);
}
const circles = [...files.circles(), ...folders.circles()].map((members) => members.sort().join(' '));
for (const circle of new Set(circles)) {
  wrong.push(`imports run in a circle: ${circle}`);
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log('imports look down only, none in a circle');

/** The imports of a file by path: as they are written, and from the root of the project. */
function importsOf(file: string): Array<[target: string, path: string]> {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3]!)
    .filter((target) => target.startsWith('.'))
    .map((target) => [target, normalize(join(dirname(file), target))]);
}

/** The folder of a file two levels deep, such as `src/zip/read`; a file beside such folders stands for itself. */
function unitOf(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.length > 3 ? parts.slice(0, 3).join('/') : path;
}
