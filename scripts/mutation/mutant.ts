/**
 * Small changes of code, one at a time: which there are, what each is called, and a sample that stays the same when
 * other code changes.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { parseAst } from 'vite';

export interface Mutant {
  file: string;
  /** Offsets in the file, and what stands there instead. */
  start: number;
  end: number;
  text: string;
  /**
   * Offset of what runs wherever the change matters. The right side of `??` and its like is a range of its own, which
   * may never run, and its sign is a part of that range.
   */
  place: number;
  /** `file:line`, change and line of code, separated by tabs. */
  name: string;
}

interface AstNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const SWAPS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
};

/** Every small change of a file; some are no program any more, see `isProgram`. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, text: string, place = start) => {
    mutants.push({ file, start, end, text, place, name: nameOf(file, source, start, end, text) });
  };
  const visit = (node: AstNode): void => {
    if (/^TS(?!AsExpression|NonNull|Satisfies)/.test(node.type) || node.type === 'ImportDeclaration') return;
    if (node.type === 'ThrowStatement') return;
    addChanges(node, source, add);
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child && 'start' in child)
        visit(child as AstNode);
    }
  };
  visit(parseAst(source, { lang: langOf(file) }) as unknown as AstNode);
  return mutants;
}

function addChanges(
  node: AstNode,
  source: string,
  add: (start: number, end: number, text: string, place?: number) => void,
): void {
  const { operator, left, right, test, argument, value } = node as unknown as {
    operator: string;
    left: AstNode;
    right: AstNode;
    test: AstNode | null;
    argument: AstNode;
    value: unknown;
  };
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      const swapped = SWAPS[operator];
      // Only brackets and spaces stand before the sign; a comment there may hold the same sign.
      const gap = /^[\s)]*/.exec(source.slice(left.end, right.start))![0].length;
      const at = left.end + gap;
      // Texts are joined by the same sign as numbers; the change would only be a type error.
      const isText = operator === '+' && /['`]/.test(source.slice(node.start, node.end));
      if (swapped !== undefined && source.startsWith(operator, at) && !isText)
        add(at, at + operator.length, swapped, node.start);
      break;
    }
    case 'UnaryExpression':
      if (operator === '!') add(node.start, argument.start, '');
      break;
    case 'IfStatement':
    case 'ConditionalExpression':
      if (test === null) break;
      add(test.start, test.end, 'true');
      add(test.start, test.end, 'false');
      break;
    case 'Literal':
      if (typeof value === 'number') add(node.start, node.end, `(${value} + 1)`);
      else if (typeof value === 'boolean') add(node.start, node.end, String(!value));
      break;
  }
}

/** The source with the change. */
export function changed({ start, end, text }: Mutant, source: string): string {
  return source.slice(0, start) + text + source.slice(end);
}

/**
 * Whether a file with a change can be parsed: `a ?? b ?? c` may not become `a && b ?? c`, and says nothing about tests
 * then.
 */
export function isProgram(mutant: Mutant, source: string): boolean {
  try {
    parseAst(changed(mutant, source), { lang: langOf(mutant.file) });
    return true;
  } catch {
    return false;
  }
}

function langOf(file: string): 'ts' | 'tsx' {
  return file.endsWith('x') ? 'tsx' : 'ts';
}

function nameOf(file: string, source: string, start: number, end: number, text: string): string {
  const line = source.slice(0, start).split('\n').length;
  const whole = source.split('\n')[line - 1]!.trim();
  const before = source.slice(start, end).replaceAll(/\s+/g, ' ');
  return `${file}:${line}\t${before} → ${text === '' ? '(nothing)' : text}\t${whole}`;
}

/** The name of a mutant without the number of its line, which changes. */
export function withoutLine(name: string): string {
  return name.replace(/^([^:\t]+):\d+/, '$1');
}

/**
 * Mutants in the order of hashes of seed and name. The beginning of it is a sample that code written elsewhere does not
 * change, nor folders that files move to.
 */
export function shuffled(mutants: readonly Mutant[], seed: number): Mutant[] {
  const times = new Map<string, number>();
  const ranked = mutants.map((mutant) => {
    const [file, ...change] = withoutLine(mutant.name).split('\t');
    const key = [basename(file!), ...change].join('\t');
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return { mutant, rank: createHash('sha256').update(`${seed}\t${time}\t${key}`).digest('hex') };
  });
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.map(({ mutant }) => mutant);
}

/**
 * A test for mutants that may live, from lines of file, change, line of code and reason, separated by tabs; `*` stands
 * for any text. Throws for a line without a reason.
 */
export function acceptedBy(list: string): (mutant: Mutant) => boolean {
  const names = new Set<string>();
  const patterns: RegExp[] = [];
  for (const line of list.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const columns = line.split('\t');
    if (columns.length < 4 || columns[3]!.trim() === '') throw new Error(`no reason: ${line}`);
    const name = columns.slice(0, 3).join('\t');
    names.add(name);
    if (!name.includes('*')) continue;
    const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '.*');
    patterns.push(new RegExp(`^${pattern}$`, 's'));
  }
  return (mutant) => {
    const name = withoutLine(mutant.name);
    return names.has(name) || patterns.some((pattern) => pattern.test(name));
  };
}
