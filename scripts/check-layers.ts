/**
 * Checks that imports look down only, and that none run in a circle (docs/how-it-works/README.md, "Layers"): between
 * packages, between the layers of the server, between the folders of a layer, and between files. Packages import each
 * other by their entries alone. In programs and helpers of tests it looks for circles only. Prints every import that
 * breaks a rule and exits with 1.
 */
import { globSync } from 'node:fs';
import { type Import, importsOf, isForTests, packageIn, posix } from './imports.ts';

/** What each package may import besides itself. */
const PACKAGES: Record<string, readonly string[]> = {
  base: [],
  geo: ['base'],
  zip: ['base'],
  citygml: ['base', 'geo', 'zip'],
  tiles: ['base', 'geo', 'zip', 'citygml'],
  store: ['base', 'geo', 'zip'],
  inspect: ['base', 'geo', 'zip', 'citygml'],
  sample: ['base', 'geo', 'zip', 'tiles'],
  server: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'inspect', 'sample'],
  portal: ['base', 'geo', 'server'],
};

/**
 * Layers of the server, and what each may import besides itself: other layers and other packages; `base` stands for
 * both of that name.
 */
const LAYERS: Record<string, readonly string[]> = {
  base: [],
  catalogue: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store'],
  graphql: ['base', 'geo', 'citygml', 'store', 'catalogue'],
  features: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  pack: ['base', 'geo', 'zip', 'citygml', 'store', 'catalogue'],
  quality: ['store', 'inspect'],
  ingest: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'inspect', 'catalogue', 'quality'],
  convert: ['base', 'geo', 'zip', 'citygml', 'tiles', 'store', 'catalogue', 'features', 'ingest'],
  inspection: ['base', 'zip', 'citygml', 'store', 'inspect', 'quality', 'ingest', 'convert'],
  changes: ['base', 'geo', 'citygml', 'store', 'inspect', 'ingest', 'convert'],
  stac: ['base', 'geo', 'citygml', 'store', 'catalogue'],
  ogc: ['base', 'geo', 'citygml', 'store', 'catalogue', 'features', 'stac'],
  discovery: ['base', 'geo', 'citygml', 'store', 'catalogue', 'stac'],
  city: ['base', 'geo', 'citygml', 'store', 'catalogue'],
  mcp: ['base'],
  tables: ['base', 'zip', 'store', 'features', 'ingest'],
  pictures: ['base', 'tiles', 'store', 'ingest'],
  jobs: [
    'base',
    'tiles',
    'store',
    'pack',
    'ingest',
    'convert',
    'inspection',
    'changes',
    'tables',
    'pictures',
  ],
  service: [
    'base',
    'geo',
    'zip',
    'tiles',
    'store',
    'inspect',
    'catalogue',
    'features',
    'pack',
    'convert',
    'inspection',
    'changes',
    'jobs',
  ],
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
    'ogc',
    'stac',
    'discovery',
    'city',
    'pack',
    'convert',
    'inspect',
    'quality',
    'inspection',
    'changes',
    'jobs',
    'service',
  ],
  cli: [
    'tables',
    'pictures',
    'base',
    'geo',
    'zip',
    'citygml',
    'tiles',
    'store',
    'inspect',
    'sample',
    'catalogue',
    'pack',
    'ingest',
    'inspection',
    'jobs',
    'convert',
    'stac',
    'service',
    'http',
  ],
};

/**
 * The folders of a directory, the lowest first: a folder imports those before it. Files beside the folders may be used
 * by all of them, or use them; circles are refused either way.
 */
const FOLDERS: Record<string, readonly string[]> = {
  'packages/zip/src': ['tables', 'index', 'read', 'write'],
  'packages/citygml/src': ['names', 'xml', 'schema', 'geometry', 'index', 'scan', 'attributes', 'formats'],
  'packages/tiles/src': ['write', 'convert'],
  'packages/tiles/src/convert': ['account', 'heights', 'read', 'mesh', 'tiles3d', 'vector'],
  'packages/server/src/catalogue': ['names', 'specs', 'rows', 'purge', 'snapshot', 'resolve', 'search'],
  'packages/server/src/http': [
    'observe',
    'answers',
    'connections',
    'describe',
    'pages',
    'operations',
    'admin',
  ],
};

