/** Texts and the simple types of XML Schema (part 2): what is wrong with a value. */

import { type Facet, isComplex, type SimpleFacts, type TypeFacts } from './facts.ts';
import { schemaPattern } from './schema-pattern.ts';

const ZONE = '(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d|[+-]14:00)?';
const DAY = '-?(?:[1-9]\\d{4,}|\\d{4})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])';
const TIME = '(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?|24:00:00(?:\\.0+)?)';
const NC_NAME = '[\\p{L}_][\\p{L}\\p{M}\\p{N}._·-]*';

/** Lexical forms of the types that texts are not free in; white space is collapsed before. */
const FORMS: Readonly<Record<string, RegExp>> = {
  boolean: /^(?:true|false|1|0)$/,
  decimal: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/,
  double: /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$/,
  integer: /^[+-]?\d+$/,
  nonNegativeInteger: /^(?:\+?\d+|-0+)$/,
  positiveInteger: /^\+?0*[1-9]\d*$/,
  date: new RegExp(`^${DAY}${ZONE}$`),
  dateTime: new RegExp(`^${DAY}T${TIME}${ZONE}$`),
  time: new RegExp(`^${TIME}${ZONE}$`),
  gYear: new RegExp(`^-?(?:[1-9]\\d{4,}|\\d{4})${ZONE}$`),
  gYearMonth: new RegExp(`^-?(?:[1-9]\\d{4,}|\\d{4})-(?:0[1-9]|1[0-2])${ZONE}$`),
  duration: /^-?P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/,
  language: /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/,
  NCName: new RegExp(`^${NC_NAME}$`, 'u'),
  ID: new RegExp(`^${NC_NAME}$`, 'u'),
  IDREF: new RegExp(`^${NC_NAME}$`, 'u'),
  QName: new RegExp(`^(?:${NC_NAME}:)?${NC_NAME}$`, 'u'),
  Name: /^[\p{L}_:][\p{L}\p{M}\p{N}.:_·-]*$/u,
  NMTOKEN: /^[\p{L}\p{M}\p{N}.:_·-]+$/u,
};
/** Types whose white space counts. */
const FREE = new Set(['string', 'anySimpleType']);

/** How the fault of an item begins. */
const ITEM = 'has the item';

export class SimpleTypes {
  readonly #types: readonly TypeFacts[];
  readonly #doubles = new Map<number, boolean>();
  readonly #patterns = new Map<string, RegExp>();

  constructor(types: readonly TypeFacts[]) {
    this.#types = types;
  }

  /** What is wrong with a text, in words that follow "the value"; null for nothing. */
  fault(type: number, text: string): string | null {
    return this.#fault(this.#type(type), text);
  }

  /** As `fault`, in the counting of libxml2: an item of a list is one fault, and the list that has it another. */
  faults(type: number, text: string): string[] {
    const fault = this.fault(type, text);
    if (fault === null) return [];
    return fault.startsWith(ITEM) ? [fault, 'is no list of its type'] : [fault];
  }

  /** The text as the type has it, with white space collapsed or kept. */
  normalised(type: number, text: string): string {
    return this.#isFree(this.#type(type)) ? text : collapsed(text);
  }

  /** True for lists of doubles without further conditions: positions. */
  areDoubles(type: number): boolean {
    let are = this.#doubles.get(type);
    if (are === undefined) {
      const { list } = this.#type(type);
      are = list !== undefined && this.#type(list).builtin === 'double';
      this.#doubles.set(type, are);
    }
    return are;
  }

  /** True for types of identifiers that a document has once. */
  isId(type: number): boolean {
    return this.#builtin(this.#type(type)) === 'ID';
  }

