/**
 * Spans of distributed traces, for programs that collect them. As long as no tracer is set, work runs as if there were
 * none. The tracer itself and its libraries are elsewhere, and loaded only where they are wanted.
 */

export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  /** `server` and `consumer` begin a trace, or go on with that of a caller; `client` is what they ask of others. */
  kind: 'server' | 'consumer' | 'client';
  attributes?: SpanAttributes;
  /** Headers of a request, of which `traceparent` and `tracestate` count (https://www.w3.org/TR/trace-context/). */
  headers?: Record<string, unknown>;
}

/** Work under way. */
export interface TracedWork {
  /** 32 hexadecimal digits, as in the header. */
  readonly traceId: string;
  /** Runs a part of the work: what it asks of others belongs to this span. */
  within<T>(part: () => T): T;
  /** `error`: what it failed with; whatever is not undefined marks it as failed. */
  end(attributes?: SpanAttributes, error?: unknown): void;
}

export interface Tracer {
  /** Whether this is asked within a span that is recorded. */
  isWithin(): boolean;
  begin(name: string, options: SpanOptions): TracedWork;
  /** Spans that the collector took, and those that it did not, since the process began. */
  figures(): { sent: number; lost: number };
}

let current: Tracer | null = null;

/** The tracer of this process; null while spans are not wanted. */
export function tracer(): Tracer | null {
  return current;
}

export function setTracer(next: Tracer | null): void {
  current = next;
}

/** Runs work that another span asks for as a span; alone outside of one. Rejects as the work does. */
export function traced<T>(
  name: string,
  attributes: () => SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  if (current === null || !current.isWithin()) return work();
  return spanOf(current.begin(name, { kind: 'client', attributes: attributes() }), work);
}

/** Runs work that nobody waits for as a trace of its own. Rejects as the work does. */
export function tracedAlone<T>(
  name: string,
  attributes: () => SpanAttributes,
  work: () => Promise<T>,
): Promise<T> {
  if (current === null) return work();
  return spanOf(current.begin(name, { kind: 'consumer', attributes: attributes() }), work);
}

/**
 * What is read bit by bit, as a span from the first bit to the last. Work of the reader in between does not belong to
 * it.
 */
export async function* tracedParts<T>(
  name: string,
  attributes: () => SpanAttributes,
  parts: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  if (current === null || !current.isWithin()) {
    yield* parts();
    return;
  }
  const span = current.begin(name, { kind: 'client', attributes: attributes() });
  const reading = parts()[Symbol.asyncIterator]();
  let fault: unknown;
  try {
    for (;;) {
      const next = await span.within(() => reading.next());
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    fault = error;
    throw error;
  } finally {
    span.end({}, fault);
    await reading.return?.();
  }
}

async function spanOf<T>(span: TracedWork, work: () => Promise<T>): Promise<T> {
  try {
    const result = await span.within(work);
    span.end();
    return result;
  } catch (error) {
    span.end({}, error ?? 'unknown');
    throw error;
  }
}
