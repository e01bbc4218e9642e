/**
 * What an operator hands over, read the same way whether it is a zip, a directory or a PMTiles file:
 * a list of members and their bytes.
 */
import type { Issue } from '@citymodel/base';
import type { ByteList } from '@citymodel/zip';

export interface UploadMember {
  /** Name as the upload has it, `/`-separated, checked: it cannot leave the package. */
  name: string;
  /** Uncompressed bytes; for a directory the size when it was listed. */
  size: number;
  /** CRC-32 where the upload tells it before reading. */
  crc32: number | null;
  /** Modification time, milliseconds since 1970. */
  modified: number;
}

/** Chunks of a member as it is stored in the upload, when that is something an archive can keep as it is. */
export interface RawMember {
  method: 0 | 8;
  compressedSize: number;
  crc32: number;
}

export interface ReadOptions {
  /** Takes the member's stored bytes at the same time, in order. */
  onRaw?: (chunk: Uint8Array) => void | Promise<void>;
  /** A chunk need only be good until the next one is asked for. */
  lent?: boolean;
}

export interface Upload extends AsyncDisposable {
  /** Where it is, for messages. */
  readonly location: string;
  /** File or directory name without `.zip` or `.pmtiles`. */
  readonly name: string;
  /** What was left out or is odd about the container itself. */
  readonly issues: readonly Issue[];
  /** Names of all members in their order, and of directories in between, which end in `/`. */
  readonly names: ByteList;
  /** Bytes of the uploaded file; for a directory of all files. */
  readonly uploadBytes: number;
  members(): Iterable<UploadMember>;
  /** The member that has this number in `names`, which must not be a directory's. */
  member(i: number): UploadMember;
  /** How the member may be copied without compressing again; null when it must be compressed. */
  raw(member: UploadMember): RawMember | null;
  /** The member's uncompressed bytes. Throws MemberDamaged when they are not what the container promised. */
  read(member: UploadMember, options?: ReadOptions): AsyncIterable<Uint8Array>;
  /** Gives back what the list of members takes, which may be the most of all; none can be asked for any more. */
  release(): void;
}

/** A whole upload that cannot go in; `reason` is for the operator. */
export class PackageRefused extends Error {
  readonly code: string;
  readonly reason: string;
  constructor(code: string, reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = 'PackageRefused';
    this.code = code;
    this.reason = reason;
  }
}

/**
 * A package whose reading would take more memory, time or room than any honest one: it is refused as a whole, with an
 * issue that names the member.
 */
export class OverBudget extends PackageRefused {
  readonly member: string | null;

  /** `member`: path in the package, null for the upload itself. `what`: a full sentence with the limit. */
  constructor(member: string | null, what: string) {
    super('OVER_BUDGET', member === null ? what : `${member}: ${what}`);
    this.name = 'OverBudget';
    this.member = member;
  }

  issue(): Issue {
    return { code: 'OVER_BUDGET', severity: 'error', member: this.member, message: this.reason };
  }
}
