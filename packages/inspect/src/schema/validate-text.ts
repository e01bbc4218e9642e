/** Compares the text of a file with the schemas of its root element. */

import { iurModule } from '@citymodel/citygml';
import { SaxesParser } from 'saxes';
import { type Schema, schemaFor } from './schema.ts';
import { type SchemaFault, SchemaValidator } from './validator.ts';

export interface ValidationHooks {
  /** The same message in the same line is one fault. */
  onFault(fault: SchemaFault): void;
  /** Something was not compared. */
  skipped(reason: string): void;
  /** Goes on in an element after a child in the wrong order. */
  goesOn?: boolean;
}

/** Reads a text that is well-formed to its end. Throws what reading it throws. */
export async function validateText(text: AsyncIterable<Uint8Array>, hooks: ValidationHooks): Promise<void> {
  const parser = new SaxesParser({ xmlns: true });
  const distinct = new DistinctFaults(hooks.onFault);
  let validator: SchemaValidator | null = null;
  let isOver = false;
  parser.on('opentag', (tag) => {
    if (isOver) return;
    if (validator === null) {
      const schema = schemaFor(tag.uri);
      if (schema === null) {
        isOver = true;
        hooks.skipped(`No schemas are known for the root element {${tag.uri.slice(0, 200)}}${tag.local}.`);
        return;
      }
      const isPassedOver = unknownVersions(schema, hooks);
      const goesOn = hooks.goesOn ?? false;
      validator = new SchemaValidator(schema, {
        onFault: (fault) => distinct.add(fault),
        isPassedOver,
        goesOn,
      });
    }
    validator.start({
      uri: tag.uri,
      local: tag.local,
      attributes: Object.values(tag.attributes),
      line: parser.line,
      resolve: (prefix) => parser.resolve(prefix),
    });
  });
  parser.on('text', (part) => validator?.text(part));
  parser.on('cdata', (part) => validator?.text(part));
  parser.on('closetag', () => validator?.end());
  parser.on('error', ({ message }) => {
    if (!isOver) hooks.skipped(`The rest of the file was not compared with the schemas: ${message}.`);
    isOver = true;
  });
  const decoder = new TextDecoder();
  for await (const chunk of text) {
    if (isOver) return;
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  if (!isOver) parser.write(decoder.decode()).close();
}

/** Versions of i-UR whose schemas are not here are named once each, and are no faults. */
function unknownVersions(schema: Schema, hooks: ValidationHooks): (uri: string) => boolean {
  const known = new Map<string, boolean>();
  return (uri) => {
    let isUnknown = known.get(uri);
    if (isUnknown === undefined) {
      const address = uri.replace(/^https?:\/\//, '').toLowerCase();
      isUnknown = !schema.hasNamespace(uri) && iurModule(address) !== null;
      if (isUnknown) hooks.skipped(`No schema is known for ${uri}: its elements were not compared.`);
      if (known.size < 1000) known.set(uri, isUnknown);
    }
    return isUnknown;
  };
}

/** Faults of a line come one after the other, except for those that an end tag tells of its start tag. */
class DistinctFaults {
  readonly #onFault: (fault: SchemaFault) => void;
  readonly #seen = new Set<string>();

  constructor(onFault: (fault: SchemaFault) => void) {
    this.#onFault = onFault;
  }

  add(fault: SchemaFault): void {
    const key = `${fault.line} ${fault.message}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= REMEMBERED) this.#seen.clear();
    this.#seen.add(key);
    this.#onFault(fault);
  }
}

/** Faults that are compared with later ones. */
const REMEMBERED = 100_000;
