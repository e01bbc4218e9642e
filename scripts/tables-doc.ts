/**
 * Renews the lists of places in docs/how-it-works/tables.md: what the compiler names when a table of the project gets
 * one more row. It adds an invented row to each of the tables in a copy of the sources, and runs `tsc` on it. With
 * `--check` it only looks whether the compiler still names every place of the lists.
 *
 *     node scripts/tables-doc.ts [--check]
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const DOC = 'docs/how-it-works/tables.md';

interface Table {
  /** Heading of its list in the document. */
  heading: string;
  file: string;
  /** What stands behind the last row. */
  end: string;
  /** Key of the invented row. */
  key: string;
  row: string;
}

const TABLES: readonly Table[] = [
  {
    heading: 'Kinds of output',
    file: 'packages/base/src/output-kinds.ts',
    end: '} as const satisfies Record<string, OutputKindFacts>;',
    key: 'terrain',
    row: `{ format: 'Terrain', graphql: 'TERRAIN', label: { ja: '', en: '' }, document: 'layer.json', sign: '',
      files: {}, idSuffix: '', isTextured: false, hasVersion: false, hasLayers: false, isComposed: false,
      showsLod: false, view: '3d' }`,
  },
  {
    heading: 'Feature types',
    file: 'packages/base/src/feature-types.ts',
    end: '} as const satisfies Record<string, FeatureTypeFacts>;',
    key: 'cave',
    row: `{ name: '', label: { ja: '', en: '' }, nature: 'object' }`,
  },
  {
    heading: 'Formats of features',
    file: 'packages/server/src/features/formats/format-facts.ts',
    end: '} as const satisfies Record<string, FormatFacts>;',
    key: 'parquet',
    row: `{ name: 'parquet', contentType: '', summary: '', needsGeometry: true, listsIds: false, flatten: 'always',
      waits: true, download: { label: '', ending: 'parquet' } }`,
  },
  {
    heading: 'Pages of the portal',
    file: 'packages/portal/src/core/state.ts',
    end: '} as const satisfies Record<string, PageFacts>;',
    key: 'about',
    row: `{ path: '/about', isTab: false, title: 'status', layout: '', onMap: false }`,
  },
];

/** Files that the compiler names for each invented row. */
function namedPlaces(): Map<string, Set<string>> {
  const copy = mkdtempSync(join(tmpdir(), 'citymodel-tables-'));
  try {
    copySources(copy);
    for (const { file, end, key, row } of TABLES) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (!text.includes(end)) throw new Error(`${file} has no line ${end}`);
      writeFileSync(path, text.replace(end, `${key}: ${row},\n${end}`));
    }
    const places = new Map(TABLES.map(({ key }) => [key, new Set<string>()]));
    for (const project of ['.', 'packages/portal']) {
      const tsc = resolve('node_modules/.bin/tsc');
      const { stdout } = spawnSync(
        tsc,
        ['--noEmit', '--singleThreaded', '--pretty', 'false', '-p', project],
        {
          cwd: copy,
          encoding: 'utf8',
        },
      );
      // An error, and the lines below it that say why.
      for (const message of stdout.split(/\n(?=\S)/)) {
        const path = /^(\S+)\(\d+,\d+\): error/.exec(message)?.[1];
        if (path === undefined || path.includes('/testing/')) continue;
        for (const [key, files] of places) {
          if (new RegExp(`['"]${key}['"]`, 'i').test(message)) files.add(fromRoot(path, project));
        }
      }
    }
    return places;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function fromRoot(path: string, project: string): string {
  if (project === '.' || path.startsWith('packages/')) return path;
  return path.startsWith('../') ? `packages/${path.slice(3)}` : `${project}/${path}`;
}

/** The sources alone, with links to the libraries and to each other. */
function copySources(copy: string): void {
  cpSync('tsconfig.json', join(copy, 'tsconfig.json'));
  for (const name of readdirSync('packages')) {
    mkdirSync(join(copy, 'packages', name), { recursive: true });
    for (const entry of readdirSync(join('packages', name))) {
      if (!/^src$|\.json$|\.ts$/.test(entry)) continue;
      cpSync(join('packages', name, entry), join(copy, 'packages', name, entry), {
        recursive: true,
        // The lists name no tests, which are half of what the compiler would read.
        filter: (path) => !path.endsWith('.test.ts'),
      });
    }
  }
  const libraries = join(copy, 'node_modules');
  mkdirSync(join(libraries, '@citymodel'), { recursive: true });
  for (const entry of readdirSync('node_modules')) {
    if (entry === '@citymodel' || entry === 'citymodel-server') continue;
    symlinkSync(resolve('node_modules', entry), join(libraries, entry));
  }
  for (const name of readdirSync('packages')) {
    const link = name === 'server' ? 'citymodel-server' : join('@citymodel', name);
    symlinkSync(join(copy, 'packages', name), join(libraries, link));
  }
}

const isCheck = process.argv.includes('--check');
const places = namedPlaces();
let document = readFileSync(DOC, 'utf8');
for (const { heading, key } of TABLES) {
  const list = new RegExp(`(## ${heading}\n[^]*?<!-- places -->\n)([^]*?)(<!-- end -->)`);
  const written = list.exec(document)?.[2];
  if (written === undefined) throw new Error(`${DOC} has no list of places under ${heading}`);
  const found = places.get(key)!;
  for (const [, file] of written.matchAll(/`([^`]+)`/g)) {
    if (found.has(file!) || !isCheck) continue;
    console.error(`${file}: the compiler names it no more when a row is added to ${heading.toLowerCase()}`);
    process.exitCode = 1;
  }
  const lines = [...found].sort().map((file) => `- \`${file}\`\n`);
  document = document.replace(list, (_, head, _old, end) => `${head}\n${lines.join('')}\n${end}`);
}
if (!isCheck) writeFileSync(DOC, document);
