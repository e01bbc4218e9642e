/**
 * Broken files inside otherwise good packages: each is an issue with its place, the rest is served, nothing crashes.
 * One minimal fixture for each issue code that a file's content can cause.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Issue } from '../packages/base/src/issue.ts';
import { GERMAN, worldGml } from '../packages/server/src/convert/testing/world-gml.ts';
import { documentedIssues } from './support/documented.ts';
import type { FileListResult } from './support/interface-schemas.ts';
import {
  GML,
  gml,
  goodPackage,
  type Members,
  PACKAGE,
  writeDirectory,
  writeZip,
} from './support/packages.ts';
import { REAL_DATA, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';
import { assertClean, ingest } from './support/store.ts';

const OTHER = 'udx/bldg/39272555_bldg_6697_op.gml';
const CLASS = (codeSpace: string) => `<bldg:class codeSpace="${codeSpace}">3</bldg:class>`;
const withTexture = (uri: string) =>
  `<app:appearanceMember xmlns:app="http://www.opengis.net/citygml/appearance/2.0"><app:Appearance>` +
  `<app:surfaceDataMember><app:ParameterizedTexture><app:imageURI>${uri}</app:imageURI>` +
  `</app:ParameterizedTexture></app:surfaceDataMember></app:Appearance></app:appearanceMember>`;

interface Fixture {
  /** The broken file; its path is `OTHER` unless given. */
  text: string | Uint8Array;
  path?: string;
  /** What is expected of the issue besides its code and member. */
  line?: number;
  byte?: number;
  /** Other codes that the same defect causes. */
  also?: string[];
}

const good = gml(2);
const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;
const broken = (from: string | RegExp, to: string) => good.replace(from, to);

const mismatched = broken('</bldg:lod1Solid>', '</bldg:lod2Solid>');
const unbound = broken('<bldg:Building ', '<frn:Building ');
const notWell = broken('<gml:posList>', '<gml:posList attribute>');

