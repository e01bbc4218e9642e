/** Larger schemas are taken along without being looked into, bytes. The largest of i-UR has a fifth of it. */
export const MAX_SCHEMA_BYTES = 4 << 20;
/** Longest location that is followed, characters, and how many of one schema are. */
const MAX_LOCATION = 2_000;
const MAX_LOCATIONS = 10_000;

// Neither part can begin inside the other, so that the time is linear in the text.
const ELEMENT = /<(?:[\w.-]+:)?(?:import|include|redefine|override)\b[^<>]*>/g;
const LOCATION = /\sschemaLocation\s*=\s*(?:"([^"]*)"|'([^']*)')/;

/**
 * Relative locations that a schema's text imports or includes (XML Schema 1.1 Part 1, sections 4.2.3 to 4.2.6), each
 * once, as written. Addresses on the web are left out. Comments are not parsed: a location in one brings a file too
 * many.
 */
export function schemaImports(text: string): string[] {
  const found = new Set<string>();
  for (const [element] of text.matchAll(ELEMENT)) {
    const match = LOCATION.exec(element);
    const location = (match?.[1] ?? match?.[2] ?? '').trim();
    if (location.length > MAX_LOCATION || found.size === MAX_LOCATIONS) continue;
    if (location !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(location)) found.add(location);
  }
  return [...found];
}
