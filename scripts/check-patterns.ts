/**
 * Checks that every regular expression of the program and the portal needs time in proportion to its text at most.
 * Prints each one that does not, with a text that shows it, and each that cannot be decided; then exits with 1. What
 * the checker has once found safe is kept in `patterns-safe.txt` with the checker's version, and not asked again.
 *
 *     node scripts/check-patterns.ts [--record | --again] [files…]
 *
 * `--record` writes that list, `--again` asks about all that is in it.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isPlainlyLinear } from './linear-patterns.ts';

interface Pattern {
  source: string;
  flags: string;
}

/** Milliseconds for one pattern: so many that steps decide, also on a machine that does much else. */
const TIMEOUT = 300_000;

/**
 * Patterns that the checker cannot decide or takes for slow by chance, and why each is linear. One that is in no file
 * is an error.
 */
const UNDECIDED: Readonly<Record<string, string>> = {
  '/CC[\\s-]*BY|クリエイティブ・?コモンズ|Creative\\s*Commons|ODbL|ODC|政府標準利用規約|公共データ利用規約|パブリック・?ドメイン|CC0|MIT License|Apache/iu':
    'No run of blanks or dashes holds the letters that begin an alternative, so each run is read once.',
  '/<(?:[\\w.-]+:)?(?:import|include|redefine|override)\\b[^<>]*>/g':
    'Each repetition stops at "<", where the next attempt begins; the first one ends at the first colon.',
  '/^:description\\s+codeSpace\\s*=\\s*(?:"([^"<]+)"|\'([^\'<]+)\')\\s*>([^<]+)<\\//':
    'It matches at the start only, and no repetition holds the sign that comes behind it.',
  '/\\d{1,9}(?!\\d|丁目|条|線|番町|町|区).*/s':
    'From each place it looks at nine digits and a word, and where it matches the rest is read once.',
};

/** Patterns that are built when they are used, and where else what they are built from is checked. */
const BUILT_LATER: Readonly<Record<string, string>> = {
  'packages/server/src/base/settings/kinds.ts':
    'the patterns of SETTINGS, which are checked with the constants',
  'packages/inspect/src/schema/schema-pattern.ts':
    'the patterns of the tables of schemas, which are checked with them',
};

const SAFE_FILE = 'scripts/patterns-safe.txt';
const { version } = JSON.parse(readFileSync('node_modules/recheck/package.json', 'utf8')) as {
  version: string;
};
/** First line of the list: another checker may decide otherwise. */
const HEAD = `recheck ${version}`;

/** `file:line` of each use, by pattern as a literal. */
const places = new Map<string, { pattern: Pattern; places: string[] }>();
const mistakes: string[] = [];
const args = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isRecording = process.argv.includes('--record');
const safe = process.argv.includes('--again') ? new Set<string>() : readSafe();
const files =
  args.length > 0
    ? args
    : globSync('packages/*/src/**/*.{ts,tsx}').filter((file) => !/\.test\.|\/testing\//.test(file));
const built = await findLiterals(files);
if (built.length > 0) await findBuilt(built);
if (args.length === 0) {
  await findDeclared();
  await findInSchemas();
}
checkAll();
for (const mistake of mistakes) console.log(mistake);
console.log(`${places.size} regular expressions, ${mistakes.length} mistakes`);
process.exitCode = mistakes.length > 0 ? 1 : 0;

function add(pattern: Pattern, place: string): void {
  const key = `/${pattern.source}/${pattern.flags}`;
  const known = places.get(key);
  if (known === undefined) places.set(key, { pattern, places: [place] });
  else known.places.push(place);
}

/** Adds every literal. Returns the places where a program builds a pattern, as `file:line`. */
async function findLiterals(files: readonly string[]): Promise<string[]> {
  const { parseAst } = await import('vite');
  const built: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (Array.isArray(value)) {
        value.forEach(visit);
        return;
      }
      // biome-ignore lint/suspicious/noExplicitAny: a syntax tree has nodes of many shapes
      const node = value as any;
      const place = () => `${file}:${text.slice(0, node.start).split('\n').length}`;
      if (node.type === 'Literal' && node.regex) {
        add({ source: node.regex.pattern, flags: node.regex.flags }, place());
      }
      const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (isCall && node.callee?.name === 'RegExp') built.push(place());
      for (const [key, child] of Object.entries(node)) if (key !== 'regex') visit(child);
    };
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  }
  return built;
}

