/**
 * A small S3 in this process, for tests: objects with ranges and conditions, multipart uploads, lists, deletions.
 * Signatures are not looked at. Faults can be switched on.
 */
import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to a request. */
export type Fault =
  /** An answer with this status, such as 500 or 503 (SlowDown). */
  | { status: number; code?: string }
  /** The line is cut after so many bytes of the body of the answer; at once for 0. */
  | { cutAfter: number }
  /** No more than so many bytes of the body of the answer come, and the line stays. */
  | { stallAfter: number }
  /** Another program answers with a page, with this status; `type`: text/html. */
  | { page: number; type?: string }
  /** The answer comes so much later, ms. */
  | { delay: number }
  /** No answer comes as long as this store lives. */
  | { hang: true }
  /** What was asked for is done, and the line is cut before the answer. */
  | { loseAnswer: true };

/** One request, as a test looks at it. */
export interface Asked {
  method: string;
  /** Key of the object; empty for requests of the bucket. */
  key: string;
  query: URLSearchParams;
  range: string | undefined;
  body: number;
}

interface Stored {
  bytes: Buffer;
  etag: string;
  modified: Date;
  metadata: Record<string, string>;
}

interface Started {
  key: string;
  parts: Map<number, Stored>;
  initiated: Date;
  metadata: Record<string, string>;
}

