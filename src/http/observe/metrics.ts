/** What the service counts, for Prometheus. */
import type { Counter, Histogram } from 'prom-client';
import type { MetricSeries } from './metric-series.ts';

/** The series of one route, method and status, found once. */
interface AnswerSeries {
  requests: Counter.Internal;
  duration: Histogram.Internal<'route'>;
  bytes: Counter.Internal;
}

/**
 * Takes counts at any time. The library that keeps them is loaded when the server listens already, because it takes a tenth of a
 * second; what is counted until then waits for it.
 */
export class Metrics {
  readonly #answers = new Map<string, AnswerSeries>();
  #series: MetricSeries | null = null;
  #loading: Promise<MetricSeries> | null = null;
  #waiting: Array<() => void> = [];

  /** Loads the library, once. */
  load(): Promise<MetricSeries> {
    this.#loading ??= import('./metric-series.ts').then(({ createSeries }) => {
      this.#series = createSeries();
      for (const count of this.#waiting) count();
      this.#waiting = [];
      return this.#series;
    });
    return this.#loading;
  }

  /** The text format of Prometheus, and its media type. */
  async exposed(): Promise<{ type: string; text: string }> {
    const { registry } = await this.load();
    return { type: registry.contentType, text: await registry.metrics() };
  }

  /** An answered request. `bytes` are those of the body as announced. */
  answered(of: { method: string; route: string; status: number; ms: number; bytes: number }): void {
    if (this.#series === null) {
      this.#waiting.push(() => this.answered(of));
      return;
    }
    const key = `${of.status}${of.method}${of.route}`;
    let series = this.#answers.get(key);
    if (series === undefined) {
      const { route, method, status } = of;
      series = {
        requests: this.#series.requests.labels({ route, method, status }),
        duration: this.#series.duration.labels({ route }),
        bytes: this.#series.responseBytes.labels({ route }),
      };
      this.#answers.set(key, series);
    }
    series.requests.inc();
    series.duration.observe(of.ms / 1_000);
    if (of.bytes > 0) series.bytes.inc(of.bytes);
  }

  /** A catalogue that has become current, with its live packages by kind. */
  catalogueBuilt(version: number, packages: Readonly<Record<string, number>>): void {
    this.#count(({ catalogueVersion, catalogueBuilds, cataloguePackages }) => {
      catalogueVersion.set(version);
      catalogueBuilds.inc({ outcome: 'built' });
      for (const [kind, count] of Object.entries(packages)) cataloguePackages.set({ kind }, count);
    });
  }

  catalogueFailed(): void {
    this.#count(({ catalogueBuilds }) => catalogueBuilds.inc({ outcome: 'failed' }));
  }

  /** Work on a pack that has ended after `ms`. */
  packEnded(outcome: string, ms: number): void {
    this.#count(({ packs, packDuration }) => {
      packs.inc({ outcome });
      packDuration.observe(ms / 1_000);
    });
  }

  /** Whether blocks of features are inflated by the fast way. */
  inflating(isFast: boolean): void {
    this.#count(({ fastInflater }) => fastInflater.set(isFast ? 1 : 0));
  }

  #count(count: (series: MetricSeries) => void): void {
    if (this.#series === null) this.#waiting.push(() => this.#count(count));
    else count(this.#series);
  }
}
