import { type ArchiveSink, BufferedSink } from '../buffered-sink.ts';
import { MemberTable } from '../index/member-table.ts';
import { MemberDamaged } from '../member-damaged.ts';
import { encodeName, InvalidMemberName } from '../member-name.ts';
import { NameSet } from '../tables/name-set.ts';
import { fromDosTime, MAX_U32, toDosTime } from '../zip-format.ts';
import { endRecords, localHeader, type RecordFields, sizesNeedZip64 } from '../zip-records.ts';

export type { ArchiveSink } from '../buffered-sink.ts';

export interface OpenOptions {
  /** Milliseconds since 1970. */
  modified: number;
  method: 0 | 8;
  /**
   * Uncompressed bytes that the member will have at most. Room for Zip64 sizes (20 bytes) is left in the header
   * when the member could pass 4 GiB, and when this is absent.
   */
  size?: number;
}

/** What is known when a member's data is complete. */
export interface MemberTotals {
  /** CRC-32 of the uncompressed bytes. */
  crc32: number;
  /** Uncompressed bytes. */
  size: number;
  /** Bytes written; must be what was written. */
  compressedSize: number;
}

/** Where a member went. */
export interface WrittenMember extends MemberTotals {
  name: string;
  method: 0 | 8;
  /** As the zip keeps it: milliseconds since 1970, even seconds. */
  modified: number;
  headerOffset: number;
  /** Where its data begins in the archive. */
  offset: number;
}

/** A member that is being written; end it with `close` or `abandon`. */
export interface OpenMember {
  /** Where its data begins in the archive. */
  readonly offset: number;
  /** Appends bytes as they shall lie in the archive: compressed already when the method is 8. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Completes the member. When the totals cannot be true it throws (MemberDamaged when other than
   * `compressedSize` bytes were written, else a RangeError) and leaves the member to be abandoned.
   */
  close(totals: MemberTotals): Promise<WrittenMember>;
  /** Takes the member back as if it had never been opened; its name may be used again. */
  abandon(): Promise<void>;
}

/** The largest declared size whose deflate data, in blocks and incompressible, surely stays below 4 GiB. */
const SURELY_SMALL = 0.99 * MAX_U32;

/**
 * Writes a zip in one pass: UTF-8 names, no data descriptors, Zip64 where it is needed, and the same bytes
 * for the same members. One member at a time; what the central directory says is kept in a MemberTable until `finish`.
 *
 * ```
 *            open            close / copy
 *   ready ─────────▶ member ─────────────▶ ready ──finish──▶ finished
 *     ▲                │
 *     └───abandon──────┘  the sink is rewound to the member's header
 * ```
 *
 * Bytes that a sink has already sent elsewhere cannot be taken back: such a sink needs a local file before it.
 */
export class ArchiveWriter {
  readonly #sink: BufferedSink;
  readonly #members: MemberTable;
  readonly #names: NameSet;
  #state: 'ready' | 'member' | 'finished' = 'ready';

  /** `members`: an empty table that the caller wants to read afterwards, or that has room for all that will come. */
  constructor(sink: ArchiveSink, members: MemberTable = new MemberTable()) {
    this.#sink = new BufferedSink(sink);
    this.#members = members;
    this.#names = new NameSet(members.expected);
  }

  /** Members completed so far. */
  get count(): number {
    return this.#members.count;
  }

  /** Bytes so far. */
  get position(): number {
    return this.#sink.position;
  }

  /**
   * Writes a member whose compressed bytes and totals are known. When the chunks are not exactly
   * `compressedSize` bytes, or throw, the member is taken back and the error thrown.
   */
  async copy(
    name: string,
    meta: MemberTotals & { method: 0 | 8; modified: number },
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<WrittenMember> {
    const member = await this.#begin(name, meta, sizesNeedZip64(meta), meta);
    try {
      for await (const chunk of chunks) await member.write(chunk);
      return await member.close(meta);
    } catch (error) {
      await member.abandon();
      throw error;
    }
  }

  /** Begins a member whose totals are not known yet. Throws InvalidMemberName for a name that is unsafe or taken. */
  open(name: string, options: OpenOptions): Promise<OpenMember> {
    const zip64 = !((options.size ?? Number.POSITIVE_INFINITY) < SURELY_SMALL);
    return this.#begin(name, options, zip64, null);
  }

  /** Writes the central directory. Throws when a member is open. */
  async finish(): Promise<{ size: number; count: number; directoryOffset: number }> {
    this.#assertReady();
    this.#state = 'finished';
    const offset = this.#sink.position;
    for (let i = 0; i < this.count; i++) await this.#sink.write(this.#members.centralRecord(i));
    const size = this.#sink.position - offset;
    await this.#sink.write(endRecords({ count: this.count, offset, size }));
    await this.#sink.flush();
    return { size: this.#sink.position, count: this.count, directoryOffset: offset };
  }

  #assertReady(): void {
    if (this.#state !== 'ready')
      throw new Error(
        `the archive cannot go on: ${this.#state === 'member' ? 'a member is open' : 'it is finished'}`,
      );
  }

  /** Writes the header: the final one when the totals are known, else one of the same length that `close` replaces. */
  async #begin(
    name: string,
    options: { method: 0 | 8; modified: number },
    zip64: boolean,
    totals: MemberTotals | null,
  ): Promise<OpenMember> {
    this.#assertReady();
    const nameBytes = encodeName(name);
    if (this.#taken(nameBytes)) throw new InvalidMemberName('MEMBER_DUPLICATE', name);
    this.#state = 'member';
    const sink = this.#sink;
    const headerOffset = sink.position;
    const { method } = options;
    const modified = fromDosTime(toDosTime(options.modified));
    const nothing = { crc32: 0, size: 0, compressedSize: 0 };
    const header = localHeader(nameBytes, { method, modified, ...(totals ?? nothing) }, zip64);
    await sink.write(header);
    const offset = sink.position;

    let ended = false;
    const assertOpen = () => {
      if (ended) throw new Error(`the member ${name} has ended`);
    };
    return {
      offset,
      write: (bytes) => {
        assertOpen();
        return sink.write(bytes);
      },
      close: async ({ crc32, size, compressedSize }) => {
        assertOpen();
        const fields: RecordFields = { method, modified, crc32, size, compressedSize };
        checkTotals(name, fields, sink.position - offset, zip64);
        if (totals === null) await sink.patch(headerOffset, localHeader(nameBytes, fields, zip64));
        ended = true;
        this.#names.add(nameBytes, this.count, () => false);
        this.#members.push(nameBytes, fields, offset, zip64);
        this.#state = 'ready';
        return { name, ...fields, headerOffset, offset };
      },
      abandon: async () => {
        if (ended) return;
        ended = true;
        await sink.rewind(headerOffset);
        this.#state = 'ready';
      },
    };
  }

  #taken(nameBytes: Uint8Array): boolean {
    return this.#names.find(nameBytes, (other) => this.#members.names.equals(other, nameBytes)) !== -1;
  }
}

function checkTotals(name: string, fields: RecordFields, written: number, zip64: boolean): void {
  if (fields.compressedSize !== written) {
    throw new MemberDamaged(
      'TRUNCATED',
      name,
      `It has ${written} bytes of data; ${fields.compressedSize} were announced.`,
    );
  }
  if (fields.method === 0 && fields.size !== fields.compressedSize) {
    throw new RangeError(`${name} is stored, but its sizes are ${fields.compressedSize} and ${fields.size}`);
  }
  if (!zip64 && sizesNeedZip64(fields)) {
    throw new RangeError(`${name} has ${fields.size} bytes, more than was declared when it was opened`);
  }
}
