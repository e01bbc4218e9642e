import autocannon from 'autocannon';

export interface Load {
  /** Answers per second. */
  rps: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Bytes of bodies and headers per second. */
  bytesPerSecond: number;
}

export interface LoadOptions {
  headers?: Record<string, string>;
  connections?: number;
  seconds?: number;
  /** The status that every answer must have. */
  status?: number;
}

/** Asks for one or several URLs in turn from several connections. Throws when an answer is not the expected one. */
export async function load(urls: string | readonly string[], options: LoadOptions = {}): Promise<Load> {
  const { headers = {}, connections = 16, seconds = 5, status = 200 } = options;
  const list = typeof urls === 'string' ? [urls] : urls;
  const first = new URL(list[0]!);
  const result = await autocannon({
    url: first.origin,
    connections,
    duration: seconds,
    requests: list.map((url) => ({ method: 'GET', path: url.slice(first.origin.length), headers })),
  });
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([code]) => Number(code) !== status);
  if (result.errors > 0 || wrong.length > 0) {
    throw new Error(`${list[0]}: ${result.errors} errors, other statuses ${JSON.stringify(wrong)}`);
  }
  return {
    rps: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    bytesPerSecond: result.throughput.average,
  };
}
