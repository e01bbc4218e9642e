import type { RangedSource } from './source.ts';

/**
 * Opens a file on a web server for ranged reads (RFC 9110, section 14). Each read is one request; nothing is kept.
 * Where the server sends a strong ETag, later reads ask for that very version. Throws an Error when the server does not
 * answer, has no such file, or serves no ranges; reads throw one when the file has changed, or when fewer bytes come
 * than they asked for.
 */
export async function openUrlSource(url: string | URL): Promise<RangedSource> {
  const first = await fetch(url, { headers: { Range: 'bytes=0-0' } });
  await first.body?.cancel();
  const size = Number(/^bytes 0-0\/(\d{1,15})$/.exec(first.headers.get('content-range') ?? '')?.[1]);
  if (first.status !== 206 || !Number.isSafeInteger(size)) {
    throw new Error(`${url} serves no ranges: status ${first.status}, size unknown`);
  }
  const tag = first.headers.get('etag');
  const condition: Record<string, string> = tag?.startsWith('"') ? { 'If-Match': tag } : {};

  async function* stream(offset: number, length: number): AsyncGenerator<Uint8Array, void, void> {
    if (!(offset >= 0 && length >= 0 && offset + length <= size)) {
      throw new RangeError(`bytes ${offset}+${length} lie outside ${url} of ${size} bytes`);
    }
    if (length === 0) return;
    const end = offset + length - 1;
    const response = await fetch(url, { headers: { Range: `bytes=${offset}-${end}`, ...condition } });
    if (
      response.status !== 206 ||
      response.headers.get('content-range') !== `bytes ${offset}-${end}/${size}`
    ) {
      await response.body?.cancel();
      throw new Error(`${url} did not send bytes ${offset} to ${end} of ${size}: status ${response.status}`);
    }
    let received = 0;
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      if (received > length) break;
      yield chunk;
    }
    if (received !== length) throw new Error(`${url} sent ${received} bytes of ${length} from ${offset}`);
  }

  return {
    size,
    stream,
    async read(offset, length) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream(offset, length)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}
