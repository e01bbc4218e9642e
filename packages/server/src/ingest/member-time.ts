import { threadCpuUsage } from 'node:process';
import { OverBudget } from './upload.ts';

/**
 * What reading a member may take of the main thread: so many seconds, and so many more for each MB. An honest GML takes
 * 0.01 a MB.
 */
const LEAST_S = 30;
const PER_MB_S = 1;

/**
 * Counts the processor time of the work on one member, whatever else goes on meanwhile. Waiting for a disk costs
 * nothing.
 */
export class MemberTime {
  readonly #path: string;
  #used = 0;
  #bytes = 0;

  /** `path`: in the package. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Works on `bytes` bytes more, in one go. Throws OverBudget when the member has taken too long. */
  work(bytes: number, step: () => void): void {
    const before = threadCpuUsage();
    step();
    const { user, system } = threadCpuUsage(before);
    this.#used += (user + system) / 1e6;
    this.#bytes += bytes;
    const allowed = LEAST_S + (PER_MB_S * this.#bytes) / 1e6;
    if (this.#used <= allowed) return;
    throw new OverBudget(
      this.#path,
      `Its first ${this.#bytes} bytes took ${Math.round(this.#used)} s of processor time to read; ` +
        `${Math.round(allowed)} s are allowed.`,
    );
  }
}
