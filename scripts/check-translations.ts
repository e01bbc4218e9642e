/**
 * Holds each Japanese document (`NAME.ja.md`) to the English one beside it: headings, commands and code, tables with
 * the code in their first cells, words of code, links and pictures. Holds Japanese texts, those of programs too, to the
 * words of CONTRIBUTING.md. Prints what differs and exits with 1.
 *
 *     node scripts/check-translations.ts
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { compareTexts } from '../packages/base/src/texts.ts';

const FENCE = /^ *```[^\n]*\n[\s\S]*?^ *```$/gm;

/** What has to be equal in both languages, by what it is called. */
const PARTS: Record<string, (text: string) => string[]> = {
  'levels of headings': (text) => all(withoutFences(text), /^(#+) /gm),
  'blocks of code': (text) =>
    all(text, /^ *```[^\n]*\n([\s\S]*?)^ *```$/gm).map((block) => block.replace(/ +/g, ' ')),
  'rows of tables': (text) =>
    all(withoutFences(text), /^\|([^|\n]*)\|/gm).map((cell) => all(cell, /(`[^`]*`)/g).join()),
  // A word of code may go on in the next line.
  'words of code': (text) =>
    distinct(all(withoutFences(text).replace(/([^\n])\n *(?=[^ \n])/g, '$1 '), /`([^`\n]+)`/g)),
  // A heading of the page itself has another name in each language.
  links: (text) =>
    distinct(
      all(withoutFences(text), /\]\(([^)\s]+)\)/g).map((link) => inEnglish(link).replace(/^#.*/, '#')),
    ),
  pictures: (text) => all(text, /(?:src|srcset)="([^"]+)"/g),
};

const wrong: string[] = [];
const translations = globSync(['*.ja.md', 'docs/**/*.ja.md']).sort(compareTexts);
for (const file of translations) {
  const original = inEnglish(file);
  if (!existsSync(original)) {
    wrong.push(`${file} has no ${original} beside it`);
    continue;
  }
  const [japanese, english] = [file, original].map((name) => bodyOf(readFileSync(name, 'utf8')));
  for (const [name, partsOf] of Object.entries(PARTS)) {
    const [own, others] = [partsOf(japanese!), partsOf(english!)];
    const at = Array.from({ length: Math.max(own.length, others.length) }).findIndex(
      (_, i) => own[i] !== others[i],
    );
    if (at === -1) continue;
    wrong.push(
      `${file}: ${name} differ from ${original} at ${at + 1}: ${own[at] ?? '–'} / ${others[at] ?? '–'}`,
    );
  }
}
const avoided = wordsAvoided(readFileSync('CONTRIBUTING.md', 'utf8'));
for (const file of [...translations, ...globSync('packages/*/src/**/*.{ts,tsx}').sort(compareTexts)]) {
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const [number, line] of lines.entries()) {
    const word = avoided.exec(line)?.[0];
    if (word !== undefined) wrong.push(`${file}:${number + 1}: the list in CONTRIBUTING.md avoids ${word}`);
  }
}
for (const line of wrong) console.log(line);
console.log(`${wrong.length} differences in ${translations.length} documents`);
process.exitCode = wrong.length > 0 || translations.length === 0 ? 1 : 0;

/** Without the line that leads to the other language, and what only one language has: which documents are translated. */
function bodyOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\[(?:English|日本語)\]\(/.test(line) && !line.startsWith('日本語の文書は'))
    .join('\n');
}

function withoutFences(text: string): string {
  return text.replace(FENCE, '');
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, part]) => part!.trim());
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].sort(compareTexts);
}

function inEnglish(path: string): string {
  return path.replace(/\.ja\.md/, '.md');
}

/** The last column of the table of Japanese words. A word that goes on with ー is another one. */
function wordsAvoided(contributing: string): RegExp {
  const table = contributing.slice(contributing.indexOf('### Japanese'));
  const words = all(table, /^\|[^|\n]*\|[^|\n]*\|([^|\n]*)\|/gm)
    .slice(2)
    .flatMap((cell) => cell.split('、'));
  return new RegExp(`(?:${words.join('|')})(?!ー)`);
}
