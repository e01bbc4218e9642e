/** Schemas that somebody brings along, in place of the facts of the program. */

/** One XSD. */
export interface XsdFile {
  /** Path below the directory of the XSDs, with slashes. */
  path: string;
  bytes: Uint8Array;
}

export interface OwnFault {
  /** 1-based line of the element. */
  line: number;
  message: string;
}

/** What a comparison of one text found. */
export interface OwnComparison {
  /** The same message in the same line is one fault. */
  faults: OwnFault[];
  /** Faults that are counted and not kept. */
  left: number;
  /** Why the text was not compared, a full sentence; null where it was. */
  skipped: string | null;
}

export interface OwnSchemas {
  /** Compares a text of that many bytes. Throws SchemasRefused for XSDs that are no schema, and what reading throws. */
  compare(bytes: number, text: AsyncIterable<Uint8Array>): Promise<OwnComparison>;
}

/** XSDs that cannot be used; the message is a full sentence. */
export class SchemasRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SchemasRefused';
  }
}
