/** How far a long piece of work has come: bytes, rate, time left. */
export interface Progress {
  /** What is being worked on, e.g. a package name. */
  label: string;
  /** What is happening to it. */
  phase: 'reading' | 'verifying' | 'publishing' | 'converting' | 'joining' | 'tables';
  /** Uncompressed bytes done and in all. */
  done: number;
  total: number;
  /** Member that was touched last. */
  member: string | null;
}

export type ProgressSink = (progress: Progress) => void;

/** `12.3 MB` and the like; decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** `4.5 s`, `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3_600) return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
  return `${Math.floor(rounded / 3_600)} h ${Math.floor((rounded % 3_600) / 60)} min`;
}

/**
 * A line that rewrites itself on a terminal, and nothing elsewhere but one line at the end of each label.
 * Rate and time left come from the last ten seconds, so that a slow start is forgotten.
 */
export class ProgressLine {
  #stream: NodeJS.WriteStream;
  #now: () => number;
  #samples: Array<{ at: number; done: number }> = [];
  #label = '';

  constructor(stream: NodeJS.WriteStream, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
  }

  update(progress: Progress): void {
    const now = this.#now();
    if (progress.label !== this.#label) {
      this.#label = progress.label;
      this.#samples = [];
    }
    if (now - (this.#samples.at(-1)?.at ?? 0) < 100) return;
    this.#samples.push({ at: now, done: progress.done });
    while (this.#samples.length > 2 && now - this.#samples[0]!.at > 10_000) this.#samples.shift();
    if (!this.#stream.isTTY) return;
    const text = this.render(progress);
    this.#stream.write(`\r\x1b[2K${text.slice(0, Math.max(20, (this.#stream.columns ?? 100) - 1))}`);
  }

  /** The line's text for the given state. */
  render(progress: Progress): string {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    const seconds = first && last ? (last.at - first.at) / 1_000 : 0;
    const rate = seconds > 0 ? (last!.done - first!.done) / seconds : 0;
    const percent = progress.total > 0 ? Math.floor((progress.done / progress.total) * 100) : 100;
    const left = rate > 0 ? `, ${formatDuration((progress.total - progress.done) / rate)} left` : '';
    return (
      `${progress.label}  ${progress.phase} ${percent} %  ${formatBytes(progress.done)} of ` +
      `${formatBytes(progress.total)}, ${formatBytes(Math.round(rate))}/s${left}`
    );
  }

  /** Removes the line, so that other text can be printed. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[2K');
  }
}
