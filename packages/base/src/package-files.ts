/**
 * Read access to the members of one package, wherever they are: a zip that is being ingested, a directory, an archive.
 */
export interface PackageFiles {
  /** Paths relative to the package root, `/`-separated, in no particular order. Directories are not listed. */
  paths(): Iterable<string>;
  /** Uncompressed size in bytes, or undefined when there is no such member. */
  size(path: string): number | undefined;
  /** The whole member, uncompressed; null when there is none. Throws a RangeError for more than `limit` bytes. */
  read(path: string, limit?: number): Promise<Uint8Array | null>;
}
