/** A range of bytes; `offset` from the start of whatever it lies in. */
export interface ByteRange {
  offset: number;
  length: number;
}

/** One member of an archive, with all that is needed to serve it without reading the zip's directory. */
export interface Member {
  /**
   * Path relative to the package root, `/`-separated (the archive's own member name may have the root directory before
   * it).
   */
  path: string;
  /** Zip compression method (APPNOTE 4.4.5): 0 stored, 8 deflate. */
  method: 0 | 8;
  /** Where the member's data begins in the archive, after its local header. */
  offset: number;
  /** Bytes in the archive. */
  compressedSize: number;
  /** Bytes uncompressed. */
  size: number;
  /** CRC-32 of the uncompressed bytes, unsigned. */
  crc32: number;
  /** SHA-256 of the uncompressed bytes, 32 bytes. */
  sha256: Uint8Array;
  /** Modification time from the zip, milliseconds since 1970, even seconds. */
  modified: number;
  /** Sections of the index object (not of the archive) that belong to this member; absent where there is none. */
  sections: Partial<Record<SectionName, ByteRange>>;
}

/**
 * `blocks`: block table of a seekable member; `features`: feature index of a GML; `dependencies`: paths that a
 * GML refers to, UTF-8, one a line, `!` before a path that the package lacks; `checks`: CRC-32 of blocks and sections;
 * `pieces`: where inflating may start within blocks.
 */
export type SectionName = 'blocks' | 'features' | 'dependencies' | 'checks' | 'pieces';
