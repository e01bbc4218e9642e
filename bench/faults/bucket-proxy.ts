/** A way to an S3 on this machine on which answers are late, lost, damaged, refused, or another program's. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** What happens to a request. */
export type BucketFault =
  | { kind: 'none' }
  /** It goes on so much later, ms. */
  | { kind: 'late'; ms: number }
  /** No answer comes. */
  | { kind: 'hang' }
  /** Half of the answer comes, and then nothing more. */
  | { kind: 'stall' }
  /** One bit of the body of an answer with an object is another. */
  | { kind: 'flip' }
  /** Another program answers, as a captive portal or a proxy does. */
  | { kind: 'html'; status: number }
  /** The credentials are no longer good. */
  | { kind: 'expired' };

const EXPIRED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>`;
const HTML =
  '<!DOCTYPE html><html><head><title>Welcome</title></head><body><p>Please log in.</p></body></html>';

export class BucketProxy implements AsyncDisposable {
  fault: BucketFault = { kind: 'none' };
  /** Which of the requests the fault is for, 0 to 1. */
  share = 1;
  /** Requests that the fault was done to. */
  done = 0;
  readonly #target: URL;
  readonly #server = createServer((asked, reply) => void this.#handle(asked, reply));
  readonly #held = new Set<ServerResponse>();

  private constructor(target: string) {
    this.#target = new URL(target);
    // Bodies of any length and patience of any kind pass.
    this.#server.requestTimeout = 0;
  }

  static async start(target: string): Promise<BucketProxy> {
    const proxy = new BucketProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the fault, and the lines on which callers still wait. */
  heal(): void {
    this.fault = { kind: 'none' };
    this.share = 1;
    for (const reply of this.#held) reply.destroy();
    this.#held.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const fault: BucketFault = Math.random() < this.share ? this.fault : { kind: 'none' };
    // A listing is no object.
    const isObject = asked.method === 'GET' && !asked.url!.includes('list-type=');
    if (fault.kind === 'flip' ? isObject : fault.kind !== 'none') this.done++;
    reply.on('error', () => {});
    switch (fault.kind) {
      case 'hang':
        this.#held.add(reply);
        asked.resume();
        return;
      case 'html':
        asked.resume();
        reply.writeHead(fault.status, { 'content-type': 'text/html' }).end(HTML);
        return;
      case 'expired':
        asked.resume();
        reply.writeHead(403, { 'content-type': 'application/xml' });
        reply.end(asked.method === 'HEAD' ? '' : EXPIRED);
        return;
      case 'late':
        await pause(fault.ms);
    }
    this.#forward(asked, reply, isObject ? fault : { kind: 'none' });
  }

  #forward(asked: IncomingMessage, reply: ServerResponse, fault: BucketFault): void {
    const cut = () => (reply.socket ?? new Socket()).destroy();
    // Headers as they came: they are signed, with the name of the host.
    const onward: ClientRequest = request({
      host: this.#target.hostname,
      port: this.#target.port,
      method: asked.method,
      path: asked.url,
      headers: asked.rawHeaders,
      setHost: false,
    });
    onward.on('error', cut);
    onward.on('response', (answer) => {
      answer.on('error', cut);
      reply.writeHead(answer.statusCode!, answer.rawHeaders);
      const length = Number(answer.headers['content-length'] ?? 0);
      if (fault.kind === 'stall' && length > 1) this.#stall(answer, reply, length);
      else if (fault.kind === 'flip') answer.pipe(flipping(length)).pipe(reply);
      else answer.pipe(reply);
    });
    reply.on('close', () => onward.destroy());
    asked.pipe(onward);
  }

  #stall(answer: IncomingMessage, reply: ServerResponse, length: number): void {
    this.#held.add(reply);
    let left = Math.floor(length / 2);
    answer.on('data', (bytes: Buffer) => {
      if (left > 0) reply.write(bytes.subarray(0, left));
      left -= bytes.length;
    });
  }
}

/** Turns one bit of a body around, at a random place. */
function flipping(length: number): Transform {
  const place = Math.floor(Math.random() * length);
  let at = 0;
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      const copy = Buffer.from(bytes);
      if (place >= at && place < at + copy.length) copy[place - at]! ^= 1 << Math.floor(Math.random() * 8);
      at += copy.length;
      done(null, copy);
    },
  });
}
