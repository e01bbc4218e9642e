/** Whether there is room for one more upload: in number, and on the disk. */
import { ConcurrencyLimit } from '@citymodel/base';

/** An upload that is on the disk, with bytes of the whole and those that are here. */
export interface BegunUpload {
  id: string;
  size: number;
  received: number;
}

export interface UploadRoomOptions {
  /** Uploads that may be under way. */
  maxCount: number;
  /** Those on the disk. */
  list(): Promise<readonly BegunUpload[]>;
  /** Bytes that the disk has free. */
  free(): Promise<number>;
}

/** Bytes that uploads leave to the catalogue, which lies on the same disk and has to grow. */
const RESERVE = 64 * 2 ** 20;

export class UploadRoom {
  readonly #options: UploadRoomOptions;
  /** Bytes of uploads that are allowed and may not be on the disk yet, by id. */
  readonly #beginning = new Map<string, number>();
  readonly #one = new ConcurrencyLimit(1);

  constructor(options: UploadRoomOptions) {
    this.#options = options;
  }

  /**
   * Keeps room for an upload until `begun` says that it is on the disk, or never will be. Gives why there is none, and
   * null when there is.
   */
  async take(id: string, size: number): Promise<{ status: 409 | 507; reason: string } | null> {
    // One after the other: each sees the one before, on the disk or among those that begin.
    return this.#one.run(async () => {
      // Before the disk is looked at: who leaves the list meanwhile is seen there.
      const remaining = new Map(this.#beginning);
      for (const upload of await this.#options.list())
        remaining.set(upload.id, upload.size - upload.received);
      const { maxCount } = this.#options;
      if (remaining.size >= maxCount) {
        return {
          status: 409,
          reason: `There are ${maxCount} uploads already (UPLOAD_MAX_COUNT); finish or delete one.`,
        };
      }
      const promised = [...remaining.values()].reduce((sum, bytes) => sum + bytes, 0);
      const free = Math.max(0, (await this.#options.free()) - promised - RESERVE);
      if (size > free) {
        return {
          status: 507,
          reason:
            `The upload has ${megabytes(size)} MB, and the disk has room for ${megabytes(free)} MB besides ` +
            `other uploads. Make room below DATA_DIR and try again.`,
        };
      }
      this.#beginning.set(id, size);
      return null;
    });
  }

  begun(id: string): void {
    this.#beginning.delete(id);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
