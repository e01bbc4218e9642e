/**
 * A long range of an object, read from a socket of its own into two buffers that are used again. Node.js's HTTP client
 * makes memory for every 64 KiB, which takes four times as much processor time as all of this.
 */
import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { isAwaited } from '@citymodel/base';
import { TRY_MS } from '../remote/ask.ts';
import type { LinkEnd } from '../remote/link-end.ts';
import { isTimeout } from '../remote/store-faults.ts';
import type { S3Object } from './s3-link.ts';

/** Bytes of each of the two buffers. */
const BUFFER = 256 * 1024;
/** Longest head of an answer, bytes. */
const MAX_HEAD = 64 * 1024;
/** How long the signature of a request is good for, s: clocks may differ by minutes. */
const SIGNED_S = 900;

/**
 * The bytes from `offset`, in chunks that are overwritten once the next one is asked for; fewer when the line is cut,
 * which throws. Null when the store does not answer with just these bytes of this object; the SDK knows what to do
 * about it.
 */
export async function openSocketStream(
  object: S3Object,
  offset: number,
  length: number,
): Promise<AsyncGenerator<Uint8Array, void, void> | null> {
  const { link, bucket, storeKey, etag } = object;
  const range = `bytes=${offset}-${offset + length - 1}`;
  const command = new GetObjectCommand({ Bucket: bucket, Key: storeKey, Range: range, IfMatch: etag });
  const url = new URL(await getSignedUrl(link.client, command, { expiresIn: SIGNED_S }));
  const begun = performance.now();
  const reader = new SocketReader(url, isAwaited() ? Math.min(TRY_MS, link.times.answer) : link.times.answer);
  try {
    reader.send(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nRange: ${range}\r\nIf-Match: ${etag}\r\n` +
        'Accept-Encoding: identity\r\nConnection: close\r\n\r\n',
    );
    const head = await link.end.before(() => readHead(reader));
    if (head !== null && isAnswerTo(head.text, object, offset, length)) {
      link.gate.answered();
      link.figures.note('GetObject', 'ok', performance.now() - begun);
      return body(reader, head.rest, length, link.end);
    }
  } catch (error) {
    reader.close();
    link.end.check();
    // A store that is silent is silent in every way.
    if (isTimeout(error)) {
      link.gate.failed(begun);
      link.figures.note('GetObject', 'unanswered', performance.now() - begun);
      throw error;
    }
    // Asked again in another way.
  }
  reader.close();
  link.figures.slowStreams++;
  return null;
}

async function readHead(reader: SocketReader): Promise<{ text: string; rest: Uint8Array } | null> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < MAX_HEAD) {
    bytes = Buffer.concat([bytes, await reader.next()]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0) return { text: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 4) };
  }
  return null;
}

/** Whether a head announces these bytes of the object that was opened, and nothing else (RFC 9112, section 6.3). */
function isAnswerTo(head: string, { etag, size }: S3Object, offset: number, length: number): boolean {
  const [status = '', ...lines] = head.split('\r\n');
  const fields = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const isWhole = status.startsWith('HTTP/1.1 200 ') && length === size;
  const isPart =
    status.startsWith('HTTP/1.1 206 ') &&
    fields.get('content-range') === `bytes ${offset}-${offset + length - 1}/${size}`;
  return (
    (isWhole || isPart) &&
    fields.get('etag') === etag &&
    fields.get('content-length') === String(length) &&
    !fields.has('transfer-encoding') &&
    !fields.has('content-encoding')
  );
}

async function* body(
  reader: SocketReader,
  first: Uint8Array,
  length: number,
  end: LinkEnd,
): AsyncGenerator<Uint8Array> {
  const stopWatching = end.onEnd(() => reader.close());
  try {
    end.check();
    let left = length;
    for (let chunk = first; ; chunk = await reader.next()) {
      left -= chunk.length;
      if (left < 0) throw new Error('the store sent more than was asked for');
      if (chunk.length > 0) yield chunk;
      if (left === 0) return;
    }
  } finally {
    stopWatching();
    reader.close();
  }
}

/**
 * Reads a socket into two buffers, one of which the consumer has:
 *
 *   reading ──bytes, somebody waits──▶ given, reading on into the other buffer
 *      ▲  └────bytes, nobody waits──▶ full: the socket is not read
 *      └───────────asked for the next──────┘
 */
class SocketReader {
  readonly #socket: Socket;
  readonly #waitMs: number;
  readonly #buffers = [Buffer.allocUnsafeSlow(BUFFER), Buffer.allocUnsafeSlow(BUFFER)];
  #reading = 0;
  /** Bytes that nobody has asked for yet. */
  #ready: Uint8Array | null = null;
  #failure: Error | null = null;
  #waiting: { give(bytes: Uint8Array): void; fail(error: Error): void } | null = null;

  /** `waitMs`: how long the next bytes may take. */
  constructor(url: URL, waitMs: number) {
    this.#waitMs = waitMs;
    const isPlain = url.protocol === 'http:';
    // An IPv6 address stands in brackets.
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const onread: OnReadOpts = {
      buffer: () => this.#buffers[this.#reading]!,
      callback: (count, buffer) => this.#take(buffer.subarray(0, count)),
    };
    const target = { host, port: Number(url.port || (isPlain ? 80 : 443)), noDelay: true, onread };
    this.#socket = isPlain
      ? connectPlain(target)
      : connectTls({ ...target, ...(isIP(host) === 0 && { servername: host }) });
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(new Error('the line was cut')));
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /**
   * The next bytes; those of the call before may be overwritten from now on. Rejects when none come any more, or in
   * time.
   */
  next(): Promise<Uint8Array> {
    const ready = this.#ready;
    if (ready !== null) {
      this.#ready = null;
      this.#socket.resume();
      return Promise.resolve(ready);
    }
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => this.#end(Object.assign(new Error('no bytes in time'), { name: 'TimeoutError' })),
        this.#waitMs,
      );
      this.#waiting = {
        give: (bytes) => {
          clearTimeout(late);
          resolve(bytes);
        },
        fail: (error) => {
          clearTimeout(late);
          reject(error);
        },
      };
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Takes what was read. False ends reading until somebody asks. */
  #take(bytes: Uint8Array): boolean {
    this.#reading = 1 - this.#reading;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) this.#ready = bytes;
    else waiting.give(bytes);
    return waiting !== null;
  }

  #end(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.fail(this.#failure);
    this.#waiting = null;
  }
}