  #type(at: number): SimpleFacts {
    const type = this.#types[at]!;
    return isComplex(type) ? { builtin: 'anySimpleType' } : type;
  }

  #builtin(type: SimpleFacts): string | null {
    if (type.builtin !== undefined) return type.builtin;
    return type.base === undefined ? null : this.#builtin(this.#type(type.base));
  }

  #isFree(type: SimpleFacts): boolean {
    if (type.facets?.some(({ kind, values }) => kind === 'whiteSpace' && values[0] === 'collapse'))
      return false;
    if (type.base !== undefined) return this.#isFree(this.#type(type.base));
    return type.union !== undefined || (type.builtin !== undefined && FREE.has(type.builtin));
  }

  #fault(type: SimpleFacts, text: string): string | null {
    if (type.list !== undefined) return this.#listFault(type.list, text);
    if (type.union !== undefined) {
      const isOne = type.union.some((member) => this.fault(member, text) === null);
      return isOne ? null : 'is of none of the types that it may have';
    }
    if (type.base !== undefined) {
      const base = this.#type(type.base);
      const fault = this.#fault(base, text);
      if (fault !== null) return fault;
      const value = this.#isFree(type) ? text : collapsed(text);
      for (const facet of type.facets ?? []) {
        const broken = this.#facetFault(facet, value, base);
        if (broken !== null) return broken;
      }
      return null;
    }
    const form = FORMS[type.builtin!];
    if (form === undefined) return null;
    const value = collapsed(text);
    if (!form.test(value)) return `is no ${type.builtin}`;
    return /^date/.test(type.builtin!) && !isDay(value) ? `is no ${type.builtin}` : null;
  }

  #listFault(item: number, text: string): string | null {
    const type = this.#type(item);
    const form = type.builtin === undefined ? undefined : FORMS[type.builtin];
    for (const [value] of text.matchAll(/[^ \t\r\n]+/g)) {
      if (form?.test(value)) continue;
      const fault = this.#fault(type, value);
      if (fault !== null) return `${ITEM} ${value.slice(0, 100)}, which ${fault}`;
    }
    return null;
  }

  #facetFault({ kind, values }: Facet, value: string, base: SimpleFacts): string | null {
    const [first] = values as [string];
    switch (kind) {
      case 'enumeration':
        return this.#isListed(values, value, base) ? null : `is none of ${short(values)}`;
      case 'pattern':
        return values.some((one) => this.#pattern(one).test(value))
          ? null
          : `does not match ${short(values)}`;
      case 'length':
        return this.#length(value, base) === Number(first) ? null : `has not the length ${first}`;
      case 'minLength':
        return this.#length(value, base) >= Number(first) ? null : `is shorter than ${first}`;
      case 'maxLength':
        return this.#length(value, base) <= Number(first) ? null : `is longer than ${first}`;
      case 'minInclusive':
        return Number(value) >= Number(first) ? null : `is less than ${first}`;
      case 'maxInclusive':
        return Number(value) <= Number(first) ? null : `is more than ${first}`;
      case 'maxExclusive':
        return Number(value) < Number(first) ? null : `is not less than ${first}`;
      default:
        return null;
    }
  }

  #isListed(values: readonly string[], value: string, base: SimpleFacts): boolean {
    if (values.includes(value)) return true;
    const isNumber = /^(?:double|decimal|.*[iI]nteger)$/.test(this.#builtin(base) ?? '');
    return isNumber && values.some((one) => Number(one) === Number(value));
  }

  #length(value: string, base: SimpleFacts): number {
    return this.#isList(base) ? (value.match(/[^ \t\r\n]+/g) ?? []).length : [...value].length;
  }

  #isList(type: SimpleFacts): boolean {
    return type.list !== undefined || (type.base !== undefined && this.#isList(this.#type(type.base)));
  }

  #pattern(written: string): RegExp {
    let pattern = this.#patterns.get(written);
    if (pattern === undefined) {
      pattern = schemaPattern(written);
      this.#patterns.set(written, pattern);
    }
    return pattern;
  }
}

function collapsed(text: string): string {
  const trimmed = text.replace(/^[ \t\r\n]+/, '').replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '');
  return /[\t\r\n]| {2}/.test(trimmed) ? trimmed.replace(/[ \t\r\n]+/g, ' ') : trimmed;
}

/** True for a day that its month has. */
function isDay(value: string): boolean {
  const [, year, month, day] = /^-?(\d+)-(\d\d)-(\d\d)/.exec(value)!;
  return Number(day) <= new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
}

function short(values: readonly string[]): string {
  return values.length > 10 ? `${values.slice(0, 10).join(', ')}, …` : values.join(', ');
}