export class FakeS3 implements AsyncDisposable {
  readonly bucket = 'bucket';
  readonly objects = new Map<string, Stored>();
  readonly uploads = new Map<string, Started>();
  /** Every request since the start, or since a test emptied it. */
  asked: Asked[] = [];
  /** Decides about a request; null lets it pass. */
  fault: (asked: Asked) => Fault | null = () => null;
  /** Answers wait for it. */
  hold: () => Promise<void> = async () => {};
  /** Objects on one page of a list. */
  pageSize = 1_000;
  /** What the bucket says of its settings, by the name in the query: `versioning`, `lifecycle`. */
  settings: Record<string, string> = {};
  /** Further headers of answers with an object. */
  headers: Record<string, string> = {};
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on a free port of 127.0.0.1. */
  static async start(): Promise<FakeS3> {
    const server = createServer((request, response) => {
      fake.#handle(request, response).catch(() => response.destroy());
    });
    const fake = new FakeS3(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The setting OBJECT_STORE for a prefix in the bucket. */
  address(prefix = ''): string {
    return `s3://${this.bucket}/${prefix}?endpoint=${this.endpoint}&region=test&pathStyle=true`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.endpoint);
    const [, bucket, ...rest] = url.pathname.split('/');
    const body = await buffer(request);
    const asked: Asked = {
      method: request.method!,
      key: rest.map(decodeURIComponent).join('/'),
      query: url.searchParams,
      range: request.headers.range,
      body: body.length,
    };
    this.asked.push(asked);
    const answer = new Answer(response, this.fault(asked));
    if (await answer.fails()) return;
    await this.hold();
    if (bucket !== this.bucket) return answer.error(404, 'NoSuchBucket');
    if (asked.key === '') this.#ofBucket(asked, body, answer);
    else this.#ofObject(asked, request, body, answer);
  }

  #ofBucket({ method, query }: Asked, body: Buffer, answer: Answer) {
    if (method === 'HEAD') return answer.send(200);
    for (const [name, text] of Object.entries(this.settings)) if (query.has(name)) return answer.xml(text);
    if (method === 'POST' && query.has('delete')) {
      for (const [, key] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g))
        this.objects.delete(plainText(key!));
      return answer.xml('<DeleteResult/>');
    }
    const prefix = query.get('prefix') ?? '';
    if (query.has('uploads')) {
      const placeOf = (key: string, id: string) => `${key}\n${id}`;
      // Without the marker of an upload all of the marker's key are passed over.
      const after = placeOf(query.get('key-marker') ?? '', query.get('upload-id-marker') ?? '\uffff');
      const found = [...this.uploads]
        .filter(([, { key }]) => key.startsWith(prefix))
        .filter(([id, { key }]) => !query.has('key-marker') || placeOf(key, id) > after)
        .sort(([id, { key }], [other, { key: otherKey }]) =>
          placeOf(key, id) < placeOf(otherKey, other) ? -1 : 1,
        );
      const page = found.slice(0, this.pageSize);
      const [lastId, last] = page.at(-1) ?? [];
      const next =
        page.length === found.length
          ? ''
          : `<IsTruncated>true</IsTruncated><NextKeyMarker>${xmlText(last!.key)}</NextKeyMarker>` +
            `<NextUploadIdMarker>${lastId}</NextUploadIdMarker>`;
      const uploads = page.map(
        ([id, { key, initiated }]) =>
          `<Upload><Key>${xmlText(key)}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}` +
          `</Initiated></Upload>`,
      );
      return answer.xml(
        `<ListMultipartUploadsResult>${next}${uploads.join('')}</ListMultipartUploadsResult>`,
      );
    }
    const after = query.get('continuation-token') ?? '';
    const keys = [...this.objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.slice(0, this.pageSize);
    const contents = page.map((key) => {
      const { bytes, modified } = this.objects.get(key)!;
      return (
        `<Contents><Key>${xmlText(key)}</Key><Size>${bytes.length}</Size><LastModified>` +
        `${modified.toISOString()}</LastModified></Contents>`
      );
    });
    const more =
      keys.length > page.length
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${xmlText(page.at(-1)!)}</NextContinuationToken>`
        : '<IsTruncated>false</IsTruncated>';
    answer.xml(`<ListBucketResult>${contents.join('')}${more}</ListBucketResult>`);
  }

  #ofObject({ method, key, query }: Asked, request: IncomingMessage, body: Buffer, answer: Answer) {
    const upload = query.get('uploadId');
    const isRefused = request.headers['if-none-match'] === '*' && this.objects.has(key);
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      this.uploads.set(id, { key, parts: new Map(), initiated: new Date(), metadata: metadataOf(request) });
      return answer.xml(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (upload !== null) {
      const started = this.uploads.get(upload);
      if (started === undefined) return answer.error(404, 'NoSuchUpload');
      if (method === 'DELETE') {
        this.uploads.delete(upload);
        return answer.send(204);
      }
      if (method === 'PUT') {
        const part = stored(body, {});
        started.parts.set(Number(query.get('partNumber')), part);
        return answer.send(200, { etag: part.etag });
      }
      if (isRefused) return answer.error(412, 'PreconditionFailed');
      const parts = [...started.parts].sort(([a], [b]) => a - b).map(([, part]) => part.bytes);
      this.objects.set(key, stored(Buffer.concat(parts), started.metadata));
      this.uploads.delete(upload);
      return answer.xml('<CompleteMultipartUploadResult/>');
    }
    if (method === 'PUT') {
      if (isRefused) return answer.error(412, 'PreconditionFailed');
      const object = stored(body, metadataOf(request));
      this.objects.set(key, object);
      return answer.send(200, { etag: object.etag });
    }
    if (method === 'DELETE') {
      this.objects.delete(key);
      return answer.send(204);
    }
    const object = this.objects.get(key);
    if (object === undefined) return answer.error(404, 'NoSuchKey', method === 'HEAD');
    const wanted = request.headers['if-match'];
    if (wanted !== undefined && wanted !== object.etag) return answer.error(412, 'PreconditionFailed');
    answer.object(object, request.headers.range, method === 'HEAD', this.headers);
  }
}

/** The answer to one request, with its fault. */
class Answer {
  readonly #response: ServerResponse;
  readonly #fault: Fault | null;

  constructor(response: ServerResponse, fault: Fault | null) {
    this.#response = response;
    this.#fault = fault;
  }

  /** Whether nothing is to be done, because the fault was the answer. */
  async fails(): Promise<boolean> {
    const fault = this.#fault;
    if (fault !== null && 'delay' in fault) await pause(fault.delay);
    if (fault !== null && 'hang' in fault) return true;
    if (fault !== null && 'page' in fault) {
      this.#response
        .writeHead(fault.page, { 'content-type': fault.type ?? 'text/html' })
        .end('<html><body>Something else lives here</body></html>');
      return true;
    }
    if (fault !== null && 'status' in fault) {
      this.#response
        .writeHead(fault.status)
        .end(`<Error><Code>${fault.code ?? 'InternalError'}</Code></Error>`);
      return true;
    }
    return false;
  }

  object(
    { bytes, etag, modified, metadata }: Stored,
    range: string | undefined,
    isHead: boolean,
    further: Record<string, string>,
  ) {
    const headers: Record<string, string> = { ...further, etag, 'last-modified': modified.toUTCString() };
    for (const [name, value] of Object.entries(metadata)) headers[`x-amz-meta-${name}`] = value;
    if (isHead || range === undefined) {
      headers['content-length'] = String(bytes.length);
      return this.send(200, headers, isHead ? null : bytes);
    }
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range)!;
    const start = first === '' ? Math.max(0, bytes.length - Number(last)) : Number(first);
    const end = first === '' || last === '' ? bytes.length : Math.min(bytes.length, Number(last) + 1);
    if (start >= bytes.length) return this.error(416, 'InvalidRange');
    headers['content-range'] = `bytes ${start}-${end - 1}/${bytes.length}`;
    headers['content-length'] = String(end - start);
    this.send(206, headers, bytes.subarray(start, end));
  }

  xml(text: string): void {
    this.send(200, { 'content-type': 'application/xml' }, Buffer.from(`<?xml version="1.0"?>${text}`));
  }

  error(status: number, code: string, isHead = false): void {
    this.send(status, {}, isHead ? null : Buffer.from(`<Error><Code>${code}</Code></Error>`));
  }

  send(status: number, headers: Record<string, string> = {}, body: Buffer | null = null) {
    const fault = this.#fault;
    if (fault !== null && 'loseAnswer' in fault) {
      this.#response.destroy();
      return;
    }
    this.#response.writeHead(status, headers);
    if (fault !== null && 'stallAfter' in fault) {
      this.#response.write((body ?? Buffer.alloc(0)).subarray(0, fault.stallAfter));
    } else if (fault !== null && 'cutAfter' in fault) {
      const part = (body ?? Buffer.alloc(0)).subarray(0, fault.cutAfter);
      this.#response.write(part, () => setImmediate(() => this.#response.destroy()));
    } else {
      this.#response.end(body ?? undefined);
    }
  }
}

function stored(bytes: Buffer, metadata: Record<string, string>): Stored {
  const etag = `"${hash('sha256', bytes).slice(0, 32)}"`;
  // Seconds, as the header of an object has them.
  return { bytes, etag, modified: new Date(Math.floor(Date.now() / 1_000) * 1_000), metadata };
}

function metadataOf(request: IncomingMessage): Record<string, string> {
  const before = 'x-amz-meta-';
  const own = Object.entries(request.headers).filter(([name]) => name.startsWith(before));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(before.length), String(value)]));
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function plainText(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  return text.replace(/&(\w+);/g, (_, name: string) => names[name] ?? '');
}
