/** Spans of the built program, as a collector of OpenTelemetry gets them by OTLP. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ROOT, removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number | string } }[];
}

/** A collector on the loopback address. */
class Collector implements AsyncDisposable {
  readonly #server: Server;
  readonly spans: OtlpSpan[] = [];
  readonly paths = new Set<string>();
  readonly services = new Set<string>();

  private constructor(answers: boolean) {
    this.#server = createServer(async (request, response) => {
      this.paths.add(`${request.method} ${request.url}`);
      const body = JSON.parse(String(await buffer(request)));
      for (const { resource, scopeSpans } of body.resourceSpans) {
        for (const { key, value } of resource.attributes)
          if (key === 'service.name') this.services.add(value.stringValue);
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      }
      if (answers) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  /** One that does not answer takes everything and says nothing. */
  static async start({ answers = true } = {}): Promise<Collector> {
    const collector = new Collector(answers);
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}

describe('traces', () => {
  let directory: string;
  let place: { sample: string; data: string };
  before(async () => {
    directory = await tempDirectory();
    place = await ingestSample(directory);
  });
  after(() => removeDirectory(directory));

  it('of a request go on with that of its caller, with statements and reads of objects', async () => {
    await using collector = await Collector.start();
    const server = await startServer(place.data, {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.address}/`, OTEL_SERVICE_NAME: 'tiles' },
    });
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'mine' };
    const files = await server.json<{ files: Record<string, { url: string }[]> }>(
      '/datacatalog/citygml/47900?types=bldg',
      { headers },
    );
    await server.request(files.files.bldg![0]!.url, { headers });
    // The caller does not want these.
    await server.request('/datacatalog/areas', {
      headers: { traceparent: `00-${'1'.repeat(32)}-${PARENT}-00` },
    });
    await server.request('/datacatalog/areas', { headers: { traceparent: 'nonsense' } });
    const line = await server.logged(({ msg, id }) => msg === 'request' && id === 'mine');
    assert.equal(line.trace, TRACE);
    await server.stop();

    assert.deepEqual([...collector.paths], ['POST /v1/traces']);
    assert.deepEqual([...collector.services], ['tiles']);
    const { spans } = collector;
    const ours = spans.filter(({ traceId }) => traceId === TRACE);
    const roots = ours.filter(({ parentSpanId }) => parentSpanId === PARENT);
    assert.deepEqual(
      roots.map(({ name }) => name.split(' ')[0]),
      ['GET', 'GET'],
    );
    const search = roots.find(({ name }) => name.includes('/datacatalog/citygml/'))!;
    const attributes = Object.fromEntries(
      search.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
    );
    assert.equal(attributes['http.request.method'], 'GET');
    assert.equal(Number(attributes['http.response.status_code']), 200);
    assert.equal(attributes['citymodel.request.id'], 'mine');
    assert.ok(ours.some(({ name, parentSpanId }) => name === 'SELECT' && parentSpanId === search.spanId));
    const asset = roots.find((root) => root !== search)!;
    const ofAsset = ours.filter(({ parentSpanId }) => parentSpanId === asset.spanId).map(({ name }) => name);
    assert.ok(
      ofAsset.includes('objects open') && ofAsset.some((name) => /^objects (read|stream)$/.test(name)),
      String(ofAsset),
    );
    assert.ok(!spans.some(({ traceId }) => traceId === '1'.repeat(32)));
    assert.equal(spans.filter(({ name }) => name === 'GET /datacatalog/areas').length, 1);
    // Values that a statement is asked with stay here.
    assert.doesNotMatch(JSON.stringify(spans.filter(({ name }) => name === 'SELECT')), /47900/);
  });

  it('of jobs stand alone', async () => {
    await using collector = await Collector.start();
    const env = { DATA_DIR: place.data, OTEL_EXPORTER_OTLP_ENDPOINT: collector.address };
    const worker = await runProgram(['worker', '--until-idle', '1'], env);
    assert.equal(worker.code, 0, worker.stderr);
    // The sweep that every worker asks for.
    const job = collector.spans.find(({ name }) => name === 'job sweep');
    assert.ok(job !== undefined && job.parentSpanId === undefined);
    assert.ok(collector.spans.some(({ traceId, name }) => traceId === job.traceId && name === 'transaction'));
  });

  it('cost requests nothing when the collector is silent or away', async () => {
    await using silent = await Collector.start({ answers: false });
    for (const endpoint of [silent.address, 'http://127.0.0.1:9']) {
      const server = await startServer(place.data, {
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, SHUTDOWN_GRACE_S: '1' },
      });
      const answers = await Promise.all(
        Array.from({ length: 200 }, () => server.request('/datacatalog/citygml/47900?types=bldg')),
      );
      assert.ok(answers.every(({ status }) => status === 200));
      const begun = performance.now();
      await server.stop();
      assert.ok(performance.now() - begun < 10_000);
    }
  });

  it('load nothing where no collector is named', () => {
    const cli = join(ROOT, 'packages/server/dist/cli');
    const all = new Set(readdirSync(cli));
    const reached = new Set<string>();
    const waiting = ['main.js'];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      // Texts of libraries name files, too.
      if (reached.has(name) || /^open-telemetry/.test(name) || !all.has(name)) continue;
      reached.add(name);
      const text = readFileSync(join(cli, name), 'utf8');
      for (const [, next] of text.matchAll(/(?:from|import)\s*\(?\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
        waiting.push(next!);
    }
    assert.ok(reached.size > 50);
    const isOf = (name: string) =>
      /\bOTLPTraceExporter\b|\bBatchSpanProcessor\b/.test(readFileSync(join(cli, name), 'utf8'));
    assert.deepEqual([...reached].filter(isOf), []);
    assert.ok([...all].some((name) => name.endsWith('.js') && isOf(name)));
  });
});
