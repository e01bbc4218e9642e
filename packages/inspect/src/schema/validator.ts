/**
 * Compares a document with schemas as its tags go by, in memory that grows with depth and not with size.
 *
 *   start tag ──▶ step of the parent's content model ──▶ type (xsi:type) ──▶ attributes ──▶ text, children
 *                      └── may not come here: one fault, and what is left of the parent is passed over
 *                                                        end tag ──▶ is all there?
 */

import { checkAttributes, XSI } from './check-attributes.ts';
import type { State, Step } from './content-model.ts';
import { type ElementFacts, isComplex, type TypeFacts } from './facts.ts';
import { IdSet } from './id-set.ts';
import type { Schema } from './schema.ts';
import type { StartTag, Wanted } from './tags.ts';

export interface SchemaFault {
  /** `order`: a child that its parent may have elsewhere; `date`: a day where a moment is asked for. */
  kind: 'order' | 'date' | 'other';
  /** It lies after a child in the wrong order, where other validators do not look any more. */
  isAfterDisorder: boolean;
  line: number;
  message: string;
}

export interface ValidatorHooks {
  onFault(fault: SchemaFault): void;
  /** Elements of such a namespace are passed over without a fault. */
  isPassedOver(uri: string): boolean;
  /** Goes on after a fault of order, where else the rest of the parent is passed over. */
  goesOn: boolean;
}

/** A day without a time. */
const DAY = /^\s*-?\d{4,}-\d\d-\d\d\s*$/;

interface Frame {
  name: string;
  line: number;
  type: TypeFacts;
  /** Place of the type. */
  at: number;
  declaration: ElementFacts | null;
  state: State | null;
  /** Type of the text; null where texts are free or not allowed. */
  simple: number | null;
  text: string;
  isNil: boolean;
  hasText: boolean;
  /** A child came in the wrong order: only what children are is compared from there on. */
  isDisordered: boolean;
  /** The text was compared as bytes. */
  isCompared: boolean;
  /** Nothing more of it is compared. */
  isLost: boolean;
}

export class SchemaValidator {
  readonly #schema: Schema;
  readonly #hooks: ValidatorHooks;
  readonly #open: Frame[] = [];
  readonly #ids = new IdSet();
  /** Elements that are open inside of what is passed over. */
  #passed = 0;
  /** Elements that are open with a child in the wrong order. */
  #disordered = 0;

  constructor(schema: Schema, hooks: ValidatorHooks) {
    this.#schema = schema;
    this.#hooks = hooks;
  }

