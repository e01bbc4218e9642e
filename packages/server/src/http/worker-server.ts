/** What a worker answers those who watch over it: whether it lives, whether its stores answer, and its figures. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogueStore, ObjectStore } from '@citymodel/store';
import type { DiskWatch } from './observe/disk-checks.ts';
import type { Metrics } from './observe/metrics.ts';
import { checkDisks, checkStores } from './observe/store-checks.ts';

/** A caller who takes longer to ask is cut off, ms. */
const REQUEST_MS = 5_000;
/** Callers at once; the operator's tools are few. */
const MAX_CONNECTIONS = 32;

export interface WorkerServerOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  metrics: Metrics;
  stores: { catalogue: CatalogueStore; objects: ObjectStore };
  disks: DiskWatch;
  /** Whether the worker is stopping. */
  isStopping(): boolean;
}

export interface WorkerServer {
  /** Where it listens, such as `http://127.0.0.1:41873`. */
  address: string;
  close(): Promise<void>;
}

/** Listens. Rejects as the system does when the port is taken. */
export async function startWorkerServer(options: WorkerServerOptions): Promise<WorkerServer> {
  const { host, port, metrics, stores, disks, isStopping } = options;
  const answers: Record<string, () => Promise<Answer>> = {
    '/health/live': async () => ({ status: 200, body: { status: 'ok' } }),
    '/health/ready': async () => {
      const checks: Record<string, string> = isStopping()
        ? { worker: 'is stopping' }
        : Object.assign({}, ...(await Promise.all([checkStores(stores), checkDisks(disks)])));
      const failed = Object.entries(checks).filter(([part, state]) => state !== 'ok' && part !== 'cache');
      if (failed.length === 0) return { status: 200, body: { status: 'ok', checks } };
      const reason = failed.map(([name, state]) => `${name}: ${state}`).join('; ');
      return { status: 503, body: { error: 'unavailable', reason, checks } };
    },
    '/metrics': async () => {
      const { type, text } = await metrics.exposed();
      return { status: 200, type, body: text };
    },
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      const path = request.url?.split('?', 1)[0] ?? '';
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
      const readyAnswer =
        answer === undefined || !isRead
          ? Promise.resolve({
              status: answer === undefined ? 404 : 405,
              body: {
                error: answer === undefined ? 'not found' : 'method not allowed',
                reason: `A worker answers GET ${Object.keys(answers).join(', ')}.`,
              },
            } as Answer)
          : answer();
      readyAnswer.then(
        ({ status, type = 'application/json; charset=utf-8', body }) => {
          response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
          response.end(typeof body === 'string' ? body : JSON.stringify(body));
        },
        () => response.writeHead(500).end(),
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: taken } = server.address() as AddressInfo;
  return {
    address: `http://${address.includes(':') ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Answer {
  status: number;
  type?: string;
  body: string | object;
}
