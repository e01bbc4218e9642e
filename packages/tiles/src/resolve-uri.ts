/** What a URI in a document of a package points at. */
export type ResolvedUri =
  | { kind: 'member'; path: string }
  /** A `data:` URI: the bytes are in the document. */
  | { kind: 'inline' }
  /** A URL with a scheme or host (`isForeign`), or a path from the root of whatever server. */
  | { kind: 'absolute'; isForeign: boolean }
  /** `..` beyond the package's root. */
  | { kind: 'escaping' };

/**
 * Resolves a URI against the member that holds it (RFC 3986, section 5): query and fragment are cut, `.` and `..`
 * followed, percent-encoding decoded.
 *
 * ```ts
 * resolveUri('tiles/tileset.json', '../data/0%201.b3dm') // { kind: 'member', path: 'data/0 1.b3dm' }
 * ```
 */
export function resolveUri(from: string, uri: string): ResolvedUri {
  if (/^data:/i.test(uri)) return { kind: 'inline' };
  // Browsers drop tabs and line feeds, and blanks before a URL, and take a backslash for a slash.
  const seen = uri.replace(/[\t\r\n]/g, '').replace(/^[\0-\x20]+/, '');
  if (/^[a-z][a-z0-9+.-]*:/i.test(seen)) return { kind: 'absolute', isForeign: true };
  if (/^[/\\]/.test(seen)) return { kind: 'absolute', isForeign: /^[/\\]{2}/.test(seen) };
  const cut = uri.search(/[?#]/);
  let plain = cut === -1 ? uri : uri.slice(0, cut);
  try {
    plain = decodeURIComponent(plain);
  } catch {
    // A lone percent sign is not encoding; then the name is meant literally.
  }
  const parts = from.split('/').slice(0, -1);
  for (const part of plain.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return { kind: 'escaping' };
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return { kind: 'member', path: parts.join('/') };
}
