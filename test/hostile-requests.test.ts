/**
 * What a stranger can send, against the built server. A test of what a request costs asks `/health/live` beside it, or
 * looks at the peak memory of the process.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { assertErrorObject, type Catalogue } from './support/interface-schemas.ts';
import { goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestOne } from './support/store.ts';

const DATASETS = '/datacatalog/citymodel-datasets';
const SCRIPT = '<html xmlns="http://www.w3.org/1999/xhtml"><script>window.xss=1</script></html>';

let directory: string;
let data: string;
let server: TestServer;
/** Path of the package's members. */
let root: string;

before(async () => {
  directory = await tempDirectory();
  data = join(directory, 'data');
  const members = Object.fromEntries(
    [
      'evil.xml',
      'evil.xsd',
      'evil.html',
      'evil.svg',
      'evil.pdf',
      'x.constructor',
      'x.__proto__',
      'map.png',
    ].map((name) => [`specification/${name}`, SCRIPT]),
  );
  const zip = await writeZip(join(directory, `${PACKAGE}.zip`), { ...goodPackage(), ...members });
  await ingestOne(data, [zip]);
  // No test wants a pack to be made.
  server = await startServer(data, { env: { PACK_WORKERS: '0' } });
  const { citygml } = await server.json<Catalogue>(DATASETS);
  root = server.pathOf(citygml[0]!.url).replace(/\.zip$/, '');
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** A connection to the server, with all that it answers. */
class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  text = '';

  constructor({ address }: TestServer) {
    const { hostname, port } = new URL(address);
    this.socket = connect(Number(port), hostname);
    this.socket.on('error', () => {});
    this.socket.setEncoding('latin1').on('data', (text) => {
      this.text += text;
    });
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  send(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Waits until the answers contain so many matches. */
  async received(pattern: RegExp, count = 1): Promise<void> {
    while ((this.text.match(pattern)?.length ?? 0) < count) await once(this.socket, 'data');
  }
}

/** Sends lines that are a whole request and returns the answer when the server has closed the connection. */
async function ask(to: TestServer, text: string): Promise<{ status: number; headers: string; body: string }> {
  const connection = new RawConnection(to);
  connection.send(text);
  await connection.closed;
  const [headers = '', body = ''] = connection.text.split('\r\n\r\n');
  return { status: Number(headers.split(' ')[1]), headers, body };
}

/** Highest memory that the process has had, MB. */
function peakMemory({ child }: TestServer): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) / 1_000;
}

/** A pack that nobody works on. */
async function waitingPack(of: TestServer): Promise<string> {
  const { citygml } = await of.json<Catalogue>(DATASETS);
  const { files } = await of.json<{ files: Record<string, Array<{ url: string }>> }>(
    `/datacatalog/citygml/${citygml[0]!.id}`,
  );
  const body = JSON.stringify({ urls: [Object.values(files)[0]![0]!.url] });
  return (await of.request('/citygml/pack', { method: 'POST', body })).json<{ id: string }>().id;
}

describe('one connection', () => {
  it('has few requests handled at a time, in order, and the others wait unread', async () => {
    await using busy = await startServer(data, { env: { PACK_WORKERS: '0' } });
    const id = await waitingPack(busy);
    const before = peakMemory(busy);
    const connection = new RawConnection(busy);
    const poll = `GET /citygml/pack/${id}/status?wait=60 HTTP/1.1\r\nHost: a\r\n\r\n`;
    const list = `GET /datacatalog/citygml/47201 HTTP/1.1\r\nHost: a\r\n\r\n`;
    connection.send(poll + list.repeat(3_000));
    await connection.received(/HTTP\/1\.1 200/g, 3_001);
    assert.match(connection.text.slice(0, 2_000), /"status":"accepted"/);
    connection.socket.destroy();
    const grown = peakMemory(busy) - before;
    assert.ok(grown < 150, `${Math.round(grown)} MB`);
  });

  it('is answered at once for a long poll when another request waits behind it', async () => {
    await using busy = await startServer(data, { env: { PACK_WORKERS: '0' } });
    const id = await waitingPack(busy);
    const connection = new RawConnection(busy);
    connection.send(`GET /citygml/pack/${id}/status?wait=60 HTTP/1.1\r\nHost: a\r\n\r\n`);
    // The poll is there when an answer of another connection is.
    await busy.request('/health/live');
    connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await connection.closed;
    assert.equal(connection.text.match(/HTTP\/1\.1 200/g)?.length, 2);
  });

  it('does not count when one address waits with too many', async () => {
    await using busy = await startServer(data, { env: { PACK_WORKERS: '0', LONG_POLLS_PER_ADDRESS: '0' } });
    const id = await waitingPack(busy);
    const status = await busy.json<{ status: string }>(`/citygml/pack/${id}/status?wait=60`);
    assert.equal(status.status, 'accepted');
  });

  it('is closed when there are too many', async () => {
    await using small = await startServer(data, { env: { MAX_CONNECTIONS: '3', PACK_WORKERS: '0' } });
    const open = Array.from({ length: 3 }, () => new RawConnection(small));
    for (const connection of open) {
      connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await connection.received(/"ok"/g);
    }
    const beyond = new RawConnection(small);
    beyond.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    await beyond.closed;
    assert.equal(beyond.text, '');
    for (const { socket } of open) socket.destroy();
  });
});

describe('a body', () => {
  it('that arrives too slowly is given up, also below 60 seconds', async () => {
    await using hasty = await startServer(data, { env: { REQUEST_TIMEOUT_S: '1', PACK_WORKERS: '0' } });
    for (const head of [
      'POST /citygml/pack HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{',
      'GET /health/live HTTP/1.1\r\nHo',
    ]) {
      const { status, body } = await ask(hasty, head);
      assert.equal(status, 408, head);
      assertErrorObject(JSON.parse(body));
    }
  });

  it('waits its turn when others fill the memory for bodies', async () => {
    await using small = await startServer(data, { env: { MAX_BODIES_BYTES: '2000000', PACK_WORKERS: '0' } });
    const slow = Array.from({ length: 4 }, () => new RawConnection(small));
    const statuses: string[] = [];
    for (const connection of slow) {
      connection.send('POST /citygml/pack HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n');
      connection.send(' '.repeat(899_000));
    }
    // Two of them fit.
    await Promise.any(slow.map((connection) => connection.received(/\r\n\r\n\{/g)));
    for (const { text } of slow) if (text !== '') statuses.push(text);
    assert.match(statuses[0]!, /^HTTP\/1\.1 503/);
    assert.match(statuses[0]!, /retry-after: \d/i);
    for (const { socket } of slow) socket.destroy();
    // What they held is free again.
    for (;;) {
      const reply = await small.request('/citygml/pack', { method: 'POST', body: ' '.repeat(900_000) });
      if (reply.status === 400) break;
      assert.equal(reply.status, 503);
    }
  });

  it('that is too large is read to its end, so that the answer arrives', async () => {
    const size = 24 << 20;
    const connection = new RawConnection(server);
    connection.send(`POST /citygml/pack HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
    const chunk = Buffer.alloc(1 << 20, 32);
    for (let sent = 0; sent < size; sent += chunk.length) {
      if (!connection.socket.write(chunk)) await once(connection.socket, 'drain');
    }
    await connection.received(/request too large/g);
    assert.match(connection.text, /^HTTP\/1\.1 413/);
    // The connection goes on.
    connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await connection.closed;
    assert.match(connection.text, /"status":"ok"/);
    const fetched = await fetch(`${server.address}/citygml/pack`, {
      method: 'POST',
      body: Buffer.alloc(size),
    });
    assert.equal(fetched.status, 413);
  });

  it('that is too large is refused so that a client which sends first reads the answer', {
    skip: spawnSync('python3', ['--version']).status === 0 ? false : 'needs python3',
  }, async () => {
    const program = `
import sys, urllib.request, urllib.error
try:
    urllib.request.urlopen(urllib.request.Request(sys.argv[1], data=b'"' + b'x' * 20_000_000 + b'"'))
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`;
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      program,
      `${server.address}/citygml/pack`,
    ]);
    assert.match(stdout, /^413 /);
    assertErrorObject(JSON.parse(stdout.slice(4)));
  });

  it('that is too large by far ends the connection', async () => {
    await using strict = await startServer(data, {
      env: { MAX_DROPPED_BYTES: '1000000', PACK_WORKERS: '0' },
    });
    const connection = new RawConnection(strict);
    connection.send('POST /citygml/pack HTTP/1.1\r\nHost: a\r\nContent-Length: 900000000\r\n\r\n');
    const chunk = Buffer.alloc(1 << 20, 32);
    while (!connection.socket.destroyed) {
      if (!connection.socket.write(chunk)) {
        await Promise.race([once(connection.socket, 'drain').catch(() => {}), connection.closed]);
      }
    }
    assert.equal((await strict.request('/health/live')).status, 200);
  });

  it('that is compressed is refused with 415', async () => {
    const reply = await server.request('/citygml/pack', {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('{"urls":[]}'),
    });
    assert.equal(reply.status, 415);
    assertErrorObject(reply.json());
  });

  it('of brackets is refused before it is parsed', async () => {
    for (const body of ['['.repeat(3_000_000), `[${'{},'.repeat(1_000_000)}{}]`]) {
      const reply = await server.request('/citygml/pack', { method: 'POST', body });
      assert.equal(reply.status, 400);
      assertErrorObject(reply.json());
    }
  });
});

describe('what a package brings', () => {
  it('is never a page of this service', async () => {
    for (const name of ['evil.xml', 'evil.xsd', 'evil.html', 'evil.svg', 'evil.pdf']) {
      const { status, headers } = await server.request(`${root}/specification/${name}`);
      assert.equal(status, 200, name);
      assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'");
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['content-disposition'], `attachment; filename="${name}"`);
    }
    const image = await server.request(`${root}/specification/map.png`);
    assert.equal(image.headers['content-disposition'], undefined);
    assert.equal(image.headers['content-security-policy'], "sandbox; default-src 'none'");
  });

  it('may have any name', async () => {
    for (const name of ['x.constructor', 'x.__proto__']) {
      const { status, headers } = await server.request(`${root}/specification/${name}`);
      assert.equal(status, 200, name);
      assert.equal(headers['content-type'], 'application/octet-stream');
    }
  });
});

describe('a request', () => {
  it('may name its target in absolute form', async () => {
    const get = (path: string) =>
      ask(server, `GET http://h${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    assert.equal((await get('/datacatalog/citygml/47201')).status, 200);
    assert.equal((await get(`${root}/specification/map.png`)).status, 200);
    assert.equal((await get('')).status, 200);
  });

  it('must name its host once', async () => {
    for (const hosts of ['', 'Host: a\r\nHost: b\r\n']) {
      const { status, body } = await ask(
        server,
        `GET /health/live HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
      );
      assert.equal(status, 400, hosts);
      assertErrorObject(JSON.parse(body));
    }
    assert.equal((await ask(server, 'GET /health/live HTTP/1.0\r\n\r\n')).status, 200);
  });

  it('of a method that a path lacks is 405 with Allow, of one that nobody knows 501', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'DELETE', 'M-SEARCH']) {
      const { status, headers } = await server.request(DATASETS, { method });
      assert.equal(status, 405, method);
      assert.equal(headers.allow, 'GET, HEAD, OPTIONS');
    }
    const unknown = await ask(server, 'FOOBAR / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.equal(unknown.status, 501);
    assertErrorObject(JSON.parse(unknown.body));
    const connecting = await ask(server, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(connecting.status, 405);
    assert.equal(
      (await server.request('/citygml/pack', { method: 'OPTIONS' })).headers.allow,
      'POST, OPTIONS',
    );
  });

  it('with an expectation that nobody can meet gets the error object', async () => {
    const { status, body } = await ask(
      server,
      'GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n',
    );
    assert.equal(status, 417);
    assertErrorObject(JSON.parse(body));
  });

  it('that is too long is told the limit', async () => {
    const { status, body } = await ask(server, `GET /${'x'.repeat(600_000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    assert.equal(status, 431);
    assert.match(JSON.parse(body).reason, /524288/);
  });

  it('may ask for any header in a preflight, and for no line end', async () => {
    const preflight = (headers: string) =>
      server.request(DATASETS, {
        method: 'OPTIONS',
        headers: { 'access-control-request-headers': headers, 'access-control-request-method': 'GET' },
      });
    const wanted = 'x-requested-with,cache-control,traceparent,apollographql-client-name';
    assert.equal((await preflight(wanted)).headers['access-control-allow-headers'], wanted);
    const odd = await preflight('a;b=<c>');
    assert.match(String(odd.headers['access-control-allow-headers']), /^authorization, /);
  });

  it('of HEAD ignores Range, and If-Match is heeded everywhere', async () => {
    const range = { range: 'bytes=0-9' };
    const head = await server.request(`${root}.zip`, { method: 'HEAD', headers: range });
    assert.equal(head.status, 200);
    assert.equal((await server.request(`${root}.zip`, { headers: range })).status, 206);
    for (const path of [`${root}.zip`, DATASETS, '/', '/docs', '/openapi.json', '/status.json']) {
      assert.equal((await server.request(path, { headers: { 'if-match': '"x"' } })).status, 412, path);
      assert.equal((await server.request(path, { headers: { 'if-match': '*' } })).status, 200, path);
    }
  });
});

describe('a caller that goes away', () => {
  it('is no error and no 500', async () => {
    await using quiet = await startServer(data, { env: { PACK_WORKERS: '0' } });
    for (let i = 0; i < 20; i++) {
      const connection = new RawConnection(quiet);
      connection.send(
        `GET /citygml/features?bbox=127,26,128,27&x=${'y'.repeat(5_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      await once(connection.socket, 'connect');
      connection.socket.destroy();
      await connection.closed;
    }
    const { text } = await quiet.request('/metrics');
    assert.doesNotMatch(text, /status="500"/);
    for (const line of quiet.log) assert.ok(JSON.stringify(line).length < 3_000);
  });
});
