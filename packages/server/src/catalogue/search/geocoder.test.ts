import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { createGeocoder as create, type Geocoder, type GeocoderOptions } from './geocoder.ts';

function createGeocoder(address: string, options: Partial<GeocoderOptions>): Geocoder {
  return create(address, { timeout: 5000, maxAtOnce: 100, maxPerMinute: 0, ...options });
}

const never = new AbortController().signal;

/** What the next request gets. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const requests: URL[] = [];
const server = createServer((request, response) => {
  requests.push(new URL(request.url!, 'http://geocoder'));
  answer(request, response);
});
let base = '';

function json(value: unknown): (request: IncomingMessage, response: ServerResponse) => void {
  return (_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

async function fails(geocoder: Geocoder, reason: RegExp): Promise<void> {
  await assert.rejects(geocoder.locate('somewhere', never), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.status, 503);
    assert.equal(error.message, 'unavailable');
    assert.ok(error.retryAfter! > 0);
    assert.match(error.reason!, reason);
    return true;
  });
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => requests.splice(0));
after(() => {
  server.closeAllConnections();
  server.close();
});

describe('outside geocoders', () => {
  it('speaks to Nominatim', async () => {
    answer = json([
      {
        display_name: '沼津駅, 沼津市',
        lat: '35.1',
        lon: '138.8',
        boundingbox: ['35.10', '35.11', '138.85', '138.86'],
      },
    ]);
    const geocoder = createGeocoder(`${base}/nominatim/?key=k`, { timeout: 5000 });
    assert.deepEqual(await geocoder.locate('沼津駅', never), [
      {
        label: '沼津駅, 沼津市',
        codes: [],
        bounds: { west: 138.85, south: 35.1, east: 138.86, north: 35.11 },
        complete: true,
      },
    ]);
    const [asked] = requests;
    assert.equal(asked!.pathname, '/nominatim/search');
    assert.deepEqual(Object.fromEntries(asked!.searchParams), {
      key: 'k',
      q: '沼津駅',
      format: 'jsonv2',
      limit: '1',
    });
    assert.deepEqual(
      await createGeocoder(`${base}/search`, { timeout: 5000 })
        .locate('x', never)
        .then((m) => m.length),
      1,
    );
    assert.equal(requests[1]!.pathname, '/search');
  });

  it('speaks to the address search', async () => {
    answer = json([
      {
        geometry: { coordinates: [138.86, 35.1], type: 'Point' },
        type: 'Feature',
        properties: { title: '静岡県沼津市' },
      },
      {
        geometry: { coordinates: [130, 33], type: 'Point' },
        type: 'Feature',
        properties: { title: '別の沼津' },
      },
    ]);
    const geocoder = createGeocoder(`${base}/address-search/AddressSearch`, { timeout: 5000 });
    assert.deepEqual(await geocoder.locate('沼津', never), [
      {
        label: '静岡県沼津市',
        codes: [],
        bounds: { west: 138.86, south: 35.1, east: 138.86, north: 35.1 },
        complete: true,
      },
    ]);
    assert.equal(requests[0]!.pathname, '/address-search/AddressSearch');
    assert.equal(requests[0]!.searchParams.get('q'), '沼津');
  });

  it('leaves out places without a usable position', async () => {
    answer = json([
      { display_name: 'x' },
      { boundingbox: ['a', 'b', 'c', 'd'] },
      { boundingbox: ['0', '91', '0', '1'] },
      null,
    ]);
    assert.deepEqual(await createGeocoder(base, { timeout: 5000 }).locate('x', never), []);
  });

  it('remembers what is known and what is not, and forgets the oldest', async () => {
    answer = json([]);
    const geocoder = createGeocoder(base, { timeout: 5000, cacheSize: 2 });
    await Promise.all([geocoder.locate('a', never), geocoder.locate('a', never)]);
    await geocoder.locate('a', never);
    assert.equal(requests.length, 1);
    await geocoder.locate('b', never);
    await geocoder.locate('a', never);
    await geocoder.locate('c', never);
    await geocoder.locate('a', never);
    assert.equal(requests.length, 3);
    await geocoder.locate('b', never);
    assert.equal(requests.length, 4);
  });

  it('does not remember failures', async () => {
    const geocoder = createGeocoder(base, { timeout: 5000 });
    answer = (_, response) => response.writeHead(500).end();
    await fails(geocoder, /status 500/);
    answer = json([]);
    assert.deepEqual(await geocoder.locate('somewhere', never), []);
  });

  it('says why it could not be asked', async () => {
    const geocoder = createGeocoder(base, { timeout: 5000 });
    answer = (_, response) => response.end('<html>');
    await fails(geocoder, /not JSON/);
    answer = json({ error: 'no' });
    await fails(geocoder, /not what such a service answers/);
    answer = (request) => request.socket.destroy();
    await fails(geocoder, /cannot be reached/);
    answer = (_, response) => response.end(Buffer.alloc(2 * 1024 * 1024, 0x20));
    await fails(geocoder, /larger than/);
    answer = () => {};
    await fails(createGeocoder(base, { timeout: 50 }), /in time/);
  });

  it('follows redirects on its own host only', async () => {
    const geocoder = createGeocoder(base, { timeout: 5000 });
    answer = (request, response) => {
      if (request.url!.startsWith('/search')) response.writeHead(301, { location: '/moved' }).end();
      else json([])(request, response);
    };
    assert.deepEqual(await geocoder.locate('here', never), []);
    assert.ok(requests.some(({ pathname }) => pathname === '/moved'));
    answer = (_, response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end();
    await fails(geocoder, /redirects/);
    answer = (_, response) => response.writeHead(302, { location: '/search' }).end();
    await fails(geocoder, /redirects/);
  });

  it('lets a caller go away without spoiling the answer of another', async () => {
    let release = (): void => {};
    answer = (request, response) => {
      release = () => json([])(request, response);
      arrived();
    };
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const geocoder = createGeocoder(base, { timeout: 5000 });
    const leaving = new AbortController();
    const [left, stays] = [geocoder.locate('x', leaving.signal), geocoder.locate('x', never)];
    await arrival;
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    release();
    assert.deepEqual(await stays, []);
    assert.equal(requests.length, 1);
    await assert.rejects(geocoder.locate('x', leaving.signal), /gone/);
  });

  it('asks so many names at once and in a minute, and what is known costs nothing', async () => {
    answer = json([]);
    let time = 0;
    const geocoder = createGeocoder(base, { maxPerMinute: 3, now: () => time });
    for (const name of ['a', 'b', 'c', 'a', 'b']) await geocoder.locate(name, never);
    time = 45_000;
    await assert.rejects(geocoder.locate('d', never), {
      status: 503,
      message: 'unavailable',
      retryAfter: 15,
    });
    assert.deepEqual(await geocoder.locate('c', never), []);
    assert.equal(requests.length, 3);
    time = 60_000;
    await geocoder.locate('d', never);
    assert.equal(requests.length, 4);

    const narrow = createGeocoder(base, { maxAtOnce: 2 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 500 }, (_, i) => narrow.locate(`name ${i}`, never)),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
    assert.equal(requests.length, 6);
    await narrow.locate('later', never);
  });

  it('takes the best of many places', async () => {
    const place = { boundingbox: ['35.1', '35.2', '138.8', '138.9'] };
    answer = json([{ boundingbox: ['x'] }, ...Array.from({ length: 5_000 }, () => place)]);
    assert.equal((await createGeocoder(base, {}).locate('x', never)).length, 1);
  });

  it('does not tell callers where the geocoder is', async () => {
    answer = (request) => request.socket.destroy();
    const error = await createGeocoder(base, {})
      .locate('x', never)
      .catch((thrown) => thrown);
    assert.ok(error instanceof ServiceError);
    assert.doesNotMatch(JSON.stringify(error.body()), /127\.0\.0\.1/);
  });
});