/** Adds the patterns that modules build when they are loaded. */
async function findBuilt(expected: readonly string[]): Promise<void> {
  const seen = new Set<string>();
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, [source, flags]) {
      const pattern = new target(source, flags);
      const line = /\((?:file:\/\/)?([^()]*?):(\d+):\d+\)$|at (?:file:\/\/)?(\S+):(\d+):\d+$/;
      const match = line.exec(new Error().stack?.split('\n')[2] ?? '');
      const file = (match?.[1] ?? match?.[3] ?? '').replace(`${process.cwd()}/`, '');
      const place = `${file}:${match?.[2] ?? match?.[4]}`;
      if (expected.includes(place)) {
        seen.add(place);
        add({ source: pattern.source, flags: pattern.flags }, place);
      }
      return pattern;
    },
  });
  try {
    for (const file of new Set(expected.map((place) => place.replace(/:\d+$/, '')))) {
      if (!(file in BUILT_LATER)) await import(pathToFileURL(file).href);
    }
  } finally {
    globalThis.RegExp = original;
  }
  for (const place of expected) {
    if (seen.has(place) || place.replace(/:\d+$/, '') in BUILT_LATER) continue;
    mistakes.push(`${place}: build the pattern when the module is loaded, so that it can be checked`);
  }
}

/** Adds the patterns of settings and of the interface's description, which libraries and the settings parser build. */
async function findDeclared(): Promise<void> {
  const { SETTINGS } = await import('../packages/server/src/base/settings.ts');
  const openapi: unknown = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  for (const [place, declared] of Object.entries({ SETTINGS, 'docs/openapi.json': openapi })) {
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { pattern } = value as { pattern?: unknown };
      if (typeof pattern === 'string') add({ source: pattern, flags: 'u' }, place);
      Object.values(value).forEach(visit);
    };
    visit(declared);
  }
}

/** Adds the patterns of the tables of schemas, as they are built from them. */
async function findInSchemas(): Promise<void> {
  const { schemaPattern } = await import('../packages/inspect/src/schema/schema-pattern.ts');
  for (const file of globSync('packages/inspect/src/schema/generated/*.json')) {
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { kind, values } = value as { kind?: unknown; values?: unknown };
      if (kind === 'pattern' && Array.isArray(values)) {
        for (const written of values) {
          const { source, flags } = schemaPattern(String(written));
          add({ source, flags }, file);
        }
      }
      Object.values(value).forEach(visit);
    };
    visit(JSON.parse(readFileSync(file, 'utf8')));
  }
}

function checkAll(): void {
  // The checker as a program needs a fifth of the time of that in JavaScript; npm has it for some systems.
  process.env.RECHECK_BACKEND = globSync('node_modules/recheck-*-*64').length > 0 ? 'native' : 'pure';
  const { checkSync } = createRequire(import.meta.url)('recheck') as typeof import('recheck');
  const needless = new Set(args.length === 0 ? [...Object.keys(UNDECIDED), ...safe] : []);
  const found: string[] = [];
  for (const [key, { pattern, places: where }] of places) {
    needless.delete(key);
    if (key in UNDECIDED || isPlainlyLinear(pattern)) continue;
    if (safe.has(key)) {
      found.push(key);
      continue;
    }
    const result = checkSync(pattern.source, pattern.flags, {
      timeout: TIMEOUT,
      // Steps decide: on a busy machine a pattern took too long whose steps are few.
      incubationTimeout: null,
      attackTimeout: null,
    });
    if (result.status === 'safe') {
      found.push(key);
      continue;
    }
    const what =
      result.status === 'vulnerable'
        ? `is ${result.complexity.summary}; try ${result.attack.pattern}`
        : 'cannot be decided: write it in another way, or list it in this script with a reason';
    mistakes.push(`${where.join(', ')}\n  ${key} ${what}`);
  }
  if (isRecording && args.length === 0) {
    writeFileSync(SAFE_FILE, `${[HEAD, ...found.sort()].join('\n')}\n`);
    for (const key of safe) needless.delete(key);
  }
  for (const key of needless) {
    const list = key in UNDECIDED ? 'the list of this script' : `${SAFE_FILE} by --record`;
    mistakes.push(`${key} is in no file, take it from ${list}`);
  }
}

/** Patterns, as literals, that this version of the checker has found safe. */
function readSafe(): Set<string> {
  const [head, ...patterns] = readFileSync(SAFE_FILE, 'utf8').trimEnd().split('\n');
  return new Set(head === HEAD ? patterns : []);
}
