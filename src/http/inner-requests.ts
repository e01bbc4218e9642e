/** Operations asked from inside the process: what is built on the interface gets its answers, its limits and its errors. */
import type { FastifyInstance } from 'fastify';
import type { Ask } from '../mcp/ask.ts';

/** Bytes of an answer that are read; longer ones are cut off and count as too large. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** `base`: the path of `PUBLIC_URL`, which every path is below. */
export function innerRequests(app: FastifyInstance, base: string): Ask {
  return async (path, { body, signal } = {}) => {
    const answer = await app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: `${base}${path}`,
      headers: { host: 'inner.invalid', accept: 'application/json', 'accept-encoding': 'identity' },
      ...(body === undefined ? {} : { payload: body }),
      ...(signal === undefined ? {} : { signal }),
      payloadAsStream: true,
    });
    const stream = answer.stream();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop destroys the stream, which ends the work on the answer.
      if (size > MAX_BYTES) return { status: 413, json: { error: 'request too large' } };
      chunks.push(chunk);
    }
    return { status: answer.statusCode, json: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  };
}
