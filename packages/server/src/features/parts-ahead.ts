/** Texts of features that another thread reads before their turn. */
import { type BlockParts, type PartsPromise, type PartsThread, partsBytes } from '@citymodel/zip';

/** Blocks of a job; the first ones are small, so that their texts are there soon. */
const BLOCKS = { first: 4, most: 16 };
/** Text of a job, bytes, unless one block has more. */
const TEXT_BYTES = 512 * 1024;
/** Jobs that are begun before their turn: one is in work while another waits. */
const AHEAD = 2;

interface Job {
  first: number;
  blocks: BlockParts[];
  asked: PartsPromise | null;
  texts: Uint8Array[][] | null;
  /** Its blocks are read by the one who needs them. */
  isLeft: boolean;
}

/** The blocks of one answer as jobs for the thread, in the order in which they are wanted. */
export class PartsAhead implements AsyncDisposable {
  readonly #thread: PartsThread;
  readonly #descriptor: number;
  readonly #jobs: Job[] = [];
  /** Number of the job, by the place of a block. */
  readonly #jobOf: Array<number | undefined> = [];
  #begun = 0;

  /**
   * `descriptor`: of the file, which stays open until this has been disposed of; `wanted`: in the order of their use,
   * null for what the thread does not read.
   */
  constructor(thread: PartsThread, descriptor: number, wanted: ReadonlyArray<BlockParts | null>) {
    this.#thread = thread;
    this.#descriptor = descriptor;
    let bytes = 0;
    for (const [place, block] of wanted.entries()) {
      if (block === null) continue;
      const more = partsBytes([block]);
      const last = this.#jobs.at(-1);
      const most = Math.min(BLOCKS.most, BLOCKS.first << (this.#jobs.length - 1));
      const joins =
        last !== undefined &&
        last.first + last.blocks.length === place &&
        last.blocks.length < most &&
        bytes + more <= TEXT_BYTES;
      if (joins) last.blocks.push(block);
      else this.#jobs.push({ first: place, blocks: [block], asked: null, texts: null, isLeft: false });
      bytes = joins ? bytes + more : more;
      this.#jobOf[place] = this.#jobs.length - 1;
    }
  }

  /** True when the thread is to read the block at this place, as far as is known. */
  has(place: number): boolean {
    const number = this.#jobOf[place];
    return number !== undefined && !this.#jobs[number]!.isLeft;
  }

  /** Texts of the block at this place; null for what the thread does not read, or could not. */
  async texts(place: number): Promise<Uint8Array[] | null> {
    const number = this.#jobOf[place];
    if (number === undefined) return null;
    for (; this.#begun <= number + AHEAD && this.#begun < this.#jobs.length; this.#begun++) {
      const next = this.#jobs[this.#begun]!;
      next.asked = this.#thread.begin(this.#descriptor, next.blocks);
    }
    const job = this.#jobs[number]!;
    if (place === job.first) {
      const output = await job.asked!.take();
      job.texts = output === null ? null : textsOf(job.blocks, output);
      job.isLeft = job.texts === null;
    }
    return job.texts?.[place - job.first] ?? null;
  }

  /** Withdraws what the thread has not begun, and waits for what it has: the file may be closed afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#jobs.map(({ asked }) => asked?.take()));
  }
}

/** The texts of the ranges of each block, which lie one behind the other. */
export function textsOf(
  blocks: ReadonlyArray<Pick<BlockParts, 'ranges'>>,
  output: Uint8Array,
): Uint8Array[][] {
  let at = 0;
  return blocks.map(({ ranges }) =>
    ranges.map(({ start, end }) => {
      at += end - start;
      return output.subarray(at - (end - start), at);
    }),
  );
}
