import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allows, ContentModel, type Declarations } from './content-model.ts';
import type { ElementFacts, ParticleFacts } from './facts.ts';

const FACTS = { type: 0 } as unknown as ElementFacts;
const SCHEMA: Declarations = {
  element: () => FACTS,
  mayStandFor: (name, head) => name === head || name === `sub ${head}`,
  show: (name) => `<${name}>`,
};

type Range = readonly [min: number, max: number];

/** A model and the same as a pattern of letters. */
interface Case {
  particle: ParticleFacts;
  pattern: string;
}

const SIMPLE: Range[] = [
  [1, 1],
  [0, 1],
];
/** What they hold may not repeat by itself: schemas say in one way which child is which. */
const COUNTED: Range[] = [
  [0, -1],
  [1, -1],
  [2, 2],
  [0, 2],
  [2, 3],
  [2, -1],
];

/** Every letter stands in one place, so that a child is never taken for two. */
function caseOf(letters: readonly string[], isOnce = true): fc.Arbitrary<Case> {
  const times = fc.constantFrom(...SIMPLE, ...(isOnce ? COUNTED : []));
  const repeated = (pattern: string, [min, max]: Range) => `(?:${pattern}){${min},${max < 0 ? '' : max}}`;
  if (letters.length === 1) {
    return fc.tuple(fc.boolean(), times).map(([isLocal, range]): Case => {
      const [min, max] = range;
      const [name] = letters as [string];
      return {
        particle: isLocal ? ['local', name, FACTS, min, max] : ['ref', name, min, max],
        pattern: repeated(name, range),
      };
    });
  }
  return fc
    .tuple(fc.integer({ min: 1, max: letters.length - 1 }), fc.constantFrom('sequence', 'choice'), times)
    .chain(([at, kind, range]) =>
      fc
        .tuple(
          caseOf(letters.slice(0, at), isOnce && range[1] === 1),
          caseOf(letters.slice(at), isOnce && range[1] === 1),
        )
        .map(([a, b]): Case => {
          const [min, max] = range;
          const whole = kind === 'sequence' ? a.pattern + b.pattern : `${a.pattern}|${b.pattern}`;
          return {
            particle: [kind as 'choice', [a.particle, b.particle], min, max],
            pattern: repeated(whole, range),
          };
        }),
    );
}

test('a content model lets through what a pattern of the same shape does', () => {
  const words = fc.array(
    fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 }).map((letters) => letters.join('')),
    { minLength: 20, maxLength: 20 },
  );
  fc.assert(
    fc.property(caseOf(['a', 'b', 'c']), words, ({ particle, pattern }, list) => {
      const model = new ContentModel(particle, SCHEMA);
      const whole = new RegExp(`^(?:${pattern})$`);
      for (const word of list) {
        let state: typeof model.start | undefined = model.start;
        for (const letter of word) state = state && model.step(state, letter, '')?.state;
        assert.equal(state?.isEnd ?? false, whole.test(word), `${pattern} ${word}`);
      }
    }),
    { numRuns: 300 },
  );
});

test('an element stands for the head of its group, but for no local one', () => {
  const model = new ContentModel(
    [
      'sequence',
      [
        ['ref', 'a', 1, 1],
        ['local', 'b', FACTS, 1, 1],
      ],
      1,
      1,
    ],
    SCHEMA,
  );
  const next = model.step(model.start, 'sub a', '')!.state;
  assert.equal(model.step(next, 'sub b', ''), null);
  assert.ok(model.step(next, 'b', '')!.state.isEnd);
  assert.ok(model.anywhere('b', '') !== null && model.anywhere('sub a', '') !== null);
  assert.equal(model.anywhere('c', ''), null);
});

test('a declaration goes before a wildcard, and a wildcard says how strict it is', () => {
  const model = new ContentModel(
    [
      'choice',
      [
        ['any', '##any', 'lax', 1, 1],
        ['local', 'b', FACTS, 1, 1],
      ],
      1,
      1,
    ],
    SCHEMA,
  );
  assert.deepEqual(model.step(model.start, 'b', '')!.declaration, FACTS);
  const { declaration, process, state } = model.step(model.start, 'x', 'urn:x')!;
  assert.deepEqual([declaration, process, state.isEnd], [null, 'lax', true]);
  assert.equal(model.expected(model.start), 'any element, <b>');
  assert.equal(model.expected(state), '');
});

test('a message lists ten names at most, each once', () => {
  const refs = (count: number) =>
    Array.from({ length: count }, (_, i): ParticleFacts => ['ref', `n${i}`, 0, 2]);
  const expected = (count: number) => {
    const model = new ContentModel(['sequence', refs(count), 1, 1], SCHEMA);
    return model.expected(model.start);
  };
  const names = Array.from({ length: 10 }, (_, i) => `<n${i}>`).join(', ');
  assert.equal(expected(10), names);
  assert.equal(expected(11), `${names}, …`);
});

test('a wildcard lets through the namespaces that the standard says', () => {
  for (const [constraint, uri, expected] of [
    ['##any', '', true],
    ['##any', 'urn:a', true],
    ['##other urn:a', 'urn:a', false],
    ['##other urn:a', 'urn:b', true],
    ['##other urn:a', '', false],
    ['##local', '', true],
    ['##local', 'urn:a', false],
    ['urn:a urn:b', 'urn:b', true],
    ['urn:a urn:b', 'urn:c', false],
    ['urn:a ##local', '', true],
    ['urn:a', '', false],
  ] as const) {
    assert.equal(allows(constraint, uri), expected, `${constraint} ${uri}`);
  }
});
