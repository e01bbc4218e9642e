import { withoutEnd } from '@citymodel/base';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import type { PlaceMatch } from './gazetteer.ts';

/*
 * An outside geocoder, asked for names that the gazetteer does not know. Two kinds of interface are spoken,
 * told apart by the address that the operator gives:
 *
 *   …/AddressSearch, or a host of gsi.go.jp: the address search of the Geospatial Information Authority.
 *       GET {address}?q=… answers GeoJSON-like points, best first; a bare host gets its usual path.
 *   anything else: Nominatim and what imitates it.
 *       GET {address}/search?q=…&format=jsonv2&limit=1 answers places with `boundingbox`, best first.
 *
 * A query that the address has already (an API key) is kept. Callers decide which names are asked, so requests to the
 * outside are limited. Every answer is kept for a while, also that a name is unknown.
 */

export interface Geocoder {
  /**
   * Where a name is; an empty list when the geocoder does not know. Throws ServiceError 503 `unavailable` when it
   * cannot be asked, or has been asked too often, and the signal's reason when the caller goes away.
   */
  locate(name: string, signal: AbortSignal): Promise<PlaceMatch[]>;
}

export interface GeocoderOptions {
  /** Milliseconds for one question, redirects and body included. */
  timeout: number;
  /** How many names are remembered. */
  cacheSize?: number;
  /** Names that are asked at once. */
  maxAtOnce: number;
  /** Names that are asked within a minute; 0 means any number. */
  maxPerMinute: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** More than any answer to one name. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
const MINUTE = 60_000;
/** Milliseconds for which an answer is kept. */
const KEPT = 3_600_000;
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 30;

/** The geocoder at an address (setting `GEOCODER_URL`). Throws a TypeError for what is no URL. */
export function createGeocoder(address: string, options: GeocoderOptions): Geocoder {
  const service = new URL(address);
  const adapter = isAddressSearch(service) ? ADDRESS_SEARCH : NOMINATIM;
  const cache = new LRUCache<string, Promise<PlaceMatch[]>>({ max: options.cacheSize ?? 1000, ttl: KEPT });
  const limit = outgoingLimit(options);

  const ask = async (name: string): Promise<PlaceMatch[]> => {
    using _turn = limit();
    const answer = await fetchJson(adapter.request(service, name), AbortSignal.timeout(options.timeout));
    const matches = adapter.read(answer);
    if (matches === null) throw unreachable('its answer is not what such a service answers');
    return matches;
  };

  return {
    async locate(name, signal) {
      signal.throwIfAborted();
      let found = cache.get(name);
      if (found === undefined) {
        // One caller that goes away must not take the answer from others who wait for it.
        const answer = ask(name);
        answer.catch(() => cache.peek(name) === answer && cache.delete(name));
        cache.set(name, answer);
        found = answer;
      }
      return orAborted(found, signal);
    },
  };
}

/**
 * Counts what goes out. Each call is a turn that ends when it is disposed of; throws ServiceError 503 when there is
 * none.
 */
function outgoingLimit({
  maxAtOnce,
  maxPerMinute,
  now = () => performance.now(),
}: GeocoderOptions): () => Disposable {
  let atOnce = 0;
  let since = -Infinity;
  let inMinute = 0;
  return () => {
    const time = now();
    if (time - since >= MINUTE) {
      since = time;
      inMinute = 0;
    }
    if (atOnce >= maxAtOnce) throw tooOften(1);
    if (maxPerMinute > 0 && inMinute >= maxPerMinute)
      throw tooOften(Math.ceil((since + MINUTE - time) / 1_000));
    atOnce++;
    inMinute++;
    return {
      [Symbol.dispose]() {
        atOnce--;
      },
    };
  };
}

interface Adapter {
  request(service: URL, name: string): URL;
  /** The best place with a usable position, if any; null when the answer has another shape. */
  read(answer: unknown): PlaceMatch[] | null;
}

const NOMINATIM: Adapter = {
  request(service, name) {
    const url = withPath(service, /\/search(?:\.php)?$/, '/search');
    url.searchParams.set('q', name);
    url.searchParams.set('format', 'jsonv2');
    url.searchParams.set('limit', '1');
    return url;
  },
  read(answer) {
    if (!Array.isArray(answer)) return null;
    return firstOf(answer, (place: { boundingbox?: unknown; display_name?: unknown }) => {
      if (!Array.isArray(place?.boundingbox)) return [];
      const [south, north, west, east] = place.boundingbox.slice(0, 4).map(Number) as [
        number,
        number,
        number,
        number,
      ];
      return toMatch(place.display_name, west, south, east, north);
    });
  },
};

const ADDRESS_SEARCH: Adapter = {
  request(service, name) {
    const url = withPath(service, /\/AddressSearch$/i, '/address-search/AddressSearch');
    url.searchParams.set('q', name);
    return url;
  },
  read(answer) {
    const features: unknown = Array.isArray(answer)
      ? answer
      : (answer as { features?: unknown } | null)?.features;
    if (!Array.isArray(features)) return null;
    // It answers hundreds of places whose names contain a part of what was asked; only the first is meant.
    type Feature = { geometry?: { coordinates?: unknown }; properties?: { title?: unknown } };
    return firstOf(features, (feature: Feature) => {
      const coordinates = feature?.geometry?.coordinates;
      if (!Array.isArray(coordinates)) return [];
      const [lng, lat] = coordinates.slice(0, 2).map(Number) as [number, number];
      return toMatch(feature.properties?.title, lng, lat, lng, lat);
    });
  },
};

/** What the first item gives that gives anything. */
function firstOf<T>(items: readonly T[], read: (item: T) => PlaceMatch[]): PlaceMatch[] {
  for (const item of items) {
    const matches = read(item);
    if (matches.length > 0) return matches;
  }
  return [];
}

function isAddressSearch(service: URL): boolean {
  return /\/AddressSearch$/i.test(service.pathname) || /(^|\.)gsi\.go\.jp$/.test(service.hostname);
}

function withPath(service: URL, isComplete: RegExp, path: string): URL {
  const url = new URL(service);
  const ownPath = withoutEnd(url.pathname, '/');
  url.pathname = isComplete.test(ownPath) ? ownPath : ownPath + path;
  return url;
}

function toMatch(label: unknown, west: number, south: number, east: number, north: number): PlaceMatch[] {
  const inWorld =
    west >= -180 && west <= east && east <= 180 && south >= -90 && south <= north && north <= 90;
  if (!inWorld) return [];
  return [{ label: String(label ?? ''), codes: [], bounds: { west, south, east, north }, complete: true }];
}

/** Follows redirects on the same host only: nothing may be fetched from where an answer points to. */
async function fetchJson(url: URL, signal: AbortSignal): Promise<unknown> {
  const { host } = url;
  let target = url;
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(target, {
        redirect: 'manual',
        signal,
        headers: { accept: 'application/json', 'user-agent': 'citymodel-server' },
      });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return await readJson(response);
      }
      await response.body?.cancel();
      target = new URL(location, target);
      if (target.host !== host || redirects === MAX_REDIRECTS) {
        throw unreachable('it redirects elsewhere, or too often');
      }
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
    throw unreachable(timedOut ? 'it did not answer in time' : 'it cannot be reached', cause);
  }
}

async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) {
    await response.body?.cancel();
    throw unreachable(`it answered with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop cancels the body.
    if (size > MAX_ANSWER_BYTES) throw unreachable(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    throw unreachable('its answer is not JSON', cause);
  }
}

/** The reason does not say where the geocoder is: that is the operator's affair, and stands in the cause. */
function unreachable(why: string, cause?: unknown): ServiceError {
  return new ServiceError(503, 'unavailable', {
    reason:
      `The outside geocoder could not be asked: ${why}. Names of areas, towns and buildings in the catalogue ` +
      `work without it.`,
    retryAfter: RETRY_AFTER,
    cause,
  });
}

function tooOften(seconds: number): ServiceError {
  return new ServiceError(503, 'unavailable', {
    reason:
      'The outside geocoder is being asked as often as the operator allows. Try again later, or give a mesh code, a ' +
      'box or a municipality code.',
    retryAfter: seconds,
  });
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
