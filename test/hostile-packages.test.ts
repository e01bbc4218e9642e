/**
 * Packages that are small and take much: each is refused or ingested within bounds of memory, and the packages after it
 * are ingested all the same.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import { writeMvt } from '../packages/tiles/src/testing/mvt-writer.ts';
import { writePmtiles } from '../packages/tiles/src/testing/pmtiles-writer.ts';
import { rawPmtiles, SQUARE } from './support/hostile.ts';
import { GML, gml, goodPackage, type Members, writeDirectory, writeZip } from './support/packages.ts';
import { finished, removeDirectory, runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { assertClean, ingest } from './support/store.ts';

/** Resident memory of the ingestion of all of them, bytes. */
const PEAK = 700e6;

interface Case {
  /** Members of a CityGML package or of a tile package, or a PMTiles file. */
  members?: Members;
  pmtiles?: Uint8Array;
  outcome: IngestReport['outcome'];
  /** Code of the refusal. */
  refusal?: string;
  /** An issue that must be there, with its member where it names one. */
  issue?: { code: string; member?: string };
}

const building = (inside: string, declarations = '') =>
  `<core:cityObjectMember><bldg:Building ${declarations}>${inside}</bldg:Building></core:cityObjectMember>\n`;
const hostile = (tail: string): Members => ({ [GML]: gml(1, { tail }) });
const repeated = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join('');

/** Bytes that do not deflate, so that a member stays below the ratio at which it counts as a bomb. */
function filling(bytes: number): string {
  let state = 1;
  return repeated(bytes, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  });
}

/** A name with the same polynomial hash of factor 31 as every other of its length. */
const colliding = (i: number) => repeated(16, (bit) => ((i >> bit) & 1 ? 'BB' : 'Aa'));

const XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"';
const circular = (count: number) =>
  `<bldg:lod2MultiSurface><gml:MultiSurface><gml:surfaceMember><gml:CompositeSurface gml:id="c">\
${'<gml:surfaceMember xlink:href="#c"/>'.repeat(count)}
<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>${SQUARE}</gml:posList></gml:LinearRing>\
</gml:exterior></gml:Polygon></gml:surfaceMember>
</gml:CompositeSurface></gml:surfaceMember></gml:MultiSurface></bldg:lod2MultiSurface>
<bldg:lod0RoofEdge><gml:MultiSurface><gml:surfaceMember xlink:href="#c"/></gml:MultiSurface></bldg:lod0RoofEdge>`;

const region = { region: [2.4388, 0.6226, 2.4395, 0.6232, 0, 100] };
const tile = (more: object) => ({ boundingVolume: region, geometricError: 0, refine: 'ADD', ...more });
const tileset = (root: object, more = '') =>
  `${JSON.stringify({ asset: { version: '1.0' }, geometricError: 10, root }).slice(0, -1)}${more}}`;
const refersTo = (uri: string): Members => ({ 'tileset.json': tileset(tile({ content: { uri } })) });

function b3dm(batchTable: Buffer): Buffer {
  const header = Buffer.alloc(28);
  header.write('b3dm');
  header.writeUInt32LE(1, 4);
  header.writeUInt32LE(28 + batchTable.length, 8);
  header.writeUInt32LE(batchTable.length, 20);
  return Buffer.concat([header, batchTable]);
}

const REFUSED_GML = {
  outcome: 'refused',
  refusal: 'OVER_BUDGET',
  issue: { code: 'OVER_BUDGET', member: GML },
} as const;
const REFUSED_TILESET = {
  outcome: 'refused',
  refusal: 'OVER_BUDGET',
  issue: { code: 'OVER_BUDGET', member: 'tileset.json' },
} as const;
const REFUSED_PMTILES = {
  outcome: 'refused',
  refusal: 'OVER_BUDGET',
  issue: { code: 'OVER_BUDGET' },
} as const;
const FOREIGN = {
  outcome: 'refused',
  refusal: 'FOREIGN_CONTENT',
  issue: { code: 'CONTENT_ABSOLUTE', member: 'tileset.json' },
} as const;

