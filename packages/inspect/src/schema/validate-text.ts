/** Compares the text of a file with the schemas of its root element. */

import { iurModule } from '@citymodel/citygml';
import { TagReader } from './read-tags.ts';
import { type Schema, schemaFor } from './schema.ts';
import type { StartTag } from './tags.ts';
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
  const distinct = new DistinctFaults(hooks.onFault);
  let validator: SchemaValidator | null = null;
  let isOver = false;
  const reader = new TagReader({
    start(tag) {
      if (isOver) return;
      validator ??= validatorFor(tag, hooks, distinct);
      if (validator === null) isOver = true;
      else validator.start(tag);
    },
    end: () => validator?.end(),
    wanted: () => validator?.wanted() ?? 'nothing',
    text: (part) => validator?.text(part),
    doubles: () => validator?.doubles(),
  });
  for await (const chunk of text) {
    reader.push(chunk);
    if (isOver) return;
  }
}

/** For the root element of a file; null where no schemas are known. */
function validatorFor(
  { uri, local }: StartTag,
  hooks: ValidationHooks,
  distinct: DistinctFaults,
): SchemaValidator | null {
  const schema = schemaFor(uri);
  if (schema === null) {
    hooks.skipped(`No schemas are known for the root element {${uri.slice(0, 200)}}${local}.`);
    return null;
  }
  return new SchemaValidator(schema, {
    onFault: (fault) => distinct.add(fault),
    isPassedOver: unknownVersions(schema, hooks),
    goesOn: hooks.goesOn ?? false,
  });
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
