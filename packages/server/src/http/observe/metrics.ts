/** What the service counts, for Prometheus. */

import { tracer } from '@citymodel/base';
import type { Counter, Histogram } from 'prom-client';
import type { DiskWatch } from './disk-checks.ts';
import { diskSeries } from './disk-series.ts';
import { createSeries, type MetricSeries } from './metric-series.ts';
import { spanSeries } from './span-series.ts';
import { storeSeries, type WatchedStores } from './store-series.ts';

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
  #comparedAt: (() => number | null) | null = null;
  #askStores = async () => {};
  #askDisks = async () => {};
  #spans: ReturnType<typeof spanSeries> | null = null;

  /** The text format of Prometheus, and its media type. */
  async exposed(): Promise<{ type: string; text: string }> {
    const { registry, loopLongest, catalogueCompared } = this.#series;
    loopLongest.set(this.#longestDelay());
    const comparedAt = this.#comparedAt?.() ?? null;
    if (comparedAt !== null) catalogueCompared.set((performance.now() - comparedAt) / 1_000);
    this.#tellSpans();
    await Promise.all([this.#askStores(), this.#askDisks()]);
    return { type: registry.contentType, text: await registry.metrics() };
  }

  /** Only where spans are wanted: elsewhere there is no such series. */
  #tellSpans(): void {
    const figures = tracer()?.figures();
    if (figures === undefined) return;
    this.#spans ??= spanSeries(this.#series.registry);
    this.#spans(figures);
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

  /** A catalogue that was shown after the time that servers agree on. */
  catalogueLate(ms: number): void {
    this.#series.catalogueLate.inc();
    this.#series.catalogueLateSeconds.inc(ms / 1_000);
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

  /** An attempt at a job that has ended after `ms`. */
  jobEnded({ kind, outcome, ms }: { kind: string; outcome: string; ms: number }): void {
    this.#series.jobsEnded.inc({ kind, outcome });
    this.#series.jobSeconds.inc({ kind }, ms / 1_000);
  }

  /** A caller gets 503 for this cause. */
  unavailable(cause: string): void {
    this.#series.unavailable.inc({ cause });
  }

  /** Stores and their jobs tell their figures when the metrics are asked for. */
  watchStores(stores: WatchedStores): void {
    this.#askStores = storeSeries(this.#series.registry, stores);
  }

  /** Disks tell how much is left on them when the metrics are asked for. */
  watchDisks(disks: DiskWatch): void {
    this.#askDisks = diskSeries(this.#series.registry, disks);
  }

  /** `comparedAt`: when the catalogue was last compared, ms of the process's clock; null before. */
  watchCatalogue(comparedAt: () => number | null): void {
    this.#comparedAt = comparedAt;
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

  /** `longest` tells the longest delay of late, seconds; it is asked when the metrics are. */
  watchLoop(longest: () => number): void {
    this.#longestDelay = longest;
  }
}
