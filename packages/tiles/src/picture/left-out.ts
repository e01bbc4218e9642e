/** What a picture lacks: all of it is counted, and the first has its reason. */
export class LeftOut {
  /** Files, tiles and images. */
  count = 0;
  firstReason: string | null = null;

  add(path: string, reason: string): void {
    this.count++;
    this.firstReason ??= `${path}: ${reason}`;
  }
}
