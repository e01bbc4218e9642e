/** Which test kills a mutant of the sample that never changes, so that one run shows it. */
import { existsSync } from 'node:fs';
import { type Mutant, withoutLine } from './mutant.ts';

/** In place of a test, for mutants that only a test without an end shows. */
const SLOW = 'hangs';

const HEAD = `# Mutants of the sample that never changes: file, change, line of code, and the test that kills it. \
Columns are separated by tabs.
# Written by \`node scripts/mutate.ts --fixed --record\`; a line that is missing or wrong costs time only.
`;

export class Hints {
  readonly #tests = new Map<string, string>();

  /** @param list lines as `text` writes them. */
  constructor(list: string) {
    for (const line of list.split('\n')) {
      if (line.startsWith('#') || line === '') continue;
      const [file, change, code, test = ''] = line.split('\t');
      this.#tests.set([file, change, code].join('\t'), test);
    }
  }

  /** The tests, that of the hint first, which newer ones may have pushed out of the nearest. */
  ordered(mutant: Mutant, tests: readonly string[]): readonly string[] {
    const hint = this.#tests.get(withoutLine(mutant.name));
    return hint !== undefined && (tests.includes(hint) || existsSync(hint))
      ? [hint, ...tests.filter((test) => test !== hint)]
      : tests;
  }

  isSlow(mutant: Mutant): boolean {
    return this.#tests.get(withoutLine(mutant.name)) === SLOW;
  }

  /** Notes the test that a mutant failed; null for one that hung. */
  note(mutant: Mutant, test: string | null): void {
    this.#tests.set(withoutLine(mutant.name), test ?? SLOW);
  }

  /** The hints of a sample, and of mutants that are left out of it. */
  text(mutants: readonly Mutant[]): string {
    const names = new Set(mutants.map(({ name }) => withoutLine(name)));
    const lines = [...this.#tests].filter(([name, test]) => test === SLOW || names.has(name));
    return (
      HEAD +
      lines
        .map(([name, test]) => `${name}\t${test}\n`)
        .sort()
        .join('')
    );
  }
}
