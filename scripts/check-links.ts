/**
 * Checks that what the documents and comments refer to exists: relative links and their anchors, paths of this
 * repository, and the sections of `docs/interface`. Prints every reference that leads nowhere and exits with 1.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const DOCUMENTS = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md']);
const SOURCES = globSync([
  'packages/*/src/**/*.{ts,tsx,js,html}',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/*.ts',
]);

const LINK = /\[[^\]\n]*\]\(([^)\s]+)\)/g;
/** A path of this repository: files that are made by a build or stand beside the checkout are none. */
const PACKAGES = globSync('*', { cwd: 'packages' }).join('|');
const PATH = new RegExp(
  `(?<![\\w./-])(?:docs|src|packages/(?:${PACKAGES})(?!/dist)|portal|scripts|bench|test)/[\\w./-]*\\w\\.` +
    '(?:ts|tsx|js|md|json|sql|tsv|graphql|html)\\b',
  'g',
);
const SECTION = /interface decisions, section (\d+)(?:, "([^"]+)")?/g;
const HEADING = /interface specification, "([^"]+)"/g;
const ENDPOINT = /interface specification, endpoint (\d+)/g;

const headings = new Map<string, string[]>();
const wrong: string[] = [];

for (const file of DOCUMENTS) {
  const text = withoutCode(readFileSync(file, 'utf8'));
  for (const [, target] of text.matchAll(LINK)) checkLink(file, target!);
}
for (const file of [...DOCUMENTS, ...SOURCES]) {
  if (file === normalize('scripts/check-links.ts')) continue;
  const text = readFileSync(file, 'utf8');
  for (const [path] of text.matchAll(PATH)) {
    if (!existsSync(path)) wrong.push(`${file}: names ${path}, which does not exist`);
  }
  // A citation may go over the end of a line of a comment.
  const prose = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
  const decisions = headingsOf('docs/interface/decisions.md');
  for (const [citation, section, part] of prose.matchAll(SECTION)) {
    const known = decisions.some((heading) => heading.startsWith(`${section}. `));
    if (!known || (part !== undefined && !decisions.includes(part)))
      wrong.push(`${file}: cites "${citation}", which does not exist`);
  }
  const specification = headingsOf('docs/interface/specification.md');
  for (const [citation, part] of prose.matchAll(HEADING)) {
    if (!specification.includes(part!)) wrong.push(`${file}: cites ${citation}, which does not exist`);
  }
  for (const [citation, number] of prose.matchAll(ENDPOINT)) {
    if (!specification.some((heading) => heading.startsWith(`${number}. `)))
      wrong.push(`${file}: cites ${citation}, which does not exist`);
  }
}

if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exit(1);
}
console.log('every link and citation leads somewhere');

function checkLink(file: string, target: string): void {
  if (/^[a-z]+:/i.test(target)) return;
  const [path, anchor] = target.split('#') as [string, string | undefined];
  const destination = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(destination)) wrong.push(`${file}: links to ${target}, which does not exist`);
  else if (anchor !== undefined && !headingsOf(destination).some((heading) => slug(heading) === anchor))
    wrong.push(`${file}: links to ${target}, which has no such heading`);
}

function headingsOf(file: string): string[] {
  let known = headings.get(file);
  if (known === undefined) {
    known = [...readFileSync(file, 'utf8').matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => text!.trim());
    headings.set(file, known);
  }
  return known;
}

/** The anchor of a heading, as the common renderers of Markdown make it. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
}
