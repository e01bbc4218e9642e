/** Asking for packs and looking into them, as a client would. */
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { PackStatusObject } from '../../packages/server/src/pack/packs.ts';
import { bufferSource } from '../../packages/zip/src/source.ts';
import { strictZip } from '../../packages/zip/src/testing/strict-zip.ts';
import type { FileListResult } from './interface-schemas.ts';
import type { Reply, TestServer } from './server.ts';

/** URLs of the files that operation 7 lists. */
export async function urlsOf(server: TestServer, conditions: string, types = ''): Promise<string[]> {
  const query = types === '' ? '' : `?types=${types}`;
  const list = await server.json<FileListResult>(
    `/datacatalog/citygml/${encodeURIComponent(conditions)}${query}`,
  );
  return Object.values(list.files).flatMap((files) => files.map(({ url }) => url));
}

export function post(server: TestServer, body: unknown): Promise<Reply> {
  return server.request('/citygml/pack', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Asks for a pack, which must be accepted, and returns its id. */
export async function ask(server: TestServer, body: unknown): Promise<string> {
  const reply = await post(server, body);
  assert.equal(reply.status, 200, reply.text);
  const { id } = reply.json<{ id: string }>();
  assert.match(id, /^[0-9a-f]{64}$/);
  return id;
}

/** The status once the pack is finished; it never shows anything but the four states, and progress only grows. */
export async function finished(server: TestServer, id: string): Promise<PackStatusObject> {
  let progress = 0;
  for (;;) {
    const status = await server.json<PackStatusObject>(`/citygml/pack/${id}/status?wait=30`);
    assert.ok(['accepted', 'processing', 'succeeded', 'failed'].includes(status.status), status.status);
    assert.ok(status.progress >= progress && status.progress <= 1, `${status.progress} after ${progress}`);
    assert.equal(status.progress === 1, status.status === 'succeeded');
    assert.ok(!Number.isNaN(Date.parse(status.startedAt)));
    progress = status.progress;
    if (status.status === 'succeeded' || status.status === 'failed') return status;
  }
}

/** Asks for a pack and downloads it. */
export async function fetchPack(
  server: TestServer,
  body: unknown,
): Promise<{ id: string; status: PackStatusObject; zip: Buffer }> {
  const id = await ask(server, body);
  const status = await finished(server, id);
  assert.equal(status.status, 'succeeded', status.reason);
  const redirect = await server.request(`/citygml/pack/${id}.zip`);
  assert.equal(redirect.status, 302);
  const reply = await server.request(String(redirect.headers.location));
  assert.equal(reply.status, 200);
  assert.equal(reply.body.length, status.size);
  return { id, status, zip: reply.body };
}

/** The members of a zip that must be flawless, by name. */
export async function membersOf(zip: Buffer): Promise<Map<string, Buffer>> {
  const { members } = await strictZip(bufferSource(zip), { crc: true });
  return new Map(
    members.map(({ name, method, dataOffset, compressedSize }) => {
      const data = zip.subarray(dataOffset, dataOffset + compressedSize);
      return [name, method === 0 ? data : inflateRawSync(data)];
    }),
  );
}

/**
 * Fails unless every code space, image, file and local schema that a GML in the zip refers to is in the zip. Real data
 * refers to files in other letter case or from another depth than they are in, and to files that its package lacks;
 * with `missing` such references are put up with, and the last must be listed there.
 */
export function assertResolves(members: ReadonlyMap<string, Buffer>, missing?: readonly string[]): number {
  const folded = new Set([...members.keys()].map((name) => name.toLowerCase()));
  let count = 0;
  for (const [name, bytes] of members) {
    if (!name.endsWith('.gml')) continue;
    for (const reference of referencesIn(bytes.toString('utf8'))) {
      count++;
      const target = posix.normalize(posix.join(posix.dirname(name), reference));
      if (members.has(target)) continue;
      assert.ok(missing !== undefined, `${name} refers to ${reference}, which is not in the zip`);
      const tail = reference.replace(/^(\.\.\/)+/, '').toLowerCase();
      const isNear =
        folded.has(target.toLowerCase()) || [...folded].some((other) => other.endsWith(`/${tail}`));
      const leadsOut = target.startsWith('..') || !target.startsWith(`${name.split('/')[0]}/`);
      assert.ok(isNear || leadsOut || missing.includes(target), `${name} refers to ${reference}: not listed`);
    }
  }
  return count;
}

/** What a GML refers to beside itself, by searching its text: slow and obvious. */
function referencesIn(text: string): Set<string> {
  const found = new Set<string>();
  const add = (reference: string | undefined) => {
    const plain = (reference ?? '').trim().replaceAll('&amp;', '&').replaceAll('\\', '/').split('#')[0]!;
    if (plain !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(plain)) found.add(plain);
  };
  const bare = text.replace(/<!--[\s\S]*?-->/g, '');
  for (const match of bare.matchAll(/\scodeSpace\s*=\s*["']([^"']*)["']/g)) add(match[1]);
  for (const match of bare.matchAll(/<(?:\w+:)?imageURI>([^<]*)</g)) add(match[1]);
  for (const match of bare.matchAll(/\sxlink:href\s*=\s*["']([^"'#][^"']*)["']/g)) add(match[1]);
  for (const match of bare.matchAll(/\sxsi:schemaLocation\s*=\s*["']([^"']*)["']/g)) {
    match[1]!
      .trim()
      .split(/\s+/)
      .forEach((part, i) => {
        if (i % 2 === 1) add(part);
      });
  }
  return found;
}
