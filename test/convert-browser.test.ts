/** What CesiumJS picks of converted tiles is the building that the CityGML has at that place. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gmlIdOf } from '../packages/citygml/src/attributes/attributes.ts';
import { geometriesOf, surfacesOf } from '../packages/citygml/src/geometry/feature-geometry.ts';
import { packageMembers, packageName } from '../packages/sample/src/citygml-package.ts';
import { DEFAULT_SEED, DEFAULT_SIZE, editionsOf } from '../packages/sample/src/sample.ts';
import type { GmlSource } from '../packages/tiles/src/convert/part-maker.ts';
import { readGml } from '../packages/tiles/src/convert/read/features.ts';
import { gmlSource } from '../packages/tiles/src/convert/read/testing/gml-source.ts';
import { convertGml, geoidOffset } from '../packages/tiles/src/convert/tiles3d/testing/convert-gml.ts';
import { headlessPath, type Place, pickFromAbove } from './browser/render.ts';
import { ROOT, tempDirectory } from './support/program.ts';

/** Places that are looked at. */
const PLACES = 20;
/** Within so many degrees, some 2 metres, all must be one building: pixels are smaller. */
const AROUND = 2e-5;
/** A surface of a building. */
interface Face {
  id: string;
  /** Longitude, latitude, height. */
  ring: Float64Array;
}

test('CesiumJS picks the building that stands at each of twenty places', {
  skip: headlessPath() === null ? 'needs Chromium' : false,
}, async (t) => {
  const [, town] = editionsOf(DEFAULT_SEED, DEFAULT_SIZE);
  const members = new Map<string, Uint8Array>();
  for (const { path, bytes } of packageMembers(town))
    if (path.startsWith('udx/bldg/')) members.set(path, bytes);
  const sources = [...members.keys()]
    .filter((path) => path.endsWith('.gml'))
    .map((path) => gmlSource(path, members, { name: packageName(town) }));

  const roofs = await surfacesIn(sources);
  const places = placesOn(roofs);
  assert.equal(places.length, PLACES);

  const { packages } = await convertGml(sources);
  const directory = await tempDirectory(t);
  for (const [path, bytes] of packages.get('bldg_3dtiles_lod2')!) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), bytes);
  }
  await mkdir(join(ROOT, 'artefacts'), { recursive: true });
  const picture = join(ROOT, 'artefacts/converted-from-above.png');
  const shown = await pickFromAbove(
    directory,
    places.map(({ place }) => place),
    picture,
  );
  assert.deepEqual([shown.error, shown.consoleErrors, shown.failedRequests], [null, [], []]);
  assert.deepEqual(
    shown.picked,
    places.map(({ id }) => id),
  );
});

/** Every surface of the buildings at their highest level of detail up to 2, in heights above the ellipsoid. */
async function surfacesIn(sources: readonly GmlSource[]): Promise<Face[]> {
  const found: Face[] = [];
  const options = { signal: new AbortController().signal, onText() {}, issue() {} };
  for (const source of sources) {
    for await (const item of readGml(source, options)) {
      if (item.kind !== 'feature') continue;
      const bodies = geometriesOf(item.element, item.defaults).filter(
        ({ role, lod }) => role === 'body' && lod! <= 2,
      );
      const best = Math.max(...bodies.map(({ lod }) => lod!));
      for (const body of bodies.filter(({ lod }) => lod === best)) {
        for (const { rings } of surfacesOf(body)) {
          const ring = rings[0]!.slice();
          for (let i = 0; i < ring.length; i += 3) ring[i + 2]! += geoidOffset(ring[i]!, ring[i + 1]!);
          found.push({ id: gmlIdOf(item.element)!, ring });
        }
      }
    }
  }
  return found;
}

/** What a ray straight down meets first at a place; null for nothing. */
function hitAt(surfaces: readonly Face[], lng: number, lat: number): { id: string; height: number } | null {
  let first: { id: string; height: number } | null = null;
  for (const { id, ring } of surfaces) {
    const height = heightAt(ring, lng, lat);
    if (height !== null && height > (first?.height ?? -Infinity)) first = { id, height };
  }
  return first;
}

/** Height of a flat polygon at a place inside of its outline; null outside, and for upright ones. */
function heightAt(ring: Float64Array, lng: number, lat: number): number | null {
  let inside = false;
  // Newell's normal.
  const normal = [0, 0, 0];
  for (let i = 0, k = ring.length - 3; i < ring.length; k = i, i += 3) {
    const [ax, ay, az] = [ring[k]! - lng, ring[k + 1]! - lat, ring[k + 2]!];
    const [bx, by, bz] = [ring[i]! - lng, ring[i + 1]! - lat, ring[i + 2]!];
    if (ay > 0 !== by > 0 && 0 < ax + ((bx - ax) * -ay) / (by - ay)) inside = !inside;
    normal[0]! += (ay - by) * (az + bz);
    normal[1]! += (az - bz) * (ax + bx);
    normal[2]! += (ax - bx) * (ay + by);
  }
  if (!inside || Math.abs(normal[2]!) < 1e-12) return null;
  const [x, y, z] = [ring[0]! - lng, ring[1]! - lat, ring[2]!];
  return z + (normal[0]! * x + normal[1]! * y) / normal[2]!;
}

/** Places in the middle of roofs, of as many buildings, over the whole town. */
function placesOn(surfaces: readonly Face[]): Array<{ id: string; place: Place }> {
  const found = new Map<string, { id: string; place: Place }>();
  for (const { ring, id } of surfaces) {
    const middle = [0, 1].map((axis) =>
      ring.reduce((sum, value, i) => sum + (i % 3 === axis ? value : 0), 0),
    );
    const [lng, lat] = middle.map((sum) => sum / (ring.length / 3)) as [number, number];
    const hit = hitAt(surfaces, lng, lat);
    if (hit === null || found.has(hit.id) || hit.id !== id) continue;
    const isClear = [-AROUND, 0, AROUND].every((dx) =>
      [-AROUND, 0, AROUND].every((dy) => hitAt(surfaces, lng + dx, lat + dy)?.id === hit.id),
    );
    if (isClear) found.set(id, { id, place: [lng, lat, hit.height] });
  }
  const all = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return all.filter(
    (_, i) => Math.floor((i * PLACES) / all.length) !== Math.floor(((i - 1) * PLACES) / all.length),
  );
}
