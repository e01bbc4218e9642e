/** Filters in CQL2 Text (OGC 21-065r2, section 8.1 and annex B). */
import { quoted } from '@citymodel/base';
import type { Comparison, Expression, Scalar } from './cql2.ts';
import { Cql2Builder, type Geometry, momentOf, type Position } from './cql2-builder.ts';
import { EXCHANGED } from './cql2-json.ts';
import { type Token, tokensOf } from './cql2-tokens.ts';
import type { OgcCrs } from './crs.ts';

const COMPARISONS: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

/** Reads a filter. Throws a RangeError that says what is wrong. */
export function parseCql2Text(text: string, crs: OgcCrs): Expression {
  const reader = new TextReader(tokensOf(text), crs);
  const expression = reader.either(0);
  reader.end();
  return expression;
}

class TextReader {
  readonly #tokens: readonly Token[];
  readonly #build: Cql2Builder;
  #at = 0;

  constructor(tokens: readonly Token[], crs: OgcCrs) {
    this.#tokens = tokens;
    this.#build = new Cql2Builder(crs);
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected('the end, AND or OR');
  }

  /** Terms with OR between them. */
  either(depth: number): Expression {
    this.#build.checkDepth(depth);
    const args = [this.#both(depth)];
    while (this.#takeWord('OR')) args.push(this.#both(depth));
    return args.length === 1 ? args[0]! : { op: 'or', args };
  }

  #both(depth: number): Expression {
    const args = [this.#factor(depth)];
    while (this.#takeWord('AND')) args.push(this.#factor(depth));
    return args.length === 1 ? args[0]! : { op: 'and', args };
  }

  #factor(depth: number): Expression {
    this.#build.checkDepth(depth);
    if (this.#takeWord('NOT')) return { op: 'not', arg: this.#factor(depth + 1) };
    if (this.#takeSign('(')) {
      const inner = this.either(depth + 1);
      this.#expectSign(')');
      return inner;
    }
    const next = this.#tokens[this.#at + 1];
    for (const value of [true, false]) {
      // Before a comparison it is a value.
      if (next?.kind === 'sign' && COMPARISONS.has(next.text)) break;
      if (this.#takeWord(String(value))) return this.#build.condition({ op: 'constant', value });
    }
    if (this.#takeWord('S_INTERSECTS')) return this.#intersects();
    return this.#predicate();
  }

  #predicate(): Expression {
    const value = this.#scalar();
    if (value !== undefined) {
      const op = this.#comparison();
      return this.#build.condition({ op: EXCHANGED[op], property: this.#property(), value });
    }
    const property = this.#property();
    if (this.#takeWord('IS')) {
      const isNot = this.#takeWord('NOT');
      if (!this.#takeWord('NULL')) throw this.#unexpected('NULL');
      const expression = this.#build.condition({ op: 'isNull', property });
      return isNot ? { op: 'not', arg: expression } : expression;
    }
    if (this.#takeWord('NOT')) return { op: 'not', arg: this.#advanced(property) };
    return this.#isAdvanced()
      ? this.#advanced(property)
      : this.#build.condition({ op: this.#comparison(), property, value: this.#expectScalar() });
  }

  #isAdvanced(): boolean {
    return ['LIKE', 'BETWEEN', 'IN'].some((word) => this.#isWord(word));
  }

  #advanced(property: string): Expression {
    if (this.#takeWord('LIKE')) {
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'text') throw this.#unexpected('a pattern in quotes');
      this.#at++;
      return this.#build.like(property, token.text);
    }
    if (this.#takeWord('BETWEEN')) {
      const low = this.#expectScalar();
      if (!this.#takeWord('AND')) throw this.#unexpected('AND');
      return this.#build.condition({ op: 'between', property, low, high: this.#expectScalar() });
    }
    if (!this.#takeWord('IN')) throw this.#unexpected('LIKE, BETWEEN or IN');
    this.#expectSign('(');
    const values = this.#listOf(() => this.#expectScalar());
    return this.#build.condition({ op: 'in', property, values: this.#build.list(values) });
  }

  #intersects(): Expression {
    this.#expectSign('(');
    const before = this.#geometry();
    if (before !== null) this.#expectSign(',');
    const property = this.#property();
    if (before === null) this.#expectSign(',');
    const geometry = before ?? this.#geometry();
    if (geometry === null) throw this.#unexpected('POINT, MULTIPOINT, POLYGON, MULTIPOLYGON or BBOX');
    this.#expectSign(')');
    return this.#build.intersects(property, geometry);
  }

  /** Null where no geometry begins here. */
  #geometry(): Geometry | null {
    if (this.#takeWord('BBOX')) {
      this.#expectSign('(');
      return { kind: 'box', numbers: this.#listOf(() => this.#number()) };
    }
    for (const [word, read] of [
      ['POINT', () => ({ kind: 'points', points: [this.#inBrackets(() => this.#position())] })],
      ['MULTIPOINT', () => ({ kind: 'points', points: this.#brackets(() => this.#loosePosition()) })],
      ['POLYGON', () => ({ kind: 'polygons', polygons: [this.#rings()] })],
      ['MULTIPOLYGON', () => ({ kind: 'polygons', polygons: this.#brackets(() => this.#rings()) })],
    ] as ReadonlyArray<[string, () => Geometry]>) {
      if (!this.#takeWord(word)) continue;
      this.#takeWord('Z');
      return read();
    }
    return null;
  }

  #rings(): Position[][] {
    return this.#brackets(() => this.#brackets(() => this.#position()));
  }

  /** A list in brackets. */
  #brackets<T>(read: () => T): T[] {
    this.#expectSign('(');
    return this.#listOf(read);
  }

  #inBrackets<T>(read: () => T): T {
    this.#expectSign('(');
    const value = read();
    this.#expectSign(')');
    return value;
  }

  /** Of a MULTIPOINT, whose positions may have brackets. */
  #loosePosition(): Position {
    return this.#isSign('(') ? this.#inBrackets(() => this.#position()) : this.#position();
  }

  #position(): Position {
    const position: Position = [this.#number(), this.#number()];
    // A height says nothing of a footprint.
    if (!this.#isSign(',') && !this.#isSign(')')) this.#number();
    return position;
  }

  /** Values with commas between them, up to the closing bracket. */
  #listOf<T>(read: () => T): T[] {
    const values = [read()];
    while (this.#takeSign(',')) values.push(read());
    this.#expectSign(')');
    return values;
  }

  #comparison(): Comparison {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || !COMPARISONS.has(token.text))
      throw this.#unexpected('a comparison such as =');
    this.#at++;
    return token.text as Comparison;
  }

  #property(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' && token?.kind !== 'name') throw this.#unexpected('a property');
    this.#at++;
    return this.#build.property(token.text);
  }

  #expectScalar(): Scalar {
    const value = this.#scalar();
    if (value === undefined) throw this.#unexpected('a value');
    return value;
  }

  /** Undefined where no value begins here. */
  #scalar(): Scalar | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'text') {
      this.#at++;
      return this.#build.scalar(token.text);
    }
    if (token?.kind === 'number' || this.#isSign('-') || this.#isSign('+')) return this.#number();
    for (const kind of ['date', 'timestamp'] as const) {
      const next = this.#tokens[this.#at + 1];
      if (!this.#isWord(kind) || next?.kind !== 'sign' || next.text !== '(') continue;
      this.#at++;
      return this.#inBrackets(() => {
        const text = this.#tokens[this.#at++];
        if (text?.kind !== 'text') throw this.#unexpected(`a ${kind} in quotes`);
        return momentOf(kind, text.text);
      });
    }
    for (const value of [true, false]) if (this.#takeWord(String(value))) return value;
    return undefined;
  }

  #number(): number {
    const sign = this.#takeSign('-') ? -1 : 1;
    if (sign === 1) this.#takeSign('+');
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'number' || !Number.isFinite(token.value)) throw this.#unexpected('a number');
    this.#at++;
    return sign * token.value;
  }

  /** Words of the language have any letter case. */
  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return (
      token?.kind === 'word' &&
      token.text.length === word.length &&
      token.text.toUpperCase() === word.toUpperCase()
    );
  }

  #takeWord(word: string): boolean {
    const isIt = this.#isWord(word);
    if (isIt) this.#at++;
    return isIt;
  }

  #isSign(sign: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === 'sign' && token.text === sign;
  }

  #takeSign(sign: string): boolean {
    const isIt = this.#isSign(sign);
    if (isIt) this.#at++;
    return isIt;
  }

  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) throw this.#unexpected(sign);
  }

  #unexpected(expected: string): RangeError {
    const token = this.#tokens[this.#at];
    const found =
      token === undefined ? 'its end' : quoted('value' in token ? String(token.value) : token.text);
    return new RangeError(`filter has ${found} where ${expected} is expected.`);
  }
}