const CITYGML: Record<string, () => Case> = {
  'nested namespace declarations': () => ({
    ...REFUSED_GML,
    members: hostile(
      building(
        repeated(100, (d) => `<bldg:a ${repeated(120, (k) => ` xmlns:q${k}="v${d}"`)}>`) +
          '</bldg:a>'.repeat(100),
      ),
    ),
  }),
  'namespaces that nobody declares again': () => ({
    ...REFUSED_GML,
    members: hostile(
      repeated(300, (i) =>
        building(
          '',
          repeated(100, (k) => ` xmlns:p${i}_${k}="u"`),
        ),
      ),
    ),
  }),
  'ten thousand siblings with contexts of their own': () => ({
    outcome: 'published',
    members: hostile(repeated(10_000, (i) => building('<bldg:a/>', `xmlns:p="u${i}"`))),
  }),
  'names that collide': () => ({
    outcome: 'published',
    members: hostile(building(repeated(15_000, (i) => `<bldg:${colliding(i)}/>`))),
  }),
  'too many names': () => ({
    ...REFUSED_GML,
    members: hostile(building(repeated(25_000, (i) => `<bldg:n${i}/>`))),
  }),
  'one circle of references': () => ({
    outcome: 'published',
    issue: { code: 'REFERENCES_TOO_MANY', member: GML },
    members: hostile(building(circular(40), XLINK)),
  }),
  'circles of references': () => ({
    ...REFUSED_GML,
    members: hostile(building(circular(40), XLINK).repeat(1_000)),
  }),
  'names of references': () => ({
    outcome: 'published',
    members: hostile(
      `<!-- ${filling(100_000)} -->${building(`<gml:name>${'&amp;'.repeat(12_000)}</gml:name>`).repeat(200)}`,
    ),
  }),
  'a reference of 60,000 question marks': () => ({
    outcome: 'published',
    issue: { code: 'REFERENCE_TOO_LONG', member: GML },
    members: hostile(building(`<bldg:class codeSpace="${'?'.repeat(60_000)}\nx">1</bldg:class>`)),
  }),
  'a reference of 600 steps up': () => ({
    outcome: 'published',
    issue: { code: 'REFERENCE_ESCAPES', member: GML },
    members: hostile(building(`<bldg:class codeSpace="${'../'.repeat(600)}x">1</bldg:class>`)),
  }),
};

const TILES: Record<string, () => Case> = {
  'a tileset of 40 MB': () => ({
    ...REFUSED_TILESET,
    members: {
      'tileset.json': tileset(tile({}), `,"r":"${filling(200_000)}","x":[${'{},'.repeat(13_333_333)}{}]`),
    },
  }),
  'a tileset of 15,000,000 lists': () => ({
    ...REFUSED_TILESET,
    members: {
      'tileset.json': tileset(
        tile({}),
        `,"r":"${filling(200_000)}","x":${'['.repeat(7_500_000)}${']'.repeat(7_500_000)}`,
      ),
    },
  }),
  'two tilesets side by side': () => ({
    outcome: 'refused',
    refusal: 'NO_TILESET',
    issue: { code: 'TILESET_AMBIGUOUS' },
    members: {
      'a/tileset.json': tileset(tile({ children: Array(300_000).fill({}) }), `,"r":"${filling(4_000)}"`),
      'b/tileset.json': tileset(tile({ children: [] })),
    },
  }),
  'a batch table of zeros': () => ({
    outcome: 'published',
    issue: { code: 'CONTENT_UNREADABLE', member: 'a.b3dm' },
    members: {
      ...refersTo('a.b3dm'),
      'a.b3dm': b3dm(Buffer.concat([Buffer.alloc(4_000_000), Buffer.from(filling(20_000))])),
    },
  }),
  'a batch table of 500,000 LODs': () => ({
    outcome: 'published',
    members: {
      ...refersTo('a.b3dm'),
      'a.b3dm': b3dm(Buffer.from(JSON.stringify({ lod: Array(500_000).fill(2), r: filling(10_000) }))),
    },
  }),
  'content of another host': () => ({ ...FOREIGN, members: refersTo('http://evil.example/a.b3dm') }),
  'content of another host without a scheme': () => ({
    ...FOREIGN,
    members: refersTo('//evil.example/a.b3dm'),
  }),
  'content that is a script': () => ({ ...FOREIGN, members: refersTo('java\tscript:alert(1)') }),
};

