import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { unzip } from '@citymodel/citygml/testing';
import type { ObjectStore } from '@citymodel/store';
import { MemoryStore } from '@citymodel/store/testing';
import type { ConvertOptions } from '@citymodel/tiles';
import { PMTiles } from 'pmtiles';
import type { Share } from '../base/long-task.ts';
import { type ConvertReport, planOnly } from './convert.ts';
import { type MadePart, planJoins } from './plan.ts';
import { convertZip, USUAL_OPTIONS } from './testing/convert-zip.ts';
import { gml, PACKAGE, writePackage, writeSmallPackage } from './testing/small-package.ts';

const directory = mkdtempSync(join(tmpdir(), 'citymodel-convert-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

/** A place of its own with the small package in it. */
async function place(note = 'a') {
  const root = join(directory, String(count++));
  mkdirSync(root);
  const zip = join(root, `${PACKAGE}.zip`);
  await writeSmallPackage(zip, note);
  return { root, zip, parts: join(root, 'parts') };
}

interface Change {
  options?: Partial<ConvertOptions>;
  types?: string[];
  jobs?: number;
  out?: string;
  signal?: AbortSignal;
  share?: Share;
  isOneDisk?: boolean;
  objects?: ObjectStore;
  isWanted?: () => Promise<boolean>;
  onProgress?: () => void;
}

function convert(at: Awaited<ReturnType<typeof place>>, change: Change = {}): Promise<ConvertReport> {
  const {
    options = {},
    types = ['luse', 'tran'],
    jobs = 0,
    share = null,
    isOneDisk = false,
    isWanted,
  } = change;
  const { out = join(at.root, 'out'), objects = null, signal, onProgress } = change;
  return convertZip(at.zip, at.root, {
    options,
    request: { types, out, partsDirectory: at.parts, jobs, share, isOneDisk, ...(isWanted && { isWanted }) },
    environment: { objectStore: objects, ...(signal && { signal }), ...(onProgress && { onProgress }) },
  });
}

/** Hashes of the files of a directory by name. */
function filesOf(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(path, name)))
          .digest('hex'),
      ]),
  );
}

test('packages have the names of published ones, and the same bytes with any number of threads', async () => {
  const [here, one, two] = [await place(), await place(), await place()];
  const report = await convert(here);
  assert.equal(report.package, PACKAGE);
  assert.deepEqual(
    report.packages.filter(({ key }) => key.kind === 'mvt').map(({ name, features }) => [name, features]),
    [
      [`${PACKAGE}_luse_mvt`, 80],
      [`${PACKAGE}_tran_mvt_lod1`, 80],
    ],
  );
  assert.deepEqual(report.issues, []);
  await convert(one, { jobs: 1 });
  await convert(two, { jobs: 2 });
  const expected = filesOf(join(here.root, 'out'));
  assert.ok(Object.keys(expected).length >= 2);
  assert.deepEqual(filesOf(join(one.root, 'out')), expected);
  assert.deepEqual(filesOf(join(two.root, 'out')), expected);
  assert.deepEqual(readdirSync(join(here.parts, 'work')), []);
});

test('of a changed package only the parts of changed files are made again', async () => {
  const at = await place('before');
  const first = await convert(at);
  assert.equal(first.reused, 0);
  const again = await convert(at);
  assert.equal(again.reused, again.parts);
  await writeSmallPackage(at.zip, 'after');
  const changed = await convert(at, { out: join(at.root, 'changed') });
  const perFile = changed.parts / 8;
  assert.equal(changed.reused, 6 * perFile);
  const fresh = await place('after');
  await convert(fresh);
  assert.deepEqual(filesOf(join(at.root, 'changed')), filesOf(join(fresh.root, 'out')));
});

test('a file is made again when one that it refers to has changed, or has come', async () => {
  const at = await place();
  const path = 'udx/tran/52385500_tran_6697_op.gml';
  const roads = (note: string) =>
    gml('tran', '52385500', 1, note).replace('<gml:Polygon>', '<gml:Polygon gml:id="p">');
  const square = gml('tran', '52385500', 1, 'a')
    .replace(
      /<gml:surfaceMember>.*<\/gml:surfaceMember>/,
      `<gml:surfaceMember xlink:href="../../${path}#p"/>`,
    )
    .replace('<core:CityModel', '<core:CityModel xmlns:xlink="http://www.w3.org/1999/xlink"');
  const squares = { path: 'udx/squr/52385500_squr_6697_op.gml', text: square };
  const write = (...others: Array<{ path: string; text: string }>) =>
    writePackage(at.zip, [squares, ...others]);
  const summary = async () => {
    const { issues, packages, parts, reused } = await convert(at, { types: ['squr'] });
    return [reused === parts, issues.map(({ code }) => code), packages.map(({ features }) => features)];
  };
  await write();
  assert.deepEqual(await summary(), [false, ['PACKAGE_EMPTY', 'REFERENCE_UNRESOLVED'], []]);
  await write({ path, text: roads('a') });
  assert.deepEqual(await summary(), [false, [], [1]]);
  assert.deepEqual(await summary(), [true, [], [1]]);
  await write({ path, text: roads('b') });
  assert.deepEqual(await summary(), [false, [], [1]]);
});

