/** A TCP proxy on 127.0.0.1 that passes on what a client sends some time later, or not at all. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class SlowProxy implements AsyncDisposable {
  /** Milliseconds by which each piece that a client sends is late. */
  delay = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<SlowProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      for (const socket of [client, upstream]) {
        proxy.#sockets.add(socket);
        socket.setNoDelay();
        socket.on('error', () => {});
        socket.on('close', () => {
          proxy.#sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.on('data', (bytes) => {
        if (proxy.delay === 0) upstream.write(bytes);
        else setTimeout(() => upstream.writable && upstream.write(bytes), proxy.delay);
      });
      upstream.pipe(client);
    });
    const proxy = new SlowProxy(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
