/** A small load balancer: each request goes to the next server that says that it is ready. It tries nothing twice. */
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Between two health checks of a server, ms. */
export const CHECK_MS = 100;

interface Target {
  address: string;
  agent: Agent;
  isReady: boolean;
  timer: NodeJS.Timeout;
}

export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #targets = new Map<string, Target>();
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Balancer> {
    const server = createServer((incoming, outgoing) => {
      const target = balancer.#next();
      if (target === null) {
        outgoing.writeHead(502).end('no server is ready');
        return;
      }
      const { method, url: path, headers } = incoming;
      const forwarded = request(target.address, { method, path, headers, agent: target.agent }, (answer) => {
        // The connection to a caller is the balancer's own matter.
        const { connection: _, ...rest } = answer.headers;
        outgoing.writeHead(answer.statusCode!, rest);
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      forwarded.on('error', (error) => {
        if (outgoing.headersSent) outgoing.destroy();
        else outgoing.writeHead(502).end(String(error));
      });
      incoming.pipe(forwarded);
    });
    const balancer = new Balancer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds a server; it gets requests once it has said that it is ready, which this waits for. */
  async add(address: string): Promise<void> {
    const check = async () => {
      target.isReady = await fetch(`${address}/health/ready`, { headers: { connection: 'close' } }).then(
        (answer) => answer.text().then(() => answer.ok),
        () => false,
      );
    };
    const target: Target = {
      address,
      agent: new Agent({ keepAlive: true }),
      isReady: false,
      timer: setInterval(check, CHECK_MS),
    };
    this.#targets.set(address, target);
    while (!target.isReady) await check();
  }

  /** Forgets a server. */
  remove(address: string): void {
    const target = this.#targets.get(address);
    if (target === undefined) return;
    clearInterval(target.timer);
    target.agent.destroy();
    this.#targets.delete(address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const address of [...this.#targets.keys()]) this.remove(address);
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #next(): Target | null {
    const ready = [...this.#targets.values()].filter(({ isReady }) => isReady);
    return ready.length === 0 ? null : ready[this.#turn++ % ready.length]!;
  }
}