test('members that did not change have the same bytes', async () => {
  const [a, b] = [await place('before'), await place('after')];
  await convert(a, { types: ['luse'] });
  await convert(b, { types: ['luse'] });
  const [before, later] = await Promise.all(
    [a, b].map(({ root }) => unzip(join(root, 'out', `${PACKAGE}_luse_mvt.zip`), /mvt$/)),
  );
  assert.deepEqual([...before!.keys()], [...later!.keys()]);
  const differ = [...before!]
    .filter(([path, bytes]) => !later!.get(path)!.equals(bytes))
    .map(([path]) => path);
  assert.ok(differ.length > 0 && differ.length < before!.size);
  // Names are told from zoom 15.
  for (const path of differ) assert.match(path, /^1[56]\//);
});

test('other options make other parts, and both stay', async () => {
  const at = await place();
  await convert(at, { types: ['luse'] });
  const slim = await convert(at, { types: ['luse'], options: { slim: true } });
  assert.equal(slim.reused, 0);
  const meshopt = await convert(at, { types: ['luse'], options: { slim: true, compression: 'meshopt' } });
  assert.equal(meshopt.reused, meshopt.parts, 'vector tiles do not depend on the compression of meshes');
  const back = await convert(at, { types: ['luse'] });
  assert.equal(back.reused, back.parts);
});

test('vector tiles may come as one PMTiles file', async () => {
  const at = await place();
  const { packages } = await convert(at, { types: ['luse'], options: { pmtiles: true } });
  const vector = packages.find(({ key }) => key.kind === 'mvt')!;
  assert.equal(vector.path, join(at.root, 'out', `${PACKAGE}_luse_mvt.pmtiles`));
  const bytes = readFileSync(vector.path!);
  assert.equal(bytes.toString('latin1', 0, 7), 'PMTiles');
  // PMTiles 3, section 3: where the metadata lies.
  const [start, length] = [bytes.readUInt32LE(24), bytes.readUInt32LE(32)];
  const { conversion } = JSON.parse(gunzipSync(bytes.subarray(start, start + length)).toString());
  assert.equal(conversion.source, PACKAGE);
  assert.equal(conversion.heights, 'GSIGEO2011');
});

test('readers of PMTiles find every tile that the zip has', async () => {
  const at = await place();
  const whole = await convert(at, { types: ['luse'] });
  const members = await unzip(whole.packages.find(({ key }) => key.kind === 'mvt')!.path!, /\.mvt$/);
  const one = await convert(at, { types: ['luse'], options: { pmtiles: true } });
  const bytes = readFileSync(one.packages.find(({ key }) => key.kind === 'mvt')!.path!);
  const reader = new PMTiles({
    getKey: () => 'file',
    getBytes: async (offset, length) => ({
      data: Uint8Array.from(bytes.subarray(offset, offset + length)).buffer,
    }),
  });
  const { maxZoom, numAddressedTiles } = await reader.getHeader();
  assert.deepEqual([maxZoom, numAddressedTiles], [16, members.size]);
  for (const [path, expected] of members) {
    const [z, x, y] = path.match(/\d+/g)!.map(Number) as [number, number, number];
    const tile = await reader.getZxy(z, x, y);
    assert.deepEqual(Buffer.from(tile!.data), Buffer.from(expected), path);
  }
});

test('a package that is not wanted is reported and not made', async () => {
  const at = await place();
  const { packages } = await convert(at, { types: ['luse'], isWanted: async () => false });
  assert.ok(packages.length > 0);
  for (const { path } of packages) assert.equal(path, null);
  assert.ok(!existsSync(join(at.root, 'out')));
});

test('a dry run says what would be made of what, as it is made then', async () => {
  const at = await place();
  const asked = {
    address: { kind: 'upload', path: at.zip, overrides: {} },
    options: USUAL_OPTIONS,
    geoid: '',
  } as const;
  let messages = 0;
  const plan = await planOnly(
    { ...asked, types: null },
    {
      objectStore: null,
      signal: new AbortController().signal,
      onProgress: ({ done }) => {
        messages = done;
      },
    },
  );
  assert.equal(plan.package, PACKAGE);
  assert.ok(messages > 0);
  assert.ok(!existsSync(at.parts));
  const { packages } = await convert(at);
  assert.deepEqual(
    plan.outputs.map(({ name, files }) => [name, files]),
    packages.map(({ name }) => [name, 4]),
  );
});

test('an aborted conversion throws the reason, and goes on later', async () => {
  const at = await place();
  for (const jobs of [0, 2]) {
    const stop = new AbortController();
    const reason = new Error('enough');
    let messages = 0;
    const onProgress = () => {
      if (++messages === 3) stop.abort(reason);
    };
    await assert.rejects(convert(at, { jobs, signal: stop.signal, onProgress }), reason);
  }
  const { packages } = await convert(at);
  const fresh = await place();
  await convert(fresh);
  assert.ok(packages.length >= 2);
  assert.deepEqual(filesOf(join(at.root, 'out')), filesOf(join(fresh.root, 'out')));
});

test('a broken file is left out with an issue that says why', async () => {
  const at = await place();
  await writePackage(at.zip, [
    {
      path: 'udx/luse/52385501_luse_6697_op.gml',
      text: '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0"><core:cityObjectMember><luse:LandUse',
    },
  ]);
  const { issues, packages } = await convert(at);
  assert.deepEqual(packages, []);
  const [empty, ...ofFile] = issues;
  assert.equal(empty!.code, 'PACKAGE_EMPTY');
  assert.deepEqual([...new Set(ofFile.map(({ file }) => file))], ['udx/luse/52385501_luse_6697_op.gml']);
  for (const { message, remedy, severity } of ofFile)
    assert.ok(message !== '' && remedy !== '' && severity === 'error');
});

test('a damaged member is left out, and made again once it is mended', async () => {
  const at = await place();
  const bytes = readFileSync(at.zip);
  // Inside of the deflate data of the first member.
  bytes.fill(0xff, 600, 640);
  writeFileSync(at.zip, bytes);
  const { issues, packages } = await convert(at);
  assert.deepEqual(
    [...new Set(issues.map(({ code, file }) => `${code} ${file}`))],
    ['PART_FAILED udx/luse/52385500_luse_6697_op.gml'],
  );
  const [luse] = packages.filter(({ key }) => key.kind === 'mvt' && key.type === 'luse');
  assert.equal(luse!.features, 60);
  await writeSmallPackage(at.zip);
  const mended = await convert(at);
  assert.deepEqual(mended.issues, []);
  assert.ok(mended.reused < mended.parts);
});

test('parts that nobody asked for in a long time are deleted', async () => {
  const at = await place();
  await convert(at, { types: ['luse'] });
  const old = new Date(Date.now() - 40 * 86_400_000);
  const parts = readdirSync(join(at.parts, 'parts')).flatMap((prefix) =>
    readdirSync(join(at.parts, 'parts', prefix)).map((hash) => join(at.parts, 'parts', prefix, hash)),
  );
  for (const part of parts) utimesSync(join(part, 'part.json'), old, old);
  const { reused } = await convert(at, { types: ['luse'] });
  assert.equal(reused, 0);
});

test('workers on several machines make each part once, and one of them joins', async () => {
  const [alone, first, second] = [await place(), await place(), await place()];
  await convert(alone);
  const objects = new MemoryStore();
  const helper = await convert(first, { objects, share: { index: 1, count: 2 } });
  assert.deepEqual(helper.packages, []);
  const shared = [];
  for await (const { key } of objects.list('parts/')) shared.push(key);
  assert.equal(shared.length, helper.parts);
  const main = await convert(second, { objects, share: { index: 0, count: 2 } });
  assert.equal(main.reused, main.parts);
  assert.deepEqual(filesOf(join(second.root, 'out')), filesOf(join(alone.root, 'out')));
  for await (const { key } of objects.list('parts/')) assert.fail(`${key} is left`);
});

test('workers on one disk find the parts of each other there', async () => {
  const at = await place();
  const objects = new MemoryStore();
  await convert(at, { objects, isOneDisk: true, share: { index: 1, count: 2 } });
  for await (const { key } of objects.list('')) assert.fail(`${key} was put`);
  const main = await convert(at, { objects, isOneDisk: true, share: { index: 0, count: 2 } });
  assert.equal(main.reused, main.parts);
  assert.ok(main.packages.length > 0);
});

test('packages of wards have the name of the ward, of the table or else of the request', () => {
  const parts = ['13101', '47901', '47999'].map((wardCode): MadePart => {
    const path = `udx/bldg/${wardCode}_bldg.gml`;
    const key = {
      kind: '3dtiles',
      type: 'bldg',
      sub: null,
      scale: null,
      wardCode,
      lod: 1,
      noTexture: false,
      interior: false,
      symbols: null,
    } as const;
    return {
      task: {
        kind: 'part',
        maker: '3dtiles',
        gml: { path, type: 'bldg', mesh: null, size: 1 },
        hash: wardCode,
      },
      outputs: [{ key, features: 1, data: null }],
    };
  });
  assert.deepEqual(
    planJoins('p', parts, { 47901: 'minatomi-ku' }).map(({ name }) => name),
    [
      'p_bldg_3dtiles_13101_chiyoda-ku_lod1',
      'p_bldg_3dtiles_47901_minatomi-ku_lod1',
      'p_bldg_3dtiles_47999_47999_lod1',
    ],
  );
});
