/**
 * Operations asked from inside the process: what is built on the interface gets its answers, its limits and its errors.
 */
import type { FastifyInstance } from 'fastify';
import { wholeEntries } from '../base/json-prefix.ts';
import type { Ask, OperationAnswer } from '../mcp/ask.ts';

/** Bytes of an answer that are read unless told otherwise; a longer one counts as too large. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** `base`: the path of `PUBLIC_URL`, which every path is below. */
export function innerRequests(app: FastifyInstance, base: string): Ask {
  return async (path, { body, signal, address, maxBytes = MAX_BYTES, entriesAt } = {}) => {
    const answer = await app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: `${base}${path}`,
      headers: { host: 'inner.invalid', accept: 'application/json', 'accept-encoding': 'identity' },
      ...(body === undefined ? {} : { payload: body }),
      ...(signal === undefined ? {} : { signal }),
      // Rates and shares are those of who asked.
      ...(address === undefined ? {} : { remoteAddress: address }),
      payloadAsStream: true,
    });
    const stream = answer.stream();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the stream, which ends the work on the answer.
      if (size > maxBytes) return beginningOf(answer.statusCode, Buffer.concat(chunks, maxBytes), entriesAt);
    }
    return { status: answer.statusCode, json: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  };
}

function beginningOf(status: number, begun: Buffer, entriesAt: number | undefined): OperationAnswer {
  const entries = entriesAt === undefined ? null : wholeEntries(begun, entriesAt);
  if (entries === null) return { status: 413, json: { error: 'request too large' } };
  return { status, json: JSON.parse(entries.toString('utf8')), isCut: true };
}