const GML_FIXTURES: Record<string, Fixture> = {
  NOT_WELL_FORMED: { text: notWell, line: lineOf(notWell, 'attribute>') },
  MISMATCHED_TAG: {
    text: mismatched,
    line: lineOf(mismatched, '</bldg:lod2Solid>'),
    byte: mismatched.indexOf('</bldg:lod2Solid>'),
  },
  UNBOUND_PREFIX: { text: unbound, line: lineOf(unbound, '<frn:Building') },
  NOT_XML: { text: 'PNG or something else' },
  EMPTY_FILE: { text: '' },
  NOT_CITYGML: { text: '<?xml version="1.0"?><html/>' },
  ENCODING: { text: Buffer.from(good.replace('bldg_0', '建物').replace('UTF-8', 'Shift_JIS'), 'utf16le') },
  DOCTYPE: {
    text: broken('?>', '?>\n<!DOCTYPE core:CityModel SYSTEM "x.dtd">'),
    byte: good.indexOf('?>') + 3,
  },
  COORDINATES: { text: broken(/<gml:posList>\S+/, '<gml:posList>twelve') },
  UNKNOWN_CRS: { text: good.replaceAll('EPSG/0/6697', 'EPSG/0/99999') },
  MISSING_CRS: { text: broken(/ srsName="[^"]*"/, '') },
  EMPTY_MEMBER: { text: gml(1, { head: '<core:cityObjectMember/>\n' }) },
  MEMBER_BY_REFERENCE: {
    text: gml(1, {
      head: '<core:cityObjectMember xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#bldg_0"/>\n',
    }),
  },
  ID_TOO_LONG: { text: broken('"bldg_0"', `"${'x'.repeat(2_000)}"`) },
  ODD_NAME: { text: good, path: 'udx/bldg/39272555.gml' },
  MESH_GUESSED: { text: good, path: 'udx/bldg/building_bldg_6697_op.gml', also: ['ODD_NAME'] },
  NO_POSITION: { text: '<a/>', path: 'udx/bldg/nothing_bldg_6697_op.gml', also: ['NOT_CITYGML', 'ODD_NAME'] },
  OUTSIDE_MESHES: { text: worldGml(GERMAN), path: 'udx/bldg/LoD2_32_356_5645.gml', also: ['ODD_NAME'] },
  MISSING_CODE_LIST: { text: gml(1, { attributes: CLASS('../../codelists/Nothing.xml') }) },
  MISSING_TEXTURE: { text: gml(1, { tail: withTexture('39272555_bldg_6697_appearance/nothing.jpg') }) },
  MISSING_FILE: {
    text: gml(1, {
      attributes:
        '<gml:metaDataProperty xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="../frn/tree.gltf"/>',
    }),
  },
  MISSING_SCHEMA: {
    text: broken(
      '<core:CityModel ',
      '<core:CityModel xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https:/' +
        '/www.geospatial.jp/iur/uro/3.1 ../../schemas/iur/uro/3.1/urbanObject.xsd" ',
    ),
  },
  REFERENCE_ESCAPES: { text: gml(1, { tail: withTexture('../../../../etc/passwd.jpg') }) },
  REFERENCE_CASE: { text: gml(1, { attributes: CLASS('../../codelists/building_CLASS.xml') }) },
  REFERENCE_DEPTH: { text: gml(1, { attributes: CLASS('../codelists/Building_class.xml') }) },
};

const tileset = (change: object = {}, root: object = {}) => ({
  asset: { version: '1.0' },
  geometricError: 100,
  root: {
    boundingVolume: { region: [2.2275, 0.4571, 2.2276, 0.4572, 0, 50] },
    geometricError: 10,
    refine: 'ADD',
    ...root,
  },
  ...change,
});
const tilesetFiles = (change: object = {}, root: object = {}, more: Members = {}): Members => ({
  'tileset.json': JSON.stringify(tileset(change, root)),
  ...more,
});

/** Code → package, and the code with which it is refused when nothing can be shown of it. */
const TILESETS: Record<string, { members: Members; refused?: string; also?: string[] }> = {
  TILESET_UNREADABLE: {
    members: { 'tileset.json': '{"asset"' },
    refused: 'NO_TILESET',
    also: ['TILESET_MISSING'],
  },
  TILESET_NO_ROOT: {
    members: { 'tileset.json': '{"asset":{"version":"1.0"},"geometricError":1}' },
    refused: 'NO_TILESET',
  },
  TILESET_NO_VERSION: { members: tilesetFiles({ asset: {} }) },
  TILESET_VERSION: { members: tilesetFiles({ asset: { version: '2.0' } }) },
  TILESET_NO_ERROR: { members: tilesetFiles({ geometricError: null }) },
  TILESET_CYCLE: { members: tilesetFiles({}, { content: { uri: 'tileset.json' } }) },
  ROOT_VOLUME_INVALID: { members: tilesetFiles({}, { boundingVolume: { region: [1] } }) },
  TILE_INVALID: { members: tilesetFiles({}, { children: [7] }) },
  TILE_VOLUME_INVALID: {
    members: tilesetFiles({}, { children: [{ boundingVolume: {}, geometricError: 1 }] }),
  },
  TILE_ERROR_ODD: {
    members: tilesetFiles(
      {},
      {
        children: [
          { boundingVolume: { region: [2.2275, 0.4571, 2.2276, 0.4572, 0, 50] }, geometricError: 99 },
        ],
      },
    ),
  },
  TILE_TRANSFORM_INVALID: { members: tilesetFiles({}, { transform: [1, 2] }) },
  CONTENT_NO_URI: { members: tilesetFiles({}, { content: {} }) },
  CONTENT_MISSING: { members: tilesetFiles({}, { content: { uri: 'nothing.b3dm' } }) },
  CONTENT_ABSOLUTE: { members: tilesetFiles({}, { content: { uri: '/tiles/a.b3dm' } }) },
  CONTENT_ESCAPES: { members: tilesetFiles({}, { content: { uri: '../../a.b3dm' } }) },
  CONTENT_UNREADABLE: {
    members: tilesetFiles({}, { content: { uri: 'a.b3dm' } }, { 'a.b3dm': 'b3dm, but not really' }),
  },
  SUBTREES_NO_URI: {
    members: tilesetFiles(
      { asset: { version: '1.1' } },
      { implicitTiling: { subdivisionScheme: 'QUADTREE' } },
    ),
  },
  SUBTREE_MISSING: {
    members: tilesetFiles(
      { asset: { version: '1.1' } },
      {
        content: { uri: '{level}/{x}/{y}.glb' },
        implicitTiling: {
          subdivisionScheme: 'QUADTREE',
          subtreeLevels: 2,
          availableLevels: 2,
          subtrees: { uri: 's/{level}/{x}/{y}.subtree' },
        },
      },
    ),
  },
  TILESET_AMBIGUOUS: {
    members: { 'a/tileset.json': JSON.stringify(tileset()), 'b/tileset.json': JSON.stringify(tileset()) },
    refused: 'NO_TILESET',
  },
};

const documented = documentedIssues();

function find(issues: readonly Issue[], code: string, member?: string | null): Issue {
  const found = issues.find(
    (issue) => issue.code === code && (member === undefined || issue.member === member),
  );
  assert.ok(found, `${code} for ${member}: ${JSON.stringify(issues, null, 1)}`);
  assert.ok(documented.get(code)?.includes(found.severity), `${code} is documented as ${found.severity}`);
  assert.match(found.message, /\.$/, 'a full sentence');
  return found;
}

describe('a broken GML', () => {
  it('is an issue with its place, and is served with everything else', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const shelf = join(directory, 'shelf');
    await mkdir(shelf);
    const codes = Object.keys(GML_FIXTURES);
    const nameOf = (i: number) => `472${String(i).padStart(2, '0')}_case-shi_city_2023_citygml_1_op`;
    for (const [i, code] of codes.entries()) {
      const { text, path = OTHER } = GML_FIXTURES[code]!;
      await writeZip(join(shelf, `${nameOf(i)}.zip`), { ...goodPackage(), [path]: text });
    }
    const { run, reports } = await ingest(data, [shelf]);
    assert.equal(run.code, 0, 'only issues');
    assert.equal(run.stderr, '');
    for (const [i, code] of codes.entries()) {
      const { line, byte, path = OTHER, also = [] } = GML_FIXTURES[code]!;
      const report = reports.find(({ package: pkg }) => pkg?.name === nameOf(i))!;
      assert.equal(report.outcome, 'published', code);
      const issue = find(report.issues, code, path);
      if (line !== undefined) assert.equal(issue.line, line, `${code}: ${issue.message}`);
      if (byte !== undefined) assert.equal(issue.byte, byte, `${code}: ${issue.message}`);
      assert.deepEqual(
        [...new Set(report.issues.map((issue) => issue.code))].sort(),
        [code, ...also].sort(),
        JSON.stringify(report.issues, null, 1),
      );
    }
    await assertClean(data);
    await using server = await startServer(data);
    for (const [i, code] of codes.entries()) {
      const { text, path = OTHER } = GML_FIXTURES[code]!;
      const result = await server.json<FileListResult>(
        `/datacatalog/citygml/472${String(i).padStart(2, '0')}`,
      );
      const files = Object.values(result.files).flat();
      const intact = files.find(({ url }) => url.endsWith(GML));
      assert.equal(intact?.features, 3, code);
      const base = server.pathOf(result.url).replace(/\.zip$/, '');
      const served = await server.request(`${base}/${path}`);
      assert.equal(served.status, 200, code);
      assert.deepEqual(served.body, Buffer.from(text as string), code);
      assert.equal(
        files.some(({ url }) => url.endsWith(path)),
        code !== 'NO_POSITION',
        code,
      );
      const url = `url=${encodeURIComponent(result.url.replace(/\.zip$/, `/${path}`))}`;
      for (const format of ['json', 'geojson', 'cityjsonseq']) {
        for (const query of ['features?sid=0/0/0/0', 'attributes?id=bldg_0,bldg_1,nobody']) {
          const answer = await server.request(`/citygml/${query}&${url}&format=${format}`);
          assert.equal(answer.status, 200, `${code} ${query} ${format}: ${answer.text}`);
        }
      }
    }
    const everything = await server.json<{ featureIds: string[] }>('/citygml/features?sid=0/0/0/0');
    assert.ok(everything.featureIds.length > 0);
    const attributes = await server.request('/citygml/spatialid_attributes?sid=0/0/0/0&type=bldg');
    assert.equal(attributes.status, 200);
    assert.match(String(attributes.headers.warning), /is not well formed/);
  });

  it('has the features before its fault', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const text = gml(10).replace('gml:id="bldg_7"', 'gml:id=bldg_7');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), { [GML]: text });
    const { reports } = await ingest(data, [zip]);
    assert.equal(reports[0]!.package?.features, 7);
    assert.equal(find(reports[0]!.issues, 'NOT_WELL_FORMED', GML).line, lineOf(text, 'gml:id=bldg_7'));
  });

  it('is one of those that projects have met', async (t) => {
    const broken = join(REAL_DATA, 'broken');
    if (!existsSync(broken)) return t.skip('needs ../shared/data');
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const members: Members = goodPackage();
    const names = (await readdir(broken)).sort();
    for (const name of names) {
      members[`udx/bldg/${name.replace(/\.gz$/, '')}`] = gunzipSync(await readFile(join(broken, name)));
    }
    const { run, reports } = await ingest(data, [await writeZip(join(directory, `${PACKAGE}.zip`), members)]);
    assert.equal(run.code, 0, run.stderr);
    const [report] = reports;
    assert.equal(
      report!.package?.files,
      names.length + 1 - report!.issues.filter(({ code }) => code === 'NO_POSITION').length,
    );
    for (const [member, codes] of [
      ['mismatched-tag', ['MISMATCHED_TAG']],
      ['not-well-formed', ['NOT_WELL_FORMED', 'MISMATCHED_TAG']],
      ['unbound-prefix', ['UNBOUND_PREFIX']],
      ['TestCaseOfInvalidFileNameGml', ['NOT_XML', 'NOT_CITYGML', 'EMPTY_FILE', 'NOT_WELL_FORMED']],
    ] as const) {
      const errors = report!.issues.filter(
        (issue) => issue.severity === 'error' && issue.member?.includes(member),
      );
      assert.ok(
        errors.some(({ code }) => codes.some((known) => known === code)),
        `${member}: ${JSON.stringify(errors)}`,
      );
      const place = errors.find(({ code }) => codes.some((known) => known === code))!;
      assert.ok(place.line !== undefined && place.byte !== undefined, JSON.stringify(place));
    }
    await using server = await startServer(data);
    const result = await server.json<FileListResult>('/datacatalog/citygml/47201');
    const base = server.pathOf(result.url).replace(/\.zip$/, '');
    for (const [path, text] of Object.entries(members)) {
      const reply = await server.request(`${base}/${path.split('/').map(encodeURIComponent).join('/')}`);
      assert.equal(reply.status, 200, path);
      assert.deepEqual(reply.body, Buffer.from(text as string), path);
    }
    for (const { url } of Object.values(result.files).flat()) {
      assert.equal((await server.request(url)).status, 200, url);
    }
    await assertClean(data);
  });
});

