/**
 * Lists what the formatter does not see: lines of more than 120 characters, locals and parameters with a name that says
 * nothing, a word that readers stumble over, and figures of speed in comments, which age. Exits with 1 when there is
 * any.
 *
 *     node scripts/check-style.ts
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';

const MOST_CHARACTERS = 120;
/** Participles tell nothing of what a value is. */
const EMPTY_NAMES = new Set(['made', 'told', 'said', 'given', 'each']);
const CODE = /\.(ts|tsx|js|mjs|css|html|sh|py|conf|service|yaml)$|(^|\/)Dockerfile$|^\.ci\/run$/;
/** Japanese has no blanks at which a line could be broken. */
const DOCUMENT = /^(README|CONTRIBUTING)\.md$|^docs\/.*(?<!\.ja)\.md$|^packages\/[^/]+\/README\.md$/;
/** Lines that cannot be broken: a regular expression or an import by itself, a table, a heading, a link, an image. */
const UNBREAKABLE_CODE = /^\s*\/.+\/[a-z]*[;,]?$|^import .* from '[^']+';$/;
const UNBREAKABLE_TEXT = /^\s*[|#<]|^\s*(?:[-*] )?!?\[[^\]]*\]\([^)]*\)[.,]?$/;
const UNLIKED_WORD = /\bwhoever\b/i;
/** What something takes, with a figure in time; a rate; a ratio of speeds stands where an alternative lost. */
const SPEED = [
  /\b(?:takes?|took|taken|costs?|needs|needed)\b[^.;:]*?\b\d[\d.,]*(?: (?:to|and|or) [\d.,]+)? ?(?:ms|µs|s|seconds?|minutes?)\b/,
  /\b\d[\d.,]* ?[KMG]i?B\/s\b/,
  /\b\d[\d.,]* ?(?:ms|µs|s|seconds?) (?:of (?:CPU|processor time)|sooner|later|faster|slower)\b/,
];
/** Tests, tools and benches state their own budgets of time. */
const STATES_SPEED = /\.test\.ts$|\/testing\/|^(?:test|bench|scripts)\//;

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const findings: string[] = [];
for (const file of files) {
  const isCode = CODE.test(file) && !file.includes('generated');
  if (!isCode && !DOCUMENT.test(file)) continue;
  const text = readFileSync(file, 'utf8');
  checkLines(file, text, isCode);
  if (/\.tsx?$/.test(file)) checkNames(file, text);
  if (/^packages\/.*\.(tsx?|js)$/.test(file) && !STATES_SPEED.test(file)) checkSpeed(file, text);
}
for (const finding of findings) console.log(finding);
console.log(`${findings.length} findings in ${files.length} files`);
process.exitCode = findings.length > 0 ? 1 : 0;

function checkLines(file: string, text: string, isCode: boolean): void {
  const unbreakable = isCode ? UNBREAKABLE_CODE : UNBREAKABLE_TEXT;
  let isFenced = false;
  for (const [i, line] of text.split('\n').entries()) {
    const place = `${file}:${i + 1}`;
    if (UNLIKED_WORD.test(line) && file !== 'scripts/check-style.ts' && file !== 'CONTRIBUTING.md') {
      findings.push(`${place} says "whoever"`);
    }
    if (!isCode && line.startsWith('```')) isFenced = !isFenced;
    if (line.length <= MOST_CHARACTERS || unbreakable.test(line) || isFenced) continue;
    findings.push(`${place} has ${line.length} characters`);
  }
}

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

/** Names that variables, parameters, patterns and functions bind. */
function checkNames(file: string, code: string): void {
  const bind = (pattern: Node): void => {
    for (const { name, start } of boundNames(pattern)) {
      if (!EMPTY_NAMES.has(name)) continue;
      findings.push(`${file}:${code.slice(0, start).split('\n').length} calls a value "${name}"`);
    }
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = value as Node;
    if (node.type === 'VariableDeclarator') bind(node.id as Node);
    if (node.type === 'FunctionDeclaration') bind(node.id as Node);
    if (Array.isArray(node.params)) node.params.forEach(bind);
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
}

/** What a pattern binds; its default values and the keys of its objects bind nothing. */
function boundNames(pattern: Node | null): Array<{ name: string; start: number }> {
  switch (pattern?.type) {
    case 'Identifier':
      return [{ name: pattern.name as string, start: pattern.start }];
    case 'AssignmentPattern':
      return boundNames(pattern.left as Node);
    case 'RestElement':
      return boundNames(pattern.argument as Node);
    case 'ArrayPattern':
      return (pattern.elements as Array<Node | null>).flatMap(boundNames);
    case 'ObjectPattern':
      return (pattern.properties as Node[]).flatMap(boundNames);
    case 'Property':
      return boundNames(pattern.value as Node);
    default:
      return [];
  }
}

function checkSpeed(file: string, code: string): void {
  const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*?)(?:\*\/)?$/;
  let start = 0;
  let text = '';
  for (const [i, line] of [...code.split('\n'), ''].entries()) {
    const content = comment.exec(line)?.[1];
    if (content !== undefined) {
      if (text === '') start = i + 1;
      text += ` ${content}`;
      continue;
    }
    for (const sentence of text.split(/(?<=[.;])\s/)) {
      if (SPEED.some((figure) => figure.test(sentence)))
        findings.push(`${file}:${start} has a speed: ${sentence.trim()}`);
    }
    text = '';
  }
}
