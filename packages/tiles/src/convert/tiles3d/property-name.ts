/** Names of columns as identifiers of EXT_structural_metadata, which allows ASCII letters, digits and `_` only. */
import { createHash } from 'node:crypto';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const known = new Map<string, string>();
/** Enough for any honest package. */
const REMEMBERED = 10_000;

/**
 * The identifier of a published name: itself where that is one, with `_` for `:` (`bldg_measuredHeight`, as in vector
 * tiles), else `x_` and 8 hexadecimal digits of its SHA-256. The published name stands beside it as `name`.
 */
export function propertyId(name: string): string {
  let id = known.get(name);
  if (id === undefined) {
    const plain = name.replaceAll(':', '_');
    id = IDENTIFIER.test(plain) ? plain : hashedId(name);
    if (known.size < REMEMBERED) known.set(name, id);
  }
  return id;
}

/** For a name that is no identifier, or whose identifier another column has. */
export function hashedId(name: string): string {
  return `x_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
