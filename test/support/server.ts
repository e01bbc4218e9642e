/** The built server over a data directory, on a free port, watched by its log. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { createInterface } from 'node:readline';
import { freePort } from '../../packages/store/src/testing/free-port.ts';
import { spawnProgram } from './program.ts';

/** A line of the server's log. */
export interface LogLine {
  level: number;
  time: string;
  msg: string;
  [key: string]: unknown;
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** The body parsed; throws when it is no JSON. */
  json<T>(): T;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface ServerOptions {
  /** Settings besides DATA_DIR, PORT and HOST. */
  env?: Record<string, string>;
  /** Messages of warnings and errors that the test provokes. */
  expected?: readonly RegExp[];
  /** True when the emitted URLs must work for others, such as a browser: PUBLIC_URL is then where it listens. */
  reachable?: boolean;
}

/** What URLs in answers begin with, unless the server is `reachable`: nothing that a request could have told. */
export const PUBLIC_URL = 'https://citymodel.example.jp/base';
const WARN = 40;

export class TestServer implements AsyncDisposable {
  /** Where it listens, e.g. `http://127.0.0.1:41873`. */
  readonly address: string;
  readonly publicUrl: string;
  readonly log: LogLine[];
  readonly child: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #expected: readonly RegExp[];
  readonly #output: Output;
  #stopped = false;

  constructor(
    child: ChildProcess,
    output: Output,
    address: string,
    publicUrl: string,
    expected: readonly RegExp[],
  ) {
    this.child = child;
    this.#output = output;
    this.log = output.log;
    this.address = address;
    this.publicUrl = publicUrl;
    this.#expected = expected;
  }

  /** Sends a request for a path exactly as it is written, or for a URL that the server emitted. */
  async request(target: string, options: RequestOptions = {}): Promise<Reply> {
    const path = target.startsWith('/') ? target : this.pathOf(target);
    const outgoing = request(this.address, {
      path,
      method: options.method ?? 'GET',
      headers: options.headers,
      agent: this.#agent,
    });
    outgoing.end(options.body);
    const [incoming] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    return {
      status: incoming.statusCode,
      headers: incoming.headers,
      body,
      get text() {
        return body.toString();
      },
      json: () => JSON.parse(body.toString()),
    };
  }

  /** The JSON of a `200`. */
  async json<T>(target: string, options: RequestOptions = {}): Promise<T> {
    const reply = await this.request(target, options);
    assert.equal(reply.status, 200, `${target}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return reply.json<T>();
  }

  /** The path to request for an emitted URL, which must be absolute and of this service. */
  pathOf(url: string): string {
    assert.ok(url.startsWith(`${this.publicUrl}/`), `${url} does not begin with ${this.publicUrl}/`);
    return url.slice(this.publicUrl.length);
  }

  /** Waits for a line of the log, also one that is there already. */
  async logged(matches: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const line = this.log.find(matches);
      if (line !== undefined) return line;
      await this.#output.more();
    }
  }

  /** Asks the server to stop, waits for its end, and fails on trouble in the log. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#agent.destroy();
    this.child.kill('SIGTERM');
    await this.#output.ended;
    assert.equal(this.child.exitCode, 0, `exit code ${this.child.exitCode}, signal ${this.child.signalCode}`);
    this.#output.assertQuiet(this.#expected);
  }

  /** Ends the server at once, as a crash would. */
  async kill(): Promise<void> {
    this.#stopped = true;
    this.#agent.destroy();
    this.child.kill('SIGKILL');
    await this.#output.ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Starts the server; it listens when this resolves. */
export async function startServer(dataDir: string, options: ServerOptions = {}): Promise<TestServer> {
  const port = options.reachable === true ? await freePort() : 0;
  const publicUrl =
    options.reachable === true ? `http://127.0.0.1:${port}` : (options.env?.PUBLIC_URL ?? PUBLIC_URL);
  const child = spawnProgram(['serve'], {
    HOST: '127.0.0.1',
    CATALOGUE_POLL_MS: '100',
    CATALOGUE_QUIET_MS: '0',
    // Tests look right after a change; test/one-switch.test.ts is about when servers show it.
    CATALOGUE_SWITCH_MS: '0',
    // Whether a machine is fast enough is no question of these tests.
    LOOP_WARN_MS: '0',
    ...options.env,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
  });
  const output = new Output(child);
  for (;;) {
    const line = output.log.find(({ msg }) => msg === 'listening');
    if (line !== undefined) {
      return new TestServer(child, output, String(line.address), publicUrl, options.expected ?? []);
    }
    if (!(await output.more())) {
      throw new Error(
        `The server ended with ${child.exitCode}: ${output.errors}${JSON.stringify(output.log)}`,
      );
    }
  }
}

/** What a child prints, line by line. */
class Output {
  readonly log: LogLine[] = [];
  /** Lines on the standard output that are no JSON, and everything on the standard error. */
  errors = '';
  readonly ended: Promise<unknown>;
  #hasEnded = false;
  #waiting: Array<() => void> = [];

  constructor(child: ChildProcess) {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      try {
        this.log.push(JSON.parse(line));
      } catch {
        this.errors += `${line}\n`;
      }
      this.#wake();
    });
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
    this.ended = once(child, 'close').then(() => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** Resolves at the next line; false when the child has ended. */
  async more(): Promise<boolean> {
    if (this.#hasEnded) return false;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return true;
  }

  assertQuiet(expected: readonly RegExp[]): void {
    const trouble = this.log.filter(
      ({ level, msg }) => level >= WARN && !expected.some((pattern) => pattern.test(msg)),
    );
    assert.deepEqual(trouble, [], 'warnings or errors in the log');
    assert.equal(this.errors, '', 'output that is no log line');
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
