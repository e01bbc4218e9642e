/** A way to a server on this machine whose packets can be swallowed, as by a firewall that has lost its state. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Pair {
  isSwallowed: boolean;
  sockets: Socket[];
}

export class SwallowingProxy implements AsyncDisposable {
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
  /** Connections that were opened through it. */
  opened = 0;
  /** New connections are taken, and nothing comes through them. */
  swallowsNew = false;
  readonly #close: () => Promise<void>;
  #pairs: Pair[];

  private constructor(port: number, pairs: Pair[], close: () => Promise<void>) {
    this.port = port;
    this.#pairs = pairs;
    this.#close = close;
  }

  /** Begins to listen; `target` is a port of 127.0.0.1. */
  static async start(target: number): Promise<SwallowingProxy> {
    const sockets = new Set<Socket>();
    const pairs: Pair[] = [];
    const server = createServer((caller) => {
      const callee = connect(target, '127.0.0.1');
      const pair = { isSwallowed: proxy.swallowsNew, sockets: [caller, callee] };
      proxy.#pairs.push(pair);
      proxy.opened++;
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

  /** Both ends of what was swallowed hear of its end, as after hours; what is opened from now on comes through. */
  dropSwallowed(): void {
    for (const { isSwallowed, sockets } of this.#pairs) {
      if (isSwallowed) for (const socket of sockets) socket.destroy();
    }
    this.#pairs = this.#pairs.filter(({ isSwallowed }) => !isSwallowed);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
