/**
 * Executes a query (GraphQL, section 6) and writes its answer as JSON while it goes. The library's `execute` builds the
 * whole answer as objects and cannot pause. This one pauses every few milliseconds, and keeps text only. All resolvers
 * here answer at once, so one field comes after the other. `write-answer.test.ts` compares it with the library's.
 */

import type { Slices } from '@citymodel/base';
import {
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import type { RequestBudget } from '../base/request-budget.ts';
import type { AnswerText } from './answer-text.ts';
import { type AskedField, type Selections, typeOf } from './selection.ts';

/** Errors that one answer lists; of thousands of the same kind more would help nobody. */
const MAX_ERRORS = 50;

/** What callers are told who lose more of an answer than the part with the error. */
const LOST =
  'The answer was too long to leave out only the part with the error, so data is null. Ask for less at once.';

/** Place of a value in the answer, from the inside outwards. */
interface Path {
  readonly before: Path | null;
  readonly key: string | number;
}

/** Undefined for what is written already, else a promise of its end. */
type Written = Promise<void> | undefined;

export interface WriterOptions {
  selections: Selections;
  text: AnswerText;
  /** Charged with every field before it is resolved, and with the bytes of the text. */
  budget: RequestBudget;
  slices: Slices;
  /** What resolvers get. */
  context: unknown;
  /** Ends the work when the caller has gone. */
  signal?: AbortSignal | undefined;
}

export class AnswerWriter {
  readonly #options: WriterOptions;
  readonly errors: GraphQLError[] = [];

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /**
   * Writes the value of `data`. Throws ServiceError when the request costs too much, LostAnswer when `data` is null
   * because of errors, and the signal's reason when the caller has gone.
   */
  async write(fields: readonly AskedField[]): Promise<void> {
    const { text } = this.#options;
    const start = text.position;
    try {
      await this.#object(undefined, fields, null);
    } catch (error) {
      if (this.#isFinal(error)) throw error;
      this.#note(error);
      if (!text.cut(start)) throw new LostAnswer();
      text.add('null');
    }
  }

  #object(source: unknown, fields: readonly AskedField[], path: Path | null): Written {
    const { text, budget } = this.#options;
    budget.items(fields.length);
    text.add('{');
    for (let i = 0; i < fields.length; i++) {
      const waiting = this.#field(source, fields[i]!, path, i > 0);
      if (waiting !== undefined) return this.#restOfObject(waiting, source, fields, path, i + 1);
    }
    text.add('}');
    return undefined;
  }

  async #restOfObject(
    waiting: Written,
    source: unknown,
    fields: readonly AskedField[],
    path: Path | null,
    from: number,
  ): Promise<void> {
    await waiting;
    for (let i = from; i < fields.length; i++) {
      const next = this.#field(source, fields[i]!, path, true);
      if (next !== undefined) await next;
    }
    this.#options.text.add('}');
  }

  #field(source: unknown, selected: AskedField, before: Path | null, comma: boolean): Written {
    const { text, context } = this.#options;
    text.add(comma ? `,${selected.label}` : selected.label);
    const { field, args, info } = selected;
    const path = { before, key: selected.key };
    const written = this.#guard(field.type, selected, path, () => {
      if ('locations' in args && args instanceof Error) throw args;
      const { resolve } = field;
      const value = resolve
        ? resolve(source, args as Record<string, unknown>, context, info)
        : (source as Record<string, unknown>)[field.name];
      return this.#value(field.type, value, selected, path);
    });
    if (selected.isLeaf) return written;
    return written === undefined ? this.#pauseIfDue() : written;
  }

  /** Writes a value; an error becomes null here, or is passed on where null may not stand (section 6.4.4). */
  #guard(type: GraphQLOutputType, field: AskedField, path: Path, write: () => Written): Written {
    const start = this.#options.text.position;
    const failed = (error: unknown): void => {
      if (this.#isFinal(error)) throw error;
      const located = locatedError(error, field.nodes, pathOf(path));
      if (isNonNullType(type)) throw located;
      this.#note(located);
      if (!this.#options.text.cut(start)) {
        this.errors.push(new GraphQLError(LOST, { extensions: { code: 'INTERNAL_SERVER_ERROR' } }));
        throw new LostAnswer();
      }
      this.#options.text.add('null');
    };
    try {
      return write()?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** CompleteValue (section 6.4.3). */
  #value(type: GraphQLOutputType, value: unknown, field: AskedField, path: Path): Written {
    const { text, selections } = this.#options;
    if (isNonNullType(type)) {
      if (value === null || value === undefined) {
        throw new Error(
          `Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`,
        );
      }
      return this.#value(type.ofType, value, field, path);
    }
    if (value === null || value === undefined) {
      text.add('null');
      return undefined;
    }
    if (isListType(type)) return this.#list(type.ofType, value as Iterable<unknown>, field, path);
    if (isLeafType(type)) {
      const json = JSON.stringify(type.serialize(value));
      if (json === undefined) throw new Error(`${type.name} cannot be written as JSON.`);
      text.add(json);
      return undefined;
    }
    const objectType: GraphQLObjectType = typeOf(value, field);
    return this.#object(value, selections.within(field, objectType), path);
  }

  #list(type: GraphQLOutputType, values: Iterable<unknown>, field: AskedField, path: Path): Written {
    const { text } = this.#options;
    const list = Array.isArray(values) ? values : Array.from(values);
    text.add('[');
    for (let i = 0; i < list.length; i++) {
      const waiting = this.#entry(type, list, i, field, path);
      if (waiting !== undefined) return this.#restOfList(waiting, type, list, i + 1, field, path);
    }
    text.add(']');
    return undefined;
  }

  async #restOfList(
    waiting: Written,
    type: GraphQLOutputType,
    list: readonly unknown[],
    from: number,
    field: AskedField,
    path: Path,
  ): Promise<void> {
    await waiting;
    for (let i = from; i < list.length; i++) {
      const next = this.#entry(type, list, i, field, path);
      if (next !== undefined) await next;
    }
    this.#options.text.add(']');
  }

  #entry(
    type: GraphQLOutputType,
    list: readonly unknown[],
    i: number,
    field: AskedField,
    before: Path,
  ): Written {
    if (i > 0) this.#options.text.add(',');
    const path = { before, key: i };
    const written = this.#guard(type, field, path, () => this.#value(type, list[i], field, path));
    if (field.isLeaf) return written;
    return written === undefined ? this.#pauseIfDue() : written;
  }

  #pauseIfDue(): Written {
    const { text, slices } = this.#options;
    return text.isFull || slices.due() ? this.#pause() : undefined;
  }

  async #pause(): Promise<void> {
    const { text, budget, slices, signal } = this.#options;
    if (text.isFull) budget.hold(await text.pack());
    if (slices.due()) await slices.pause();
    signal?.throwIfAborted();
  }

  /** Whether an error ends the whole request. */
  #isFinal(error: unknown): boolean {
    const { signal } = this.#options;
    return (
      error instanceof ServiceError ||
      error instanceof LostAnswer ||
      (signal?.aborted === true && error === signal.reason)
    );
  }

  #note(error: unknown): void {
    if (this.errors.length < MAX_ERRORS) this.errors.push(locatedError(error, undefined));
  }
}

/** What an error makes null cannot be taken back any more: it is compressed. Then all of `data` is null. */
export class LostAnswer extends Error {}

function pathOf(path: Path): Array<string | number> {
  const keys: Array<string | number> = [];
  for (let step: Path | null = path; step !== null; step = step.before) keys.push(step.key);
  return keys.reverse();
}
