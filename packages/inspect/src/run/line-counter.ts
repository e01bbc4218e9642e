/** Line numbers of offsets in a text that goes by, asked for in ascending order. */

const LINE_FEED = 0x0a;

export class LineCounter {
  #pushed = 0;
  /** Offsets of line feeds that were not passed yet, from `#first` on. */
  #feeds: number[] = [];
  #first = 0;
  #passed = 0;

  push(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
      this.#feeds.push(this.#pushed + at);
    }
    this.#pushed += chunk.length;
  }

  /** 1-based line of an offset that was pushed, not below the last one that was asked for. */
  at(offset: number): number {
    while (this.#first < this.#feeds.length && this.#feeds[this.#first]! < offset) {
      this.#first++;
      this.#passed++;
    }
    if (this.#first > 4096 && this.#first * 2 > this.#feeds.length) {
      this.#feeds = this.#feeds.slice(this.#first);
      this.#first = 0;
    }
    return this.#passed + 1;
  }
}
