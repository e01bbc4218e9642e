/** The light tree that XML is read into, and why a text is none. */

/** One element. Names are qualified with the canonical prefix of their namespace, whatever the file uses. */
export interface XmlElement {
  name: string;
  /** By canonical name; namespace declarations are not among them. */
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /**
   * Character data of the element itself, without that of its children and not trimmed; empty when there is only white
   * space beside children.
   */
  text: string;
}

/** The bytes are not a well-formed element. */
export class FeatureXmlError extends Error {
  /** Offset in the bytes that were given. */
  readonly byte: number;

  constructor(message: string, byte: number) {
    super(`${message} at byte ${byte}`);
    this.name = 'FeatureXmlError';
    this.byte = byte;
  }
}

/** Elements below each other; real features stay under 30. */
export const MAX_DEPTH = 200;

/** Elements nest deeper than `MAX_DEPTH`, in a text that may be well formed. */
export class FeatureTooDeep extends FeatureXmlError {
  constructor(byte: number) {
    super(`Elements nest deeper than ${MAX_DEPTH}`, byte);
    this.name = 'FeatureTooDeep';
  }
}

/** Those of an element that has none: the same object for all of them. */
export const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** The part of a qualified name after the prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The prefix of a qualified name, empty when there is none. */
export function prefixOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? '' : name.slice(0, colon);
}
