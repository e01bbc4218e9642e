import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evenly } from '@citymodel/base/testing';
import { geodeticToEcef } from '@citymodel/geo';
import { hullPoints, volumeContains } from '@citymodel/geo/testing';
import fc from 'fast-check';
import { buildComposite, type CompositeChild, emptyComposite } from './composite.ts';
import { inspectTileset } from './inspect-3dtiles.ts';
import { writeB3dm, writeGlb } from './testing/content-writer.ts';
import { memoryFiles } from './testing/memory-files.ts';
import { openRealPackage, realPackages } from './testing/real-packages.ts';
import { validateTileset, validateTilesetJson } from './testing/validate-tileset.ts';

const REGION = [2.44, 0.62, 2.4401, 0.6201, 0, 50];

function child(extra: Partial<CompositeChild> = {}): CompositeChild {
  return {
    uri: 'http://localhost:8080/assets/59/x/p/tileset.json',
    boundingVolume: { region: REGION },
    geometricError: 120,
    version: '1.0',
    ...extra,
  };
}

const anyChild = fc
  .record({
    lng: fc.double({ min: 2.2, max: 2.6, noNaN: true }),
    lat: fc.double({ min: 0.45, max: 0.79, noNaN: true }),
    size: evenly(1, 30_000),
    kind: fc.constantFrom('region', 'box', 'sphere'),
    geometricError: fc.option(evenly(0, 5000)),
    version: fc.constantFrom('1.0', '1.1', null),
    n: fc.nat(),
  })
  .map(({ lng, lat, size, kind, geometricError, version, n }): CompositeChild => {
    const centre = geodeticToEcef(lng, lat, 100);
    const boundingVolume =
      kind === 'region'
        ? { region: [lng, lat, lng + size / 6.4e6, lat + size / 6.4e6, -10, 300] }
        : kind === 'box'
          ? { box: [...centre, size, 0, 0, 0, size, 0, 0, 0, 40] }
          : { sphere: [...centre, size] };
    return {
      uri: `http://localhost/${n}/tileset.json`,
      boundingVolume,
      geometricError,
      version,
      extras: { id: n },
    };
  });

describe('buildComposite', () => {
  it('satisfies the schema of its version, encloses its children, and errors do not grow downwards', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(anyChild, { minLength: 1, maxLength: 30, selector: (c) => c.uri }),
        (children) => {
          const composite = buildComposite(children);
          assert.deepEqual(validateTilesetJson(composite), []);
          const { root } = composite;
          assert.equal(root.children?.length, children.length);
          assert.ok(root.geometricError <= composite.geometricError && root.geometricError > 0);
          for (const tile of root.children!) {
            assert.ok(tile.geometricError > 0 && tile.geometricError <= root.geometricError);
            for (const p of hullPoints(tile.boundingVolume)) {
              assert.ok(volumeContains(root.boundingVolume, p, 1e-3));
            }
          }
        },
      ),
    );
  });

  it('takes the highest known version', () => {
    const version = (...versions: Array<string | null>) =>
      buildComposite(versions.map((v, i) => child({ version: v, uri: `http://a/${i}` }))).asset.version;
    assert.equal(version('1.0', null), '1.0');
    assert.equal(version(null, '1.1', '1.0'), '1.1');
    assert.equal(version(null), '1.0');
    assert.equal(version('0.0'), '1.0');
  });

  it('keeps volume, error, URL and extras of each child and their order', () => {
    const sphere = { sphere: [...geodeticToEcef(2.44, 0.62, 0), 500] };
    const composite = buildComposite([
      child({ uri: 'http://a/1', extras: { id: 'd_1', year: 2023 } }),
      child({ uri: 'http://a/2', boundingVolume: sphere, geometricError: 33 }),
    ]);
    assert.deepEqual(composite.root.children, [
      {
        boundingVolume: { region: REGION },
        geometricError: 120,
        content: { uri: 'http://a/1' },
        extras: { id: 'd_1', year: 2023 },
      },
      { boundingVolume: sphere, geometricError: 33, content: { uri: 'http://a/2' } },
    ]);
  });

  it('lets a tileset load when it is looked at as a whole, whatever its own error, and no country at once', () => {
    // 14 km wide; its own error says nothing.
    const city = [2.44, 0.62, 2.4422, 0.6222, 0, 50];
    for (const geometricError of [0, null, 30]) {
      const { root } = buildComposite([child({ boundingVolume: { region: city }, geometricError })]);
      assert.ok(root.geometricError > 400 && root.geometricError <= 512, `${root.geometricError}`);
    }
    const large = buildComposite([child({ boundingVolume: { region: [2.4, 0.6, 2.5, 0.7, 0, 9] } })]);
    assert.equal(large.root.geometricError, 512);
    assert.equal(buildComposite([child({ geometricError: 2000 })]).root.geometricError, 2000);
  });

  it('is valid down to the vertices of the tilesets that it refers to', async () => {
    const box = [...geodeticToEcef(2.44, 0.62, 30), 200, 0, 0, 0, 200, 0, 0, 0, 200];
    const [x, y, z] = box as [number, number, number];
    const files = memoryFiles({
      'p/tileset.json': {
        asset: { version: '1.1' },
        geometricError: 120,
        root: {
          boundingVolume: { box: [0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0, 200] },
          transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1],
          geometricError: 120,
          refine: 'REPLACE',
          content: { uri: 'a.b3dm' },
        },
      },
      'p/a.b3dm': writeB3dm(writeGlb()),
    });
    const facts = await inspectTileset(
      memoryFiles({ 'tileset.json': (await files.read('p/tileset.json'))! }),
      () => {},
    );
    const composite = buildComposite([
      child({
        uri: 'http://h/p/tileset.json',
        boundingVolume: facts!.volume!,
        region: facts!.region,
        geometricError: facts!.geometricError,
        version: facts!.version,
      }),
    ]);
    const all = memoryFiles({
      'composite.json': composite,
      'p/tileset.json': (await files.read('p/tileset.json'))!,
      'p/a.b3dm': (await files.read('p/a.b3dm'))!,
    });
    const issues = await validateTileset(all, 'composite.json', {
      memberOfUrl: (url) => url.replace('http://h/', ''),
    });
    assert.deepEqual(issues, []);
  });

  it('holds real tilesets', async (t) => {
    const names = realPackages('3dtiles');
    if (names === null) return t.skip('needs ../shared/data');
    const children: CompositeChild[] = [];
    for (const name of names) {
      const facts = await inspectTileset(await openRealPackage(name), () => {});
      children.push(
        child({
          uri: `http://h/${name}/tileset.json`,
          boundingVolume: facts!.tightVolume ?? facts!.volume!,
          region: facts!.region,
          geometricError: facts!.geometricError,
          version: facts!.version,
        }),
      );
    }
    const composite = buildComposite(children);
    assert.deepEqual(validateTilesetJson(composite), []);
    const region = (composite.root.boundingVolume as { region: number[] }).region;
    assert.ok(region.every((v, i) => Math.abs(v - [2.4362, 0.591, 2.44556, 0.62993, 35.7, 715.2][i]!) < 0.1));
  });
});

describe('emptyComposite', () => {
  it('is valid, has nothing, and covers nothing', () => {
    const empty = emptyComposite();
    assert.deepEqual(validateTilesetJson(empty), []);
    assert.deepEqual(buildComposite([]), empty);
    assert.equal(empty.root.children, undefined);
    const [west, south, east, north] = (empty.root.boundingVolume as { region: number[] }).region;
    assert.deepEqual([east! - west!, north! - south!], [0, 0]);
  });
});