const PMTILES: Record<string, () => Case> = {
  'a run of 2^40 tiles': () => ({
    ...REFUSED_PMTILES,
    pmtiles: rawPmtiles({ entries: [{ id: 0, run: 2 ** 40, length: 4, offset: 0 }], maxzoom: 26 }),
  }),
  'a run of 3,000,000 tiles': () => ({
    ...REFUSED_PMTILES,
    pmtiles: rawPmtiles({ entries: [{ id: 5, run: 3_000_000, length: 4, offset: 0 }] }),
  }),
  'more tiles than the header says': () => ({
    outcome: 'refused',
    refusal: 'BAD_PMTILES',
    pmtiles: rawPmtiles({ entries: [{ id: 5, run: 2_000, length: 4, offset: 0 }], addressed: 1_999 }),
  }),
  'metadata of 60 MB': () => ({
    ...REFUSED_PMTILES,
    pmtiles: rawPmtiles({
      entries: [{ id: 5, run: 1, length: 4, offset: 0 }],
      metadata: Buffer.from(`{"x":[${'{},'.repeat(20e6)}{}]}`),
    }),
  }),
};

describe('hostile packages', () => {
  let directory: string;
  let peak = 0;
  const reports = new Map<string, IngestReport>();
  const all = { ...CITYGML, ...TILES, ...PMTILES };
  const good = '13999_good_city_2023_citygml_1_op';

  before(async () => {
    directory = await tempDirectory();
    const shelf = join(directory, 'shelf');
    const temporary = join(directory, 'tmp');
    for (const path of [shelf, temporary]) await mkdir(path);
    const paths = new Map<string, string>();
    let code = 13_101;
    for (const [name, make] of Object.entries(all)) {
      const { members, pmtiles } = make();
      const isTiles = name in TILES;
      const path =
        `${join(shelf, `${code++}_x_city_2023_citygml_1_op`)}` +
        `${pmtiles ? '_bldg_mvt_lod1.pmtiles' : isTiles ? '_bldg_3dtiles_lod1.zip' : '.zip'}`;
      if (pmtiles !== undefined) await writeFile(path, pmtiles);
      else await writeZip(path, members!);
      paths.set(path, name);
    }
    await writeZip(join(shelf, `${good}.zip`), goodPackage());
    const square = writeMvt({ roof: { points: [{ x: 1, y: 1 }] } });
    await writeFile(
      join(shelf, `${good}_bldg_mvt_lod1.pmtiles`),
      writePmtiles([{ z: 3, x: 7, y: 3, bytes: square }]),
    );
    const child = spawnProgram(['ingest', '--json', shelf], {
      DATA_DIR: join(directory, 'data'),
      TMPDIR: temporary,
    });
    const timer = setInterval(async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      peak = Math.max(peak, 1_024 * Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0));
    }, 20);
    const run = await finished(child);
    clearInterval(timer);
    assert.equal(run.code, 1, run.stderr);
    for (const report of JSON.parse(run.stdout) as IngestReport[]) {
      reports.set(paths.get(report.upload) ?? report.upload, report);
    }
    assert.equal(reports.size, paths.size + 2);
  });
  after(() => removeDirectory(directory));

  for (const [name, make] of Object.entries(all)) {
    it(name, () => {
      const { outcome, refusal, issue } = make();
      const report = reports.get(name)!;
      const text = JSON.stringify(report, null, 1).slice(0, 3_000);
      assert.equal(report.outcome, outcome, text);
      assert.equal(report.refusal?.code, refusal, text);
      if (issue === undefined) return;
      const found = report.issues.find(({ code }) => code === issue.code);
      assert.ok(found !== undefined, text);
      if (issue.member !== undefined) assert.equal(found.member, issue.member);
      if (issue.code === 'OVER_BUDGET') assert.equal(found.severity, 'error');
    });
  }

  it('let the packages after them in, and leave nothing behind', async () => {
    for (const [name, { outcome }] of reports) if (name.includes(good)) assert.equal(outcome, 'published');
    assert.deepEqual(await readdir(join(directory, 'tmp')), []);
    assert.deepEqual(await readdir(join(directory, 'data/staging')), []);
    await assertClean(join(directory, 'data'));
  });

  it(`take at most ${PEAK / 1e6} MB of memory`, {
    skip: existsSync('/proc/self/status') ? false : 'needs /proc',
  }, (t) => {
    t.diagnostic(`${Math.round(peak / 1e6)} MB`);
    assert.ok(peak > 10e6 && peak < PEAK, `${peak}`);
  });
});

