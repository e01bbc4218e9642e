/**
 * Lists what is hard to read in docs, comments and texts for people: sentences of more than 25 words, and the words that the list in
 * CONTRIBUTING.md tells us not to write. A hint for whoever edits a text, not a rule that fails a build.
 *
 *   node scripts/check-english.ts [--most 40] [path prefix…]
 */
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const MOST_WORDS = 25;
/** Words of the column "Not" that mean nothing else in this code. */
const AVOIDED = [
  /\b(takes?|taken|took) (in|out)\b/i,
  /\b(brings?|brought) out\b/i,
  /\b(gives?|gave|hands?|handed) out\b/i,
  /\bmakes? ready\b|\bmade ready\b/i,
  /\bmade up\b|\bmakes? up\b/i,
  /\bworks half of the time\b/i,
];

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
  'src/**/*.ts',
  'portal/src/**/*.{ts,tsx}',
])
  .filter((file) => !/\.test\.ts$|docs[\\/]performance\.md$|CHANGELOG/.test(file))
  .filter((file) => positionals.length === 0 || positionals.some((prefix) => file.startsWith(prefix)))
  .sort();
const findings = files.flatMap((file) => paragraphsOf(file).flatMap(findingsOf));
findings.sort((a, b) => b.words - a.words);
for (const { place, words, text } of findings.slice(0, Number(values.most))) {
  console.log(`${place} (${words > 0 ? `${words} words` : 'word'}) ${text}`);
}
console.log(`${findings.length} findings in ${files.length} files`);

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
    const content = isDocument ? (isFenced || /^[|#\s]*$|^\|/.test(line) ? '' : line) : (comment ?? '');
    if (/^\s*(\* |- |@|\d+\. )/.test(content) || content.trim() === '' || /[─▶│]|^\s{4,}/.test(content))
      flush();
    if (content.trim() === '' || /[─▶│]|^\s{4,}/.test(content)) continue;
    if (text.length === 0) start = i;
    text.push(content.trim());
    if (!isDocument && /\*\/\s*$/.test(line)) flush();
  }
  flush();
  return paragraphs;
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
