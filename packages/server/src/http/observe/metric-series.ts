/** What the service tells Prometheus, as the library keeps it. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricSeries {
  registry: Registry;
  requests: Counter<'route' | 'method' | 'status'>;
  duration: Histogram<'route'>;
  responseBytes: Counter<'route'>;
  catalogueVersion: Gauge;
  cataloguePackages: Gauge<'kind'>;
  catalogueBuilds: Counter<'outcome'>;
  catalogueLate: Counter;
  catalogueLateSeconds: Counter;
  packs: Counter<'outcome'>;
  packDuration: Histogram;
  loopDelay: Histogram;
  loopLongest: Gauge;
  unavailable: Counter<'cause'>;
  catalogueCompared: Gauge;
  jobsEnded: Counter<'kind' | 'outcome'>;
  jobSeconds: Counter<'kind'>;
  fastInflater: Gauge;
  damagedReads: Counter;
}

/** Series in a registry of their own, so that two services in one process do not share counts. */
export function createSeries(): MetricSeries {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges with names of counters, which Prometheus's own check refuses; those without the ending tell more.
  for (const name of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'citymodel_http_requests_total',
      help: 'Answered requests by route, method and status.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'citymodel_http_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['route'],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120],
      registers,
    }),
    responseBytes: new Counter({
      name: 'citymodel_http_response_bytes_total',
      help: 'Bytes of answered bodies as announced by Content-Length.',
      labelNames: ['route'],
      registers,
    }),
    catalogueVersion: new Gauge({
      name: 'citymodel_catalogue_version',
      help: 'Version of the catalogue that is being served.',
      registers,
    }),
    cataloguePackages: new Gauge({
      name: 'citymodel_catalogue_packages',
      help: 'Live packages by kind.',
      labelNames: ['kind'],
      registers,
    }),
    catalogueBuilds: new Counter({
      name: 'citymodel_catalogue_builds_total',
      help: 'Rebuilds of the catalogue by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    catalogueLate: new Counter({
      name: 'citymodel_catalogue_late_total',
      help: 'Catalogues that this server showed after the time that servers agree on (CATALOGUE_SWITCH_MS).',
      registers,
    }),
    catalogueLateSeconds: new Counter({
      name: 'citymodel_catalogue_late_seconds_total',
      help: 'Seconds by which they were late.',
      registers,
    }),
    fastInflater: new Gauge({
      name: 'citymodel_fast_inflater',
      help:
        '1 where features are inflated by the fast way; 0 where this Node.js does not offer it (three times the ' +
        'CPU).',
      registers,
    }),
    damagedReads: new Counter({
      name: 'citymodel_damaged_reads_total',
      help: 'Reads of archives and indexes whose bytes were not those that were packed; each is read once more.',
      registers,
    }),
    packs: new Counter({
      name: 'citymodel_packs_total',
      help: 'Packs that this process worked on, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    packDuration: new Histogram({
      name: 'citymodel_pack_duration_seconds',
      help: 'Time from the beginning of work on a pack to its end.',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 120, 900],
      registers,
    }),
    loopDelay: new Histogram({
      name: 'citymodel_event_loop_delay_seconds',
      help: 'How late timers of the event loop come.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
      registers,
    }),
    loopLongest: new Gauge({
      name: 'citymodel_event_loop_longest_delay_seconds',
      help: 'Longest delay of the event loop in the last one to two minutes.',
      registers,
    }),
    unavailable: new Counter({
      name: 'citymodel_unavailable_total',
      help:
        'Answers 503 by what could not answer: database, objects, a missing object, damage, time, or a limit of ' +
        'this server.',
      labelNames: ['cause'],
      registers,
    }),
    catalogueCompared: new Gauge({
      name: 'citymodel_catalogue_compared_seconds',
      help: 'Seconds since the catalogue was last compared with that of the database.',
      registers,
    }),
    jobsEnded: new Counter({
      name: 'citymodel_job_attempts_total',
      help: 'Attempts at jobs that this process ended, by kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    jobSeconds: new Counter({
      name: 'citymodel_job_seconds_total',
      help: 'Time that this process worked on jobs, by kind.',
      labelNames: ['kind'],
      registers,
    }),
  };
}
