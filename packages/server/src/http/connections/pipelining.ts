/**
 * HTTP/1.1 lets a caller send requests without waiting for answers (RFC 9112, section 9.3.2). Node.js hands all of them
 * to the program at once, so one connection could hold thousands. Here a connection has a fixed number of unanswered
 * requests; the next ones wait unread, or unhandled where they were read already:
 *
 *   request ──▶ handled (at most `perConnection`) ──▶ answered
 *        └────▶ waiting, connection paused ──(an answer was sent)──▶ handled
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait in all connections together; one request takes about 4 kB. */
const MAX_WAITING = 20_000;

interface Connection {
  /** Requests that are being handled. */
  unanswered: number;
  /** Requests that were read and are not handled yet. */
  waiting: Array<() => void>;
  /** Called when a further request arrives. */
  crowded: Set<() => void>;
}

export class Pipelining {
  readonly #perConnection: number;
  readonly #connections = new WeakMap<Socket, Connection>();
  #waiting = 0;

  /** `perConnection`: requests of one connection that are handled at the same time. */
  constructor(perConnection: number) {
    this.#perConnection = perConnection;
  }

  /** Requests that wait, in all connections. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Calls `handle` at once, or when an earlier request of the connection was answered. */
  admit(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#of(socket);
    const run = () => {
      connection.unanswered++;
      response.once('close', () => this.#answered(socket, connection));
      handle();
    };
    for (const wake of connection.crowded) wake();
    if (connection.unanswered < this.#perConnection) {
      run();
      return;
    }
    if (this.#waiting >= MAX_WAITING) {
      socket.destroy();
      return;
    }
    connection.waiting.push(run);
    this.#waiting++;
    socket.pause();
  }

  /** Calls `wake` when another request arrives on the connection, or at once where one has. The result ends that. */
  onCrowded(socket: Socket, wake: () => void): () => void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return () => {};
    if (connection.unanswered > 1) wake();
    connection.crowded.add(wake);
    return () => connection.crowded.delete(wake);
  }

  #of(socket: Socket): Connection {
    let connection = this.#connections.get(socket);
    if (connection !== undefined) return connection;
    const created: Connection = { unanswered: 0, waiting: [], crowded: new Set() };
    connection = created;
    this.#connections.set(socket, created);
    // Reading the body of an earlier request resumes the socket.
    socket.on('resume', () => {
      if (created.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      this.#waiting -= created.waiting.length;
      created.waiting = [];
    });
    return connection;
  }

  #answered(socket: Socket, connection: Connection): void {
    connection.unanswered--;
    const next = connection.waiting.shift();
    if (next === undefined) return;
    this.#waiting--;
    next();
    if (connection.waiting.length === 0 && !socket.destroyed) socket.resume();
  }
}