/** The only files of `store` that some layers may use: interfaces, and what is built on them alone. */
const STORE_INTERFACES = new Set([
  'object-store.ts',
  'catalogue-store.ts',
  'comparison-store.ts',
  'pack-store.ts',
  'job-store.ts',
  'job-messages.ts',
  'rows.ts',
  'archive-keys.ts',
  'archives.ts',
  'sweep.ts',
]);
const INTERFACES_ONLY = new Set([
  'catalogue',
  'features',
  'graphql',
  'pack',
  'ingest',
  'convert',
  'inspection',
  'changes',
  'stac',
  'ogc',
  'discovery',
  'city',
]);

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
/** File of `store` by the name that its entry exports. */
const storeFiles = new Map<string, string>();
for (const { path, names } of importsOf('packages/store/src/index.ts')) {
  for (const name of names) storeFiles.set(name, path!.replace('packages/store/src/', ''));
}

for (const file of globSync('packages/*/src/**/*.{ts,tsx}').map(posix)) {
  const [, name, , layer] = file.split('/') as [string, string, string, string];
  if (!(name in PACKAGES)) {
    wrong.push(`${file}: lies in no known package`);
    continue;
  }
  if (name === 'server' && file.split('/').length > 4 && !(layer in LAYERS)) {
    wrong.push(`${file}: lies in no known layer`);
    continue;
  }
  for (const found of importsOf(file)) {
    if (found.path === null) checkEntry(file, name, layer, found);
    else checkInside(file, name, layer, found.path);
  }
}
for (const file of globSync('{bench,scripts,test}/**/*.ts').map(posix)) {
  for (const { path } of importsOf(file)) if (path !== null) files.add(file, path);
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

/** What a file imports of another package of the project. */
function checkEntry(file: string, name: string, layer: string, { target, names }: Import): void {
  const whole = packageIn(target);
  if (whole !== 'citymodel-server' && !whole.startsWith('@citymodel/')) return;
  const other = whole === 'citymodel-server' ? 'server' : whole.slice('@citymodel/'.length);
  const entry = target.slice(whole.length + 1);
  if (other === name) wrong.push(`${file}: imports its own package as ${target}`);
  else if (!PACKAGES[name]!.includes(other)) wrong.push(`${file}: ${name} may not import ${other}`);
  if (entry === 'testing') {
    if (!isForTests(file)) wrong.push(`${file}: imports ${target}, which is for tests only`);
    return;
  }
  if (entry !== (other === 'server' ? 'shared' : ''))
    wrong.push(`${file}: ${target} is no entry of ${other}`);
  if (name !== 'server' || isForTests(file)) return;
  if (LAYERS[layer]?.concat('base').includes(other) === false) {
    wrong.push(`${file}: ${layer} may not import ${other}`);
  }
  if (other !== 'store' || !INTERFACES_ONLY.has(layer)) return;
  for (const word of names) {
    const source = storeFiles.get(word);
    if (source !== undefined && !STORE_INTERFACES.has(source))
      wrong.push(`${file}: ${layer} may import the interfaces of store only, not ${word} of ${source}`);
  }
}

/** What a file imports by its path. */
function checkInside(file: string, name: string, layer: string, path: string): void {
  if (!path.startsWith(`packages/${name}/`)) {
    wrong.push(`${file}: imports ${path}, which lies in another package; its entry has what others may use`);
    return;
  }
  files.add(file, path);
  if (isForTests(file) || name === 'portal') return;
  folders.add(unitOf(file), unitOf(path));
  if (path.includes('/testing/')) wrong.push(`${file}: imports ${path}, which is for tests only`);
  const other = path.split('/')[3]!;
  if (name === 'server' && layer !== 'shared.ts' && other !== layer && !LAYERS[layer]!.includes(other)) {
    wrong.push(`${file}: ${layer} may not import ${other} (${path})`);
  }
  for (const [directory, order] of Object.entries(FOLDERS)) {
    if (!file.startsWith(`${directory}/`) || !path.startsWith(`${directory}/`)) continue;
    const [from, to] = [file, path].map((one) =>
      order.indexOf(one.slice(directory.length + 1).split('/')[0]!),
    );
    if (from! >= 0 && from! < to!)
      wrong.push(`${file}: ${order[from!]} may not import ${order[to!]} (${path})`);
  }
}

/**
 * The deepest folder that has an order and holds the file, such as `packages/zip/src/read`; the file itself beside such
 * folders.
 */
function unitOf(path: string): string {
  const [directory] = Object.keys(FOLDERS)
    .filter((one) => path.startsWith(`${one}/`))
    .sort((a, b) => b.length - a.length);
  if (directory === undefined) return path;
  const [folder, ...rest] = path.slice(directory.length + 1).split('/');
  return rest.length > 0 ? `${directory}/${folder}` : path;
}
