import { Counter, type Registry } from 'prom-client';

/** The series of spans for a collector; the function brings it up to date. */
export function spanSeries(registry: Registry): (figures: { sent: number; lost: number }) => void {
  const spans = new Counter({
    name: 'citymodel_spans_total',
    help: 'Spans for the collector of traces: those that it took, and those that were lost because it did not.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const counts = { sent: 0, lost: 0 };
  return (figures) => {
    for (const outcome of ['sent', 'lost'] as const) {
      spans.inc({ outcome }, figures[outcome] - counts[outcome]);
      counts[outcome] = figures[outcome];
    }
  };
}