describe('a broken tile package', () => {
  it('is taken in with its issues, or refused when nothing of it can be shown', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const shelf = join(directory, 'shelf');
    await mkdir(shelf);
    const codes = Object.keys(TILESETS);
    const nameOf = (i: number) =>
      `472${String(i).padStart(2, '0')}_case-shi_city_2023_citygml_1_op_bldg_3dtiles_lod1`;
    for (const [i, code] of codes.entries())
      await writeZip(join(shelf, `${nameOf(i)}.zip`), TILESETS[code]!.members);
    const { run, reports } = await ingest(data, [shelf]);
    assert.equal(run.stderr, '');
    for (const [i, code] of codes.entries()) {
      const { refused, also = [] } = TILESETS[code]!;
      const report = reports.find(({ upload }) => upload.endsWith(`${nameOf(i)}.zip`))!;
      find(report.issues, code);
      assert.equal(report.refusal?.code, refused, code);
      const others = report.issues
        .map((issue) => issue.code)
        .filter((found) => found !== code && !also.includes(found));
      assert.deepEqual(others, [], code);
    }
    await assertClean(data);
    await using server = await startServer(data);
    const { datasets } = await server.json<{
      datasets: Array<{ composite_url: string | null; url: string }>;
    }>('/datacatalog/citymodel-datasets');
    assert.equal(
      datasets.length,
      Object.values(TILESETS).filter(({ refused }) => refused === undefined).length,
    );
    for (const { url, composite_url: composite } of datasets) {
      assert.equal((await server.request(url)).status, 200, url);
      if (composite === null) continue;
      const { status } = await server.request(composite);
      assert.ok(status === 200 || status === 404, `${composite}: ${status}`);
    }
  });

  it('may hold vector tiles of all kinds of oddity', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const shelf = join(directory, 'shelf');
    await mkdir(shelf);
    // One layer “a” with one point: version 2, name, extent, one feature.
    const layer = Buffer.concat([
      Buffer.from([0x0a, 1, 0x61]),
      Buffer.from([0x12, 7, 0x18, 1, 0x22, 3, 9, 0x32, 0x22]),
      Buffer.from([0x28, 0x80, 0x20, 0x78, 2]),
    ]);
    const mvt = Buffer.concat([Buffer.from([0x1a, layer.length]), layer]);
    const metadata = (value: object) =>
      JSON.stringify({ minzoom: 10, maxzoom: 10, vector_layers: [{ id: 'a', fields: {} }], ...value });
    const cases: Record<string, Members> = {
      MVT_UNREADABLE: { '10/875/435.mvt': 'noise', '10/876/435.mvt': mvt },
      MVT_NAME_ODD: { '10/875/435.mvt': mvt, '10/99999/1.mvt': mvt },
      MVT_METADATA_UNREADABLE: { '10/875/435.mvt': mvt, 'metadata.json': 'no' },
      MVT_SCHEME_TMS: { '10/875/435.mvt': mvt, 'metadata.json': metadata({ scheme: 'tms' }) },
      MVT_ZOOM_DIFFERS: { '10/875/435.mvt': mvt, 'metadata.json': metadata({ maxzoom: 15 }) },
      MVT_BOUNDS_DIFFER: { '10/875/435.mvt': mvt, 'metadata.json': metadata({ bounds: '1,1,2,2' }) },
      MVT_LAYER_MISSING: {
        '10/875/435.mvt': mvt,
        'metadata.json': metadata({
          vector_layers: [
            { id: 'a', fields: {} },
            { id: 'b', fields: {} },
          ],
        }),
      },
      MVT_LAYER_UNDECLARED: {
        '10/875/435.mvt': mvt,
        'metadata.json': metadata({ vector_layers: [{ id: 'b', fields: {} }] }),
      },
    };
    const nameOf = (i: number) =>
      `472${String(i).padStart(2, '0')}_case-shi_city_2023_citygml_1_op_luse_mvt_lod1`;
    for (const [i, members] of Object.values(cases).entries())
      await writeZip(join(shelf, `${nameOf(i)}.zip`), members);
    const { run, reports } = await ingest(data, [shelf]);
    assert.equal(run.stderr, '');
    for (const [i, code] of Object.keys(cases).entries()) {
      const report = reports.find(({ upload }) => upload.endsWith(`${nameOf(i)}.zip`))!;
      find(report.issues, code);
      assert.equal(report.refusal, null, code);
    }
    await assertClean(data);
  });
});