  start(tag: StartTag): void {
    if (this.#passed > 0 || this.#open.at(-1)?.isLost === true || this.#hooks.isPassedOver(tag.uri)) {
      this.#passed++;
      return;
    }
    const name = this.#schema.name(tag.uri, tag.local);
    const step = this.#stepTo(name, tag);
    if (step === null || !this.#enter(name, tag, step)) this.#passed++;
  }

  text(text: string): void {
    const frame = this.#open.at(-1);
    if (this.#passed > 0 || frame === undefined) return;
    if (frame.simple !== null) frame.text += text;
    else if (!frame.hasText && /[^ \t\r\n]/.test(text)) frame.hasText = true;
  }

  /** What is needed of texts in the element that is open. */
  wanted(): Wanted {
    const frame = this.#open.at(-1);
    if (this.#passed > 0 || frame === undefined || frame.isLost) return 'nothing';
    if (frame.simple === null) return frame.hasText ? 'nothing' : 'blank';
    const isPlain = !frame.isNil && frame.declaration?.fixed === undefined;
    return isPlain && this.#schema.simpleTypes.areDoubles(frame.simple) ? 'doubles' : 'text';
  }

  /** The text of the element that is open is a list of plain numbers. */
  doubles(): void {
    this.#open.at(-1)!.isCompared = true;
  }

  end(): void {
    if (this.#passed > 0) {
      this.#passed--;
      return;
    }
    const frame = this.#open.pop()!;
    if (!frame.isLost) this.#leave(frame);
    if (frame.isDisordered) this.#disordered--;
  }

  #fault(line: number, message: string, kind: SchemaFault['kind'] = 'other'): void {
    const isAfterDisorder = this.#disordered > 0;
    this.#hooks.onFault({ kind, line, message, isAfterDisorder });
  }

  /** How the parent takes a child; null, and a fault, when it does not. */
  #stepTo(name: string, tag: StartTag): Pick<Step, 'declaration' | 'process'> | null {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      const declaration = this.#schema.element(name) ?? null;
      if (declaration === null) this.#fault(tag.line, `${this.#shown(tag)} is not declared in the schemas.`);
      return declaration === null ? null : { declaration, process: 'strict' };
    }
    const model = this.#schema.model(parent.type);
    if (parent.isNil || model === null || parent.simple !== null) {
      parent.isLost = true;
      const why = parent.isNil ? 'is nil' : parent.simple === null ? 'is empty' : 'has a text only';
      this.#fault(
        parent.line,
        `${this.#schema.show(parent.name)} has child elements, and by its type ${why}.`,
      );
      return null;
    }
    const step = parent.isDisordered ? null : model.step(parent.state!, name, tag.uri);
    if (step === null) {
      const elsewhere = model.anywhere(name, tag.uri);
      if (!parent.isDisordered || elsewhere === null) {
        const expected = model.expected(parent.state!);
        const rest = expected === '' ? 'nothing may follow' : `expected: ${expected}`;
        const where = this.#schema.show(parent.name);
        const kind = elsewhere === null ? 'other' : 'order';
        this.#fault(tag.line, `${this.#shown(tag)} may not come here in ${where}; ${rest}.`, kind);
      }
      if (!this.#hooks.goesOn || elsewhere === null) {
        parent.isLost = true;
        return null;
      }
      if (!parent.isDisordered) this.#disordered++;
      parent.isDisordered = true;
      return this.#taken(elsewhere, name, tag);
    }
    parent.state = step.state;
    return this.#taken(step, name, tag);
  }

  /** What a step takes a child for; null where a wildcard asks for nothing more, or the child is not known. */
  #taken(step: Step, name: string, tag: StartTag): Pick<Step, 'declaration' | 'process'> | null {
    if (step.declaration !== null) return step;
    const declaration = this.#schema.element(name) ?? null;
    if (step.process === 'skip') return null;
    if (declaration === null && step.process === 'strict') {
      this.#fault(tag.line, `${this.#shown(tag)} is not declared in the schemas.`);
      return null;
    }
    return { declaration, process: step.process };
  }

  /** Opens an element; false when its content cannot be compared. */
  #enter(name: string, tag: StartTag, { declaration }: { declaration: ElementFacts | null }): boolean {
    if (declaration?.abstract === 1) {
      this.#fault(tag.line, `${this.#shown(tag)} is abstract: another element stands for it.`);
      return false;
    }
    const at = this.#typeOf(tag, declaration?.type ?? 0);
    if (at === null) return false;
    const type = this.#schema.facts.types[at]!;
    if (isComplex(type) && type.abstract === 1) {
      this.#fault(tag.line, `${this.#shown(tag)} has an abstract type, and no xsi:type.`);
      return false;
    }
    const isNil = this.#isNil(tag, declaration);
    checkAttributes(this.#schema, type, tag.attributes, this.#ids, (message) =>
      this.#fault(tag.line, `${this.#shown(tag)} ${message}`),
    );
    this.#open.push({
      name,
      line: tag.line,
      type,
      at,
      declaration,
      state: this.#schema.model(type)?.start ?? null,
      simple: isComplex(type) ? (type.simple ?? null) : at,
      text: '',
      isNil,
      hasText: false,
      isDisordered: false,
      isCompared: false,
      isLost: false,
    });
    return true;
  }

  /** The type of an element; null, and a fault, when its xsi:type is none for it. */
  #typeOf(tag: StartTag, declared: number): number | null {
    if (tag.attributes.length === 0) return declared;
    const written = tag.attributes.find(({ uri, local }) => uri === XSI && local === 'type')?.value.trim();
    if (written === undefined) return declared;
    const shown = this.#shown(tag);
    const colon = written.indexOf(':');
    const uri = tag.resolve(written.slice(0, Math.max(colon, 0))) ?? '';
    const key =
      uri === 'http://www.w3.org/2001/XMLSchema'
        ? `xs:${written.slice(colon + 1)}`
        : this.#schema.name(uri, written.slice(colon + 1));
    const { typeNames } = this.#schema.facts;
    const type = Object.hasOwn(typeNames, key) ? typeNames[key] : undefined;
    if (type === undefined) {
      this.#fault(tag.line, `${shown} has the xsi:type ${written}, which the schemas lack.`);
      return null;
    }
    if (this.#schema.isDerived(type, declared)) return type;
    this.#fault(tag.line, `${shown} has the xsi:type ${written}, which is not made from its type.`);
    return null;
  }

  #isNil(tag: StartTag, declaration: ElementFacts | null): boolean {
    if (tag.attributes.length === 0) return false;
    const nil = tag.attributes.find(({ uri, local }) => uri === XSI && local === 'nil')?.value.trim();
    if (nil === undefined) return false;
    const shown = this.#shown(tag);
    if (!/^(?:true|false|0|1)$/.test(nil)) this.#fault(tag.line, `${shown}: xsi:nil is no boolean.`);
    else if (declaration?.nillable !== 1) this.#fault(tag.line, `${shown} has xsi:nil, and may not be nil.`);
    else return nil === 'true' || nil === '1';
    return false;
  }

  #leave(frame: Frame): void {
    const { type, simple, line } = frame;
    if (frame.isCompared) return;
    if (simple === null && !frame.isNil && !frame.hasText && frame.state?.isEnd !== false) return;
    const shown = this.#schema.show(frame.name);
    if (frame.isNil) {
      if (frame.hasText || frame.text !== '') this.#fault(line, `${shown} is nil, and has a text.`);
      return;
    }
    if (simple !== null) {
      const faults = this.#schema.simpleTypes.faults(simple, frame.text);
      for (const fault of faults) {
        const isOnlyDay = fault === 'is no dateTime' && DAY.test(frame.text);
        const message = `${shown} has the value ${excerpt(frame.text)}, which ${fault}.`;
        this.#fault(line, message, isOnlyDay ? 'date' : 'other');
      }
      const fixed = frame.declaration?.fixed;
      if (faults.length === 0 && fixed !== undefined && frame.text !== '' && frame.text !== fixed) {
        this.#fault(line, `${shown} has the value ${excerpt(frame.text)} in place of ${fixed}.`);
      }
      return;
    }
    if (frame.hasText && isComplex(type) && type.mixed !== 1) {
      this.#fault(line, `${shown} has a text, and by its type may not.`);
    }
    if (frame.state?.isEnd === false && !frame.isDisordered) {
      const expected = this.#schema.model(type)!.expected(frame.state);
      this.#fault(line, `${shown} lacks child elements; expected: ${expected}.`);
    }
  }

  #shown({ uri, local }: StartTag): string {
    return this.#schema.hasNamespace(uri)
      ? this.#schema.show(this.#schema.name(uri, local))
      : `{${uri}}:${local}`;
  }
}

function excerpt(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
