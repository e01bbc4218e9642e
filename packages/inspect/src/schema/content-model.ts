/**
 * Which children may follow each other: an automaton over positions of a content model (Glushkov's construction), whose
 * states are made when a file comes to them. XML Schema makes content models deterministic (part 1, section 3.8.6), so
 * states have few positions.
 */
import type { ElementFacts, ParticleFacts, Process } from './facts.ts';

/** What a model asks of its schema. */
export interface Declarations {
  element(name: string): ElementFacts | undefined;
  mayStandFor(name: string, head: string): boolean;
  show(name: string): string;
}

type Position =
  | { kind: 'element'; name: string; declaration: ElementFacts | null }
  | { kind: 'any'; namespace: string; process: Process };

/** What a child is taken for. */
export interface Step {
  state: State;
  /** Null for one that a wildcard lets through. */
  declaration: ElementFacts | null;
  process: Process;
}

/** What has been read of the children. */
export interface State {
  isEnd: boolean;
  candidates: readonly number[];
  steps: Map<string, Step | null>;
}

interface Part {
  first: number[];
  last: number[];
  mayBeEmpty: boolean;
}

/** Names that a message lists at most. */
const NAMED = 10;
/** Steps that a state remembers: names come from files. */
const REMEMBERED = 2000;
const EMPTY: Part = { first: [], last: [], mayBeEmpty: true };

export class ContentModel {
  readonly start: State;
  readonly #schema: Declarations;
  readonly #positions: Position[] = [];
  readonly #follow: Array<Set<number>> = [];
  readonly #last: ReadonlySet<number>;
  readonly #states = new Map<string, State>();

  constructor(particle: ParticleFacts, schema: Declarations) {
    this.#schema = schema;
    const whole = this.#build(particle);
    this.#last = new Set(whole.last);
    this.start = { isEnd: whole.mayBeEmpty, candidates: whole.first, steps: new Map() };
  }

  /** The state after a child; null when it may not come here. */
  step(state: State, name: string, uri: string): Step | null {
    const known = state.steps.get(name);
    if (known !== undefined) return known;
    const step = this.#find(state.candidates, name, uri);
    if (state.steps.size < REMEMBERED && !name.startsWith('?')) state.steps.set(name, step);
    return step;
  }

  /** How the model declares an element anywhere; null when it does not. */
  anywhere(name: string, uri: string): Step | null {
    return this.#find(Array.from(this.#positions.keys()), name, uri);
  }

  /** Names that may come next, for messages. */
  expected(state: State): string {
    const names = state.candidates.map((at) => {
      const position = this.#positions[at]!;
      return position.kind === 'any' ? 'any element' : this.#schema.show(position.name);
    });
    const all = [...new Set(names)];
    return all.length > NAMED ? `${all.slice(0, NAMED).join(', ')}, …` : all.join(', ');
  }

  #find(candidates: readonly number[], name: string, uri: string): Step | null {
    let wild: Step | null = null;
    for (const at of candidates) {
      const position = this.#positions[at]!;
      if (position.kind === 'any') {
        if (allows(position.namespace, uri)) {
          wild ??= { state: this.#after(at), declaration: null, process: position.process };
        }
      } else if (position.declaration === null) {
        if (!this.#schema.mayStandFor(name, position.name)) continue;
        return { state: this.#after(at), declaration: this.#schema.element(name)!, process: 'strict' };
      } else if (position.name === name) {
        return { state: this.#after(at), declaration: position.declaration, process: 'strict' };
      }
    }
    return wild;
  }

  #after(at: number): State {
    const key = String(at);
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { isEnd: this.#last.has(at), candidates: [...this.#follow[at]!], steps: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #build(particle: ParticleFacts): Part {
    const [min, max] = particle.slice(-2) as [number, number];
    let part = EMPTY;
    for (let i = 0; i < min; i++) {
      const copy = this.#once(particle);
      part = this.#join(part, max < 0 && i === min - 1 ? this.#repeat(copy) : copy);
    }
    if (max < 0 && min === 0) return { ...this.#repeat(this.#once(particle)), mayBeEmpty: true };
    for (let i = min; i < max; i++) part = this.#join(part, { ...this.#once(particle), mayBeEmpty: true });
    return part;
  }

  #once(particle: ParticleFacts): Part {
    switch (particle[0]) {
      case 'ref':
        return this.#add({ kind: 'element', name: particle[1], declaration: null });
      case 'local':
        return this.#add({ kind: 'element', name: particle[1], declaration: particle[2] });
      case 'any':
        return this.#add({ kind: 'any', namespace: particle[1], process: particle[2] });
      case 'sequence':
        return particle[1].map((part) => this.#build(part)).reduce((a, b) => this.#join(a, b), EMPTY);
      case 'choice': {
        const parts = particle[1].map((part) => this.#build(part));
        return {
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last),
          mayBeEmpty: parts.length === 0 || parts.some(({ mayBeEmpty }) => mayBeEmpty),
        };
      }
    }
  }

  #add(position: Position): Part {
    const at = this.#positions.push(position) - 1;
    this.#follow.push(new Set());
    return { first: [at], last: [at], mayBeEmpty: false };
  }

  #join(a: Part, b: Part): Part {
    for (const at of a.last) for (const next of b.first) this.#follow[at]!.add(next);
    return {
      first: a.mayBeEmpty ? [...a.first, ...b.first] : a.first,
      last: b.mayBeEmpty ? [...a.last, ...b.last] : b.last,
      mayBeEmpty: a.mayBeEmpty && b.mayBeEmpty,
    };
  }

  #repeat(part: Part): Part {
    for (const at of part.last) for (const next of part.first) this.#follow[at]!.add(next);
    return part;
  }
}

/** True when a wildcard lets a namespace through (XML Schema part 1, section 3.10.4). */
export function allows(constraint: string, uri: string): boolean {
  if (constraint === '##any') return true;
  if (constraint.startsWith('##other')) return uri !== '' && uri !== constraint.slice(8);
  return constraint.split(/\s+/).some((one) => (one === '##local' ? uri === '' : one === uri));
}