describe('a broken directory', () => {
  it('is taken in without its links and junk', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const folder = await writeDirectory(join(directory, PACKAGE), { ...goodPackage(), '.DS_Store': 'x' });
    await symlink('/etc/passwd', join(folder, 'udx/bldg/link.gml'));
    await symlink('..', join(folder, 'udx/up'));
    const { run, reports } = await ingest(data, [folder]);
    assert.equal(run.code, 0, run.stdout);
    assert.deepEqual(reports[0]!.issues.map(({ code, member }) => [code, member]).sort(), [
      ['MEMBER_JUNK', '.DS_Store'],
      ['MEMBER_SYMLINK', 'udx/bldg/link.gml'],
      ['MEMBER_SYMLINK', 'udx/up'],
    ]);
    assert.equal((await assertClean(data)).members, 3);
  });

  it('has GML below udx/ only, spelled so', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const [[path, gml]] = Object.entries(goodPackage()) as [[string, string]];
    assert.match(path, /^udx\/bldg\/.*\.gml$/);
    const folder = await writeDirectory(join(directory, PACKAGE), {
      [path.replace('.gml', '.GML')]: gml,
      [path.replace('udx/', 'UDX/')]: gml,
    });
    const { reports } = await ingest(data, [folder]);
    const pkg = reports[0]!.package;
    assert.deepEqual(pkg?.types, ['bldg']);
    assert.equal(pkg?.files, 1);
    assert.equal((await assertClean(data)).members, 2, 'the other is an asset like any other');
  });
});
