import { readDecimal } from '@citymodel/base';
import type { PropertyKind } from '../schema/property-table.ts';

/**
 * The JSON value of a simple property's text by the lexical rules of XML Schema part 2, white space collapsed.
 * Numbers become JSON numbers where the schema says number; codes, dates, years, URIs and strings stay text, and
 * so does what is no number after all (`Null`, `INF`) or would lose digits (integers beyond 2^53). A property that
 * the table does not know is a number only when it has a unit. Empty text is null, except for strings.
 *
 * @param uom true when the element has a unit
 */
export function simpleValue(kind: PropertyKind, text: string, uom: boolean): unknown {
  const value = text.trim();
  switch (kind) {
    case 'number':
    case 'integer':
    case 'measure':
      return value === '' ? null : numberOf(value);
    case 'numbers':
      return value === '' ? [] : value.split(/\s+/).map(numberOf);
    case 'boolean':
      return value === '' ? null : booleanOf(value);
    case 'unknown':
      return uom && value !== '' ? numberOf(value) : value;
    default:
      return value;
  }
}

/** The number that the text stands for, or the text itself when it stands for none that JSON can hold. */
export function numberOf(text: string): number | string {
  const value = readDecimal(text);
  if (value === null) return text;
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !/[.eE]/.test(text) ? text : value;
}

function booleanOf(text: string): boolean | string {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return text;
}
