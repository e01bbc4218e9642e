/**
 * Checks that every regular expression of the program and the portal needs time in proportion to its text at most. Prints each
 * one that does not, with a text that shows it, and exits with 1.
 *
 *     node scripts/check-patterns.ts [files…]
 */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Pattern {
  source: string;
  flags: string;
  /** `file:line` of each use. */
  places: string[];
}

interface Finding {
  pattern: Pattern;
  /** `2nd degree polynomial`, `exponential` and so on. */
  what: string;
  /** A text that takes long, as an expression of JavaScript. */
  example: string;
}

/** The checker takes about 0.3 s for a pattern: these many at a time. */
const THREADS = 2;
/** Milliseconds for one way of checking one pattern. */
const TIMEOUT = 20_000;

if (isMainThread) {
  const files = process.argv.slice(2);
  const patterns = await findPatterns(
    files.length > 0
      ? files
      : globSync(['src/**/*.ts', 'portal/src/**/*.{ts,tsx}']).filter(
          (file) => !/\.test\.|\/testing\//.test(file),
        ),
  );
  const shares = Array.from({ length: THREADS }, (_, n) => patterns.filter((_, i) => i % THREADS === n));
  const findings = (await Promise.all(shares.map(checkInThread))).flat();
  for (const { pattern, what, example } of findings) {
    console.log(
      `${pattern.places.join(', ')}\n  /${pattern.source}/${pattern.flags} is ${what}; try ${example}`,
    );
  }
  console.log(`${patterns.length} regular expressions, ${findings.length} that may be slow`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} else {
  parentPort!.postMessage(checkAll(workerData as Pattern[]));
}

/** Every literal, and every `new RegExp` of a text; patterns put together at run time are not seen. */
async function findPatterns(files: readonly string[]): Promise<Pattern[]> {
  const { parseAst } = await import('vite');
  const patterns = new Map<string, Pattern>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (Array.isArray(value)) {
        value.forEach(visit);
        return;
      }
      const node = value as Record<string, unknown> & { start: number };
      const found = literalOf(node);
      if (found !== null) {
        const key = `/${found.source}/${found.flags}`;
        const place = `${file}:${text.slice(0, node.start).split('\n').length}`;
        const known = patterns.get(key);
        if (known === undefined) patterns.set(key, { ...found, places: [place] });
        else known.places.push(place);
      }
      for (const [key, child] of Object.entries(node)) if (key !== 'regex') visit(child);
    };
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  }
  return [...patterns.values()];
}

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree has nodes of many shapes
function literalOf(node: any): { source: string; flags: string } | null {
  if (node.type === 'Literal' && node.regex) return { source: node.regex.pattern, flags: node.regex.flags };
  if (node.type !== 'NewExpression' || node.callee?.name !== 'RegExp') return null;
  const [source, flags] = node.arguments;
  if (typeof source?.value !== 'string') return null;
  return { source: source.value, flags: typeof flags?.value === 'string' ? flags.value : '' };
}

function checkInThread(patterns: Pattern[]): Promise<Finding[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: patterns });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function checkAll(patterns: readonly Pattern[]): Finding[] {
  // The checker's other backends are programs of their own; this one is JavaScript.
  process.env.RECHECK_BACKEND = 'pure';
  const { checkSync } = createRequire(import.meta.url)('recheck') as typeof import('recheck');
  const findings: Finding[] = [];
  for (const pattern of patterns) {
    let result = checkSync(pattern.source, pattern.flags, { timeout: TIMEOUT });
    // What takes too long to prove is tried out.
    if (result.status === 'unknown') {
      result = checkSync(pattern.source, pattern.flags, { timeout: TIMEOUT, checker: 'fuzz' });
    }
    if (result.status !== 'vulnerable') continue;
    findings.push({ pattern, what: result.complexity.summary, example: result.attack.pattern });
  }
  return findings;
}
