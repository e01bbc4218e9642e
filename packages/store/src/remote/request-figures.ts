import type { RequestFigure } from '../store-figures.ts';

/** Counts requests to a store by operation and outcome. */
export class RequestFigures {
  readonly #figures = new Map<string, RequestFigure>();
  /** Streams that were read in the slower way. */
  slowStreams = 0;

  /** A try that ended after `ms`; the SDK's own repetitions are tries as well. */
  note(operation: string, outcome: RequestFigure['outcome'], ms: number): void {
    const name = `${outcome} ${operation}`;
    let figure = this.#figures.get(name);
    if (figure === undefined) {
      figure = { operation, outcome, count: 0, seconds: 0 };
      this.#figures.set(name, figure);
    }
    figure.count++;
    figure.seconds += ms / 1_000;
  }

  all(): RequestFigure[] {
    return [...this.#figures.values()].map((figure) => ({ ...figure }));
  }
}
