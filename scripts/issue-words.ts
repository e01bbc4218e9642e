/**
 * Writes what issues and refusals mean in Japanese out of the tables of `docs/issues.ja.md` and
 * `docs/converting.ja.md`, for the command line and the operator's page; with `--check` only compares.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'packages/base/src/issues-in-japanese.ts';
/** Characters of a literal that fits into a line. */
const MOST_OF_PIECE = 100;

/** Tables by what their codes belong to: the document, and its headings. */
const TABLES = {
  ingest: ['docs/issues.ja.md', ['入れ物', 'CityGML', '3D Tiles', 'ベクトルタイル']],
  refused: ['docs/issues.ja.md', ['拒否', '失敗', 'ジョブ']],
  convert: ['docs/converting.ja.md', ['指摘']],
} as const;

const lines = Object.entries(TABLES).flatMap(([name, [document, headings]]) => [
  `  ${name}: {`,
  ...headings
    .flatMap((heading) => rowsBelow(readFileSync(document, 'utf8'), heading))
    .map(([code, ...words]) => `    ${code}: [${words.map(literal).join(', ')}],`),
  '  },',
]);
const text = formatted(`/**
 * What issues and refusals mean, and what to do, in Japanese. Made by \`scripts/issue-words.ts\` of the documents in
 * Japanese; do not edit.
 */
export const ISSUES_IN_JAPANESE: Readonly<
  Record<'ingest' | 'refused' | 'convert', Readonly<Record<string, readonly [meaning: string, remedy: string]>>>
> = {
${lines.join('\n')}
};
`);

if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is not what the documents say; run: node scripts/issue-words.ts`);
  process.exitCode = 1;
}

/** A literal of a text, in pieces that end with a sentence or a part of one. */
function literal(text: string): string {
  const pieces: string[] = [];
  for (const part of text.match(/[^。、]*[。、]?/g) ?? []) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + part.length <= MOST_OF_PIECE)
      pieces[pieces.length - 1] = last + part;
    else pieces.push(part);
  }
  return pieces
    .filter((piece) => piece !== '')
    .map((piece) => `'${piece}'`)
    .join(' + ');
}

/** Code, meaning and remedy of the rows below a heading, without the marks of Markdown. */
function rowsBelow(document: string, heading: string): Array<[string, string, string]> {
  const section = document.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`There is no heading ${heading}.`);
  const rows = [...section.matchAll(/^\| `([A-Z_0-9]+)` \|(.*)\|$/gm)].map(([, code, rest]) => {
    const cells = rest!.split('|').map((cell) => cell.trim().replace(/`|\[|\]\([^)]*\)/g, ''));
    return [code!, cells.at(-2)!, cells.at(-1)!] as [string, string, string];
  });
  if (rows.length === 0) throw new Error(`There is no table below ${heading}.`);
  return rows;
}

function formatted(source: string): string {
  const biome = join(import.meta.dirname, '../node_modules/.bin/biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${FILE}`], { input: source, encoding: 'utf8' });
}
