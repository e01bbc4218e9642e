/**
 * Lists what is hard to read in docs, comments and texts for people: sentences of more than 25 words, and the words
 * that the list in CONTRIBUTING.md tells us not to write. Exits with 1 when there is any.
 *
 *   node scripts/check-english.ts [--most 40] [path prefix…]
 */
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseAst } from 'vite';

const MOST_WORDS = 25;
/** Words of the column "Not" that mean nothing else in this code. */
const AVOIDED = [
  /\b(takes?|taken|took) out\b/i,
  /\b(brings?|brought) out\b/i,
  /\b(gives?|gave|hands?|handed) out\b/i,
  /\bmakes? ready\b|\bmade ready\b/i,
  /\bmade up\b|\bmakes? up\b/i,
  /\bworks half of the time\b/i,
];

/** Japanese, and SQL. */
const NO_ENGLISH = /[\u3000-\u9fff]|\b(?:SET|FROM|VALUES)\b/;

interface Finding {
  place: string;
  words: number;
  text: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { most: { type: 'string', default: '40' } },
});
const files = globSync([
  'README.md',
  'CONTRIBUTING.md',
  'docs/**/*.md',
  'packages/*/README.md',
  'packages/*/src/**/*.{ts,tsx}',
])
  .filter((file) => !/\.test\.ts$|\.ja\.md$|docs[\\/]performance\.md$|CHANGELOG/.test(file))
  .filter((file) => positionals.length === 0 || positionals.some((prefix) => file.startsWith(prefix)))
  .sort();
const findings = files.flatMap((file) => [...paragraphsOf(file), ...stringsOf(file)].flatMap(findingsOf));
findings.sort((a, b) => b.words - a.words);
for (const { place, words, text } of findings.slice(0, Number(values.most))) {
  console.log(`${place} (${words > 0 ? `${words} words` : 'word'}) ${text}`);
}
console.log(`${findings.length} findings in ${files.length} files`);
process.exitCode = findings.length > 0 ? 1 : 0;

/** Running text of a file: paragraphs of a document, or blocks of comments. */
function paragraphsOf(file: string): Array<{ place: string; text: string }> {
  const lines = readFileSync(file, 'utf8').split('\n');
  const paragraphs: Array<{ place: string; text: string }> = [];
  let start = 0;
  let text: string[] = [];
  let isFenced = false;
  const flush = () => {
    if (text.length > 0) paragraphs.push({ place: `${file}:${start + 1}`, text: text.join(' ') });
    text = [];
  };
  const isDocument = file.endsWith('.md');
  for (const [i, line] of lines.entries()) {
    if (isDocument && line.startsWith('```')) isFenced = !isFenced;
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*?)(?:\*\/)?$/.exec(line)?.[1];
    const content = isDocument ? (isFenced || /^#*$/.test(line) ? '' : line) : (comment ?? '');
    // Drawings, tables, layouts and pictures are no sentences.
    const isText = !/^\s*$|[─▶│]|^\s{3,}|^\s*[|#<]|^!\[/.test(content);
    if (!isText || /^\s*(\* |- |@|\d+\. )/.test(content)) flush();
    if (!isText) continue;
    if (text.length === 0) start = i;
    text.push(content.trim());
    if (!isDocument && /\*\/\s*$/.test(line)) flush();
  }
  flush();
  return paragraphs;
}

/**
 * Texts in the code of the program: help, descriptions, errors, log lines. What a template inserts counts as a word.
 */
function stringsOf(file: string): Array<{ place: string; text: string }> {
  if (!/^packages[\\/](?!portal).*\.ts$/.test(file) || /[\\/]testing[\\/]/.test(file)) return [];
  const code = readFileSync(file, 'utf8');
  const strings: Array<{ place: string; text: string }> = [];
  // biome-ignore lint/suspicious/noExplicitAny: a syntax tree has nodes of many shapes
  const textOf = (node: any): string => {
    if (node.type === 'BinaryExpression') return textOf(node.left) + textOf(node.right);
    if (node.type === 'Literal') return String(node.value);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return node.type === 'TemplateLiteral' ? node.quasis.map((q: any) => q.value.cooked).join('X') : 'X';
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const node = value as any;
    const isText =
      node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
    if (isText || (node.type === 'BinaryExpression' && node.operator === '+')) {
      const place = `${file}:${code.slice(0, node.start).split('\n').length}`;
      for (const text of textOf(node).split('\n')) if (!NO_ENGLISH.test(text)) strings.push({ place, text });
      visit(node.expressions);
    } else Object.values(node).forEach(visit);
  };
  visit(parseAst(code, { lang: 'ts' }));
  return strings;
}

function findingsOf({ place, text }: { place: string; text: string }): Finding[] {
  const plain = text.replace(/`[^`]*`/g, 'code').replace(/\([^)]*\)/g, '');
  return plain.split(/(?<=[.!?:;])\s+/).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /[A-Za-z]/.test(word)).length;
    const isAvoided = AVOIDED.some((pattern) => pattern.test(sentence));
    if (words <= MOST_WORDS && !isAvoided) return [];
    return [{ place, words: words > MOST_WORDS ? words : 0, text: sentence }];
  });
}
