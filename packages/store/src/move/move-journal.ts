import { type FileHandle, open, readFile } from 'node:fs/promises';

/**
 * Which objects have been copied and compared, in a file of lines `{SHA-256} {size} {key}`: a move that was interrupted
 * goes on without reading them again.
 */
export class MoveJournal {
  readonly #file: FileHandle;
  readonly #sizes: Map<string, number>;

  private constructor(file: FileHandle, sizes: Map<string, number>) {
    this.#file = file;
    this.#sizes = sizes;
  }

  /** Opens the file, which is made when it is not there. */
  static async open(path: string): Promise<MoveJournal> {
    const file = await open(path, 'a');
    const sizes = new Map<string, number>();
    // A line without its end was being written when the program was killed.
    for (const line of (await readFile(path, 'utf8')).split('\n').slice(0, -1)) {
      const [, size, key] = /^\w+ (\d+) (.+)$/.exec(line) ?? [];
      if (key !== undefined) sizes.set(key, Number(size));
    }
    // So that the next line is one of its own.
    await file.write('\n');
    return new MoveJournal(file, sizes);
  }

  /** Bytes of an object that has been copied; undefined for others. */
  sizeOf(key: string): number | undefined {
    return this.#sizes.get(key);
  }

  async add(key: string, size: number, sha256: string): Promise<void> {
    await this.#file.write(`${sha256} ${size} ${key}\n`);
    this.#sizes.set(key, size);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
