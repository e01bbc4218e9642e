import { createHash } from 'node:crypto';

/**
 * The id of the pack of these URLs: lower-case hex SHA-256 of the URLs, de-duplicated, sorted by their bytes and joined
 * with `,` (docs/interface/decisions.md, section 5). The same set has the same id, no matter who asks. Options that
 * change the zip are part of the id: `name=value`, sorted by name, each after a line feed, which no URL holds; without
 * options nothing is added.
 *
 * ```ts
 * packId(['https://h/b.gml', 'https://h/a.gml', 'https://h/b.gml']);
 * // sha256('https://h/a.gml,https://h/b.gml')
 * ```
 */
export function packId(urls: Iterable<string>, options: Readonly<Record<string, string>> = {}): string {
  const sorted = [...new Set(urls)].map((url) => Buffer.from(url, 'utf8')).sort(Buffer.compare);
  const hash = createHash('sha256');
  sorted.forEach((url, i) => {
    if (i > 0) hash.update(',');
    hash.update(url);
  });
  for (const name of Object.keys(options).sort()) hash.update(`\n${name}=${options[name]}`);
  return hash.digest('hex');
}

/** What the id of a pack looks like. */
export const PACK_ID = /^[0-9a-f]{64}$/;

/** True for what can be the id of a pack. */
export function isPackId(text: string): boolean {
  return PACK_ID.test(text);
}

/**
 * Where the objects of a pack lie; those of its runs are `{prefix}{run}.layout`, or `{prefix}{run}.zip` with the sums
 * of its pages in `{prefix}{run}.zip.sums`.
 */
export function packPrefix(id: string): string {
  return `packs/${id.slice(0, 2)}/${id}/`;
}

/** The run whose object this is, or null for an object that is none of a pack's. */
export function runOf(key: string): number | null {
  const match = /\/(\d+)\.(?:layout|zip|zip\.sums)$/.exec(key);
  return match === null ? null : Number(match[1]);
}
