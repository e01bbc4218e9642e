/**
 * Ingestion of one large GML, beside unpacking and compressing it with the usual tools, and beside one pass of a SAX
 * parser that only counts; and of very many small members, beside unpacking and verifying them.
 *
 *     npm run build && node bench/ingest.ts [megabytes, 500 when absent] [small members, 200000 when absent]
 */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import { Random } from '../packages/sample/src/random.ts';
import { writeZipFile, type ZipFileMember } from '../packages/sample/src/zip-file.ts';
import { type Run, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PACKAGE = '47900_bench-shi_city_2024_citygml_1_op';
const ROUNDS = 3;
const PROGRAM = new URL('../packages/server/bin/citymodel.js', import.meta.url).pathname;

if (process.argv[2] === '--count') {
  await countWithSax(process.argv[3]!);
} else {
  await measure(Number(process.argv[2] ?? 500) * 1e6);
  await measureSmall(Number(process.argv[3] ?? 200_000));
}

async function measure(bytes: number): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
  try {
    const bldg = join(work, PACKAGE, 'udx', 'bldg');
    await mkdir(bldg, { recursive: true });
    const gml = join(bldg, '38295545_bldg_6697_op.gml');
    const { bytes: size, buildings } = await writeBenchmarkGml(gml, { bytes });
    const zip = join(work, `${PACKAGE}.zip`);
    await timed('sh', ['-c', `cd ${work} && zip -q -r ${zip} ${PACKAGE}`]);
    const runs: Record<string, Run[]> = {
      ours: [],
      tools: [],
      sax: [],
    };
    for (let i = 0; i < ROUNDS; i++) {
      const dataDir = join(work, `data-${i}`);
      runs.ours!.push(
        await timed(process.execPath, [PROGRAM, 'ingest', '--json', zip], { DATA_DIR: dataDir }),
      );
      await rm(dataDir, { recursive: true });
      runs.tools!.push(await timed('sh', ['-c', `unzip -p ${zip} | gzip -6 > ${join(work, 'out.gz')}`]));
      runs.sax!.push(await timed(process.execPath, [new URL(import.meta.url).pathname, '--count', gml]));
    }
    const zipped = (await stat(zip)).size;
    const results = new Results(
      `Ingestion of a GML of ${Math.round(size / 1e6)} MB with ${buildings} buildings ` +
        `(${((zipped / size) * 100).toFixed(1)} % zipped)`,
      ['what', 'median s', 'MB/s of text', 'peak MB', 'ingestion takes … of it'],
    );
    const median = (name: string) =>
      quantile(
        runs[name]!.map((run) => run.seconds),
        0.5,
      );
    const row = (what: string, name: string) =>
      results.add(
        what,
        median(name),
        size / 1e6 / median(name),
        Math.max(...runs[name]!.map((run) => run.peakMb ?? 0)),
        median('ours') / median(name),
      );
    row('citymodel ingest: all of it', 'ours');
    row('unzip to gzip -6', 'tools');
    row('saxes, counting features only', 'sax');
    results.print();
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Textures of some 200 bytes beside a GML: what is kept for each member decides. */
async function measureSmall(members: number): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
  try {
    const gml = join(work, 'small.gml');
    await writeBenchmarkGml(gml, { bytes: 1e5 });
    const zip = join(work, `${PACKAGE}.zip`);
    await writeZipFile(zip, `${PACKAGE}/`, smallMembers(await readFile(gml), members));
    const runs: Record<'ours' | 'tools', Run[]> = { ours: [], tools: [] };
    for (let i = 0; i < ROUNDS; i++) {
      const dataDir = join(work, `data-${i}`);
      runs.ours.push(
        await timed(process.execPath, [PROGRAM, 'ingest', '--json', zip], { DATA_DIR: dataDir }),
      );
      await rm(dataDir, { recursive: true });
      runs.tools.push(await timed('unzip', ['-tqq', zip]));
    }
    const results = new Results(`Ingestion of ${members} textures of 200 bytes`, [
      'what',
      'median s',
      'members/s',
      'peak MB',
    ]);
    const row = (what: string, name: 'ours' | 'tools') => {
      const seconds = quantile(
        runs[name].map((run) => run.seconds),
        0.5,
      );
      results.add(what, seconds, members / seconds, Math.max(...runs[name].map((run) => run.peakMb ?? 0)));
    };
    row('citymodel ingest: all of it', 'ours');
    row('unzip -t', 'tools');
    results.print();
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function* smallMembers(gml: Uint8Array, count: number): Generator<ZipFileMember, void, void> {
  const base = 'udx/bldg/38295545_bldg_6697';
  yield { path: `${base}_op.gml`, bytes: gml };
  const random = new Random('textures');
  for (let i = 0; i < count; i++) {
    const bytes = Buffer.alloc(200);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(random.uint32(), at);
    yield { path: `${base}_appearance/hnap${String(i).padStart(6, '0')}.jpg`, bytes };
  }
}

async function countWithSax(path: string): Promise<void> {
  let features = 0;
  const parser = new SaxesParser();
  parser.on('opentag', (tag) => {
    if (tag.name === 'core:cityObjectMember') features++;
  });
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 }))
    parser.write(chunk);
  parser.close();
  if (features === 0) throw new Error('no features were counted');
}
