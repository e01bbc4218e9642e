/** What the service counts, for Prometheus. */
import type { Counter, Histogram } from 'prom-client';
import { createSeries, type MetricSeries } from './metric-series.ts';

/** The series of one route, method and status, found once. */
interface AnswerSeries {
  requests: Counter.Internal;
  duration: Histogram.Internal<'route'>;
  bytes: Counter.Internal;
}

export class Metrics {
  readonly #answers = new Map<string, AnswerSeries>();
  readonly #series: MetricSeries = createSeries();
  #longestDelay = () => 0;

  /** The text format of Prometheus, and its media type. */
  async exposed(): Promise<{ type: string; text: string }> {
    const { registry, loopLongest } = this.#series;
    loopLongest.set(this.#longestDelay());
    return { type: registry.contentType, text: await registry.metrics() };
  }

  /** An answered request. `bytes` are those of the body as announced. */
  answered(answer: { method: string; route: string; status: number; ms: number; bytes: number }): void {
    const key = `${answer.status}${answer.method}${answer.route}`;
    let series = this.#answers.get(key);
    if (series === undefined) {
      const { route, method, status } = answer;
      series = {
        requests: this.#series.requests.labels({ route, method, status }),
        duration: this.#series.duration.labels({ route }),
        bytes: this.#series.responseBytes.labels({ route }),
      };
      this.#answers.set(key, series);
    }
    series.requests.inc();
    series.duration.observe(answer.ms / 1_000);
    if (answer.bytes > 0) series.bytes.inc(answer.bytes);
  }

  /** A catalogue that has become current, with its live packages by kind. */
  catalogueBuilt(version: number, packages: Readonly<Record<string, number>>): void {
    const { catalogueVersion, catalogueBuilds, cataloguePackages } = this.#series;
    catalogueVersion.set(version);
    catalogueBuilds.inc({ outcome: 'built' });
    for (const [kind, count] of Object.entries(packages)) cataloguePackages.set({ kind }, count);
  }

  catalogueFailed(): void {
    this.#series.catalogueBuilds.inc({ outcome: 'failed' });
  }

  /** Work on a pack that has ended after `ms`. */
  packEnded(outcome: string, ms: number): void {
    const { packs, packDuration } = this.#series;
    packs.inc({ outcome });
    packDuration.observe(ms / 1_000);
  }

  /** Whether blocks of features are inflated by the fast way. */
  inflating(isFast: boolean): void {
    this.#series.fastInflater.set(isFast ? 1 : 0);
  }

  /** Bytes that were read and are not those that were packed. */
  readDamaged(): void {
    this.#series.damagedReads.inc();
  }

  /** How late a timer of the event loop came, ms. */
  loopDelayed(ms: number): void {
    this.#series.loopDelay.observe(ms / 1_000);
  }

  /** `longest` tells the longest delay since it was last called, seconds; it is asked when the metrics are. */
  watchLoop(longest: () => number): void {
    this.#longestDelay = longest;
  }
}
