/**
 * Spans by the libraries of OpenTelemetry, sent to the collector that the operator names, by OTLP over HTTP. Loaded
 * only where one is named. A collector that is away, slow or full costs spans, and nothing else: they wait in a queue
 * that is bounded.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type SpanOptions, setTracer, type TracedWork, type Tracer, withoutEnd } from '@citymodel/base';
import {
  type Context,
  defaultTextMapGetter,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '../../base/settings.ts';
import { VERSION } from '../../base/version.ts';

/** How long the collector may take for a batch, ms. */
const EXPORT_MS = 5_000;
/** How long the last spans may take when the process stops, ms. */
const LAST_MS = 2_000;
/** Spans that wait for the collector at most; later ones are dropped. */
const MAX_WAITING = 8_192;
const MAX_BATCH = 512;
/** Longest text of an attribute, and most attributes of a span: a caller chooses some of them. */
const MAX_TEXT = 2_048;
const MAX_ATTRIBUTES = 32;

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };

export type TraceSettings = Pick<
  Settings,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_SERVICE_NAME' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Sets the tracer of this process. What it gives sends the last spans and ends it, within 2 s. */
export function startTracing(settings: TraceSettings): { stop(): Promise<void> } {
  const figures = { sent: 0, lost: 0 };
  const exporter = new OTLPTraceExporter({
    url: `${withoutEnd(settings.OTEL_EXPORTER_OTLP_ENDPOINT, '/')}/v1/traces`,
    timeoutMillis: EXPORT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': VERSION,
    }),
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(Number(settings.OTEL_TRACES_SAMPLER_ARG)),
    }),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT, attributeCountLimit: MAX_ATTRIBUTES },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, figures),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_BATCH,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  setTracer(new OpenTelemetryTracer(provider.getTracer('citymodel', VERSION), figures));
  return {
    async stop() {
      setTracer(null);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, LAST_MS);
      await Promise.race([provider.shutdown().catch(() => {}), late.promise]);
      clearTimeout(timer);
    },
  };
}

class OpenTelemetryTracer implements Tracer {
  readonly #tracer: OtelTracer;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #contexts = new AsyncLocalStorage<Context>();

  readonly #figures: { sent: number; lost: number };

  constructor(tracer: OtelTracer, figures: { sent: number; lost: number }) {
    this.#tracer = tracer;
    this.#figures = figures;
  }

  figures(): { sent: number; lost: number } {
    return { ...this.#figures };
  }

  isWithin(): boolean {
    const context = this.#contexts.getStore();
    return context !== undefined && trace.getSpan(context)?.isRecording() === true;
  }

  begin(name: string, { kind, attributes = {}, headers }: SpanOptions): TracedWork {
    const parent =
      kind === 'client'
        ? (this.#contexts.getStore() ?? ROOT_CONTEXT)
        : this.#propagator.extract(ROOT_CONTEXT, headers ?? {}, defaultTextMapGetter);
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
    return workOf(span, this.#contexts, trace.setSpan(parent, span));
  }
}

function workOf(span: Span, contexts: AsyncLocalStorage<Context>, context: Context): TracedWork {
  return {
    traceId: span.spanContext().traceId,
    within: (part) => contexts.run(context, part),
    end(attributes = {}, error) {
      span.setAttributes(attributes);
      if (error !== undefined) {
        // Only its kind: texts of errors may name files.
        span.setAttribute('error.type', error instanceof Error ? error.name : String(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** An exporter that counts what became of spans. */
function watched(exporter: SpanExporter, figures: { sent: number; lost: number }): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        figures[result.code === ExportResultCode.SUCCESS ? 'sent' : 'lost'] += spans.length;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
