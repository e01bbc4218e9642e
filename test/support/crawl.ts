/** Follows what the service emits, as clients do. */
import assert from 'node:assert/strict';
import type { TestServer } from './server.ts';

/** Every absolute URL in a JSON value, templates of tiles left out, each once. */
export function urlsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value === 'string') {
    if (/^https?:\/\//.test(value) && !value.includes('{')) found.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) urlsIn(item, found);
  }
  return found;
}

/** Fails unless the URL answers GET with 200, at once or after one redirect, and HEAD with the same headers. */
export async function assertAnswers(server: TestServer, url: string): Promise<Buffer> {
  const get = await server.request(url);
  const head = await server.request(url, { method: 'HEAD' });
  assert.equal(head.status, get.status, url);
  assert.equal(head.body.length, 0, url);
  for (const name of [
    'content-type',
    'content-length',
    'etag',
    'location',
    'accept-ranges',
    'last-modified',
  ]) {
    assert.equal(head.headers[name], get.headers[name], `${name} of HEAD ${url}`);
  }
  assert.equal(get.headers['access-control-allow-origin'], '*', url);
  if (get.status === 302) {
    const target = await server.request(String(get.headers.location));
    assert.equal(target.status, 200, `${url} → ${get.headers.location}`);
    return target.body;
  }
  assert.equal(get.status, 200, `${url}: ${get.text.slice(0, 300)}`);
  assert.equal(get.body.length, Number(get.headers['content-length']), url);
  return get.body;
}

/**
 * Fetches a tileset and everything that it refers to. The paths, without a leading slash, are those of the requests, so
 * that relative references resolve.
 */
export async function crawlTileset(server: TestServer, url: string): Promise<Map<string, Buffer>> {
  const fetched = new Map<string, Buffer>();
  const waiting = [url];
  for (;;) {
    const next = waiting.pop();
    if (next === undefined) return fetched;
    const path = server.pathOf(next).slice(1);
    if (fetched.has(path)) continue;
    const reply = await server.request(next);
    assert.equal(reply.status, 200, next);
    fetched.set(path, reply.body);
    if (!new URL(next).pathname.endsWith('.json')) continue;
    for (const uri of contentUris(reply.json())) waiting.push(new URL(uri, next).href);
  }
}

function* contentUris(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if ((key === 'uri' || key === 'url') && typeof item === 'string') yield item;
    else yield* contentUris(item);
  }
}