describe('uploads that the system has trouble with', () => {
  it('are reported one by one, and the rest goes in', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const folder = join(directory, '47201_naha-shi_city_2023_citygml_1_op');
    await writeDirectory(folder, { ...goodPackage(), 'udx/a\nb.txt': 'x', 'c\u0001/d.txt': 'x' });
    const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x83, 0x65, 0x2e, 0x74])]);
    const isKept = await writeFile(odd, 'x').then(
      () => true,
      () => false,
    );
    const missing = join(directory, '13101_none_city_2023_citygml_1_op.zip');
    const locked = join(directory, '13102_directory_city_2023_citygml_1_op.zip');
    await mkdir(locked);
    const { run, reports } = await ingest(data, [missing, locked, folder]);
    assert.equal(run.code, 1);
    assert.deepEqual(
      reports.map(({ outcome, refusal }) => refusal?.code ?? outcome),
      ['NO_SUCH_FILE', 'NOT_A_PACKAGE', 'published'],
    );
    const codes = reports[2]!.issues.map(({ code }) => code).filter((code) => code.startsWith('MEMBER'));
    const expected = [
      'MEMBER_NAME_CONTROL',
      'MEMBER_NAME_CONTROL',
      ...(isKept ? ['MEMBER_NAME_UNREADABLE'] : []),
    ];
    assert.deepEqual(codes.sort(), expected);
  });

  it('leave nothing of a PMTiles file when the process is killed', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const staging = join(data, 'staging');
    const path = join(directory, '47201_naha-shi_city_2023_citygml_1_op_bldg_mvt_lod1.pmtiles');
    await writeFile(
      path,
      rawPmtiles({ entries: [{ id: 1_000_000, run: 900_000, length: 4, offset: 0 }], minzoom: 9 }),
    );
    const child = spawnProgram(['ingest', path], { DATA_DIR: data, TMPDIR: directory });
    const ended = finished(child);
    const files = async () => {
      const inside = await readdir(staging, { recursive: true }).catch(() => []);
      return inside.filter((name) => name.endsWith('.zip'));
    };
    while (child.exitCode === null && (await files()).length === 0) await new Promise(setImmediate);
    child.kill('SIGKILL');
    assert.equal((await ended).signal, 'SIGKILL');
    assert.deepEqual((await files()).length, 1);
    assert.equal((await runProgram(['ingest', join(directory, 'none.zip')], { DATA_DIR: data })).code, 1);
    assert.deepEqual(await readdir(staging), []);
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith('citymodel')),
      [],
    );
  });
});
