/** A way to a server on this machine whose packets can be swallowed, as by a firewall that has lost its state. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export class SwallowingProxy implements AsyncDisposable {
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
  /** Connections that were opened through it. */
  opened = 0;
  /** New connections are taken, and nothing comes through them. */
  swallowsNew = false;
  readonly #close: () => Promise<void>;
  readonly #pairs: Array<{ isSwallowed: boolean }>;

  private constructor(port: number, pairs: Array<{ isSwallowed: boolean }>, close: () => Promise<void>) {
    this.port = port;
    this.#pairs = pairs;
    this.#close = close;
  }

  /** Begins to listen; `target` is a port of 127.0.0.1. */
  static async start(target: number): Promise<SwallowingProxy> {
    const sockets = new Set<Socket>();
    const pairs: Array<{ isSwallowed: boolean }> = [];
    const server = createServer((caller) => {
      const pair = { isSwallowed: proxy.swallowsNew };
      pairs.push(pair);
      proxy.opened++;
      const callee = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [caller, callee],
        [callee, caller],
      ] as const) {
        sockets.add(from);
        from.on('data', (bytes) => {
          if (!pair.isSwallowed) to.write(bytes);
        });
        from.on('error', () => {});
        from.on('close', () => {
          sockets.delete(from);
          // The other side of a swallowed line hears nothing of the end either.
          if (!pair.isSwallowed) to.destroy();
        });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SwallowingProxy((server.address() as AddressInfo).port, pairs, async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });
    return proxy;
  }

  /** From now on nothing comes through the connections that are open. */
  swallow(): void {
    for (const pair of this.#pairs) pair.isSwallowed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
