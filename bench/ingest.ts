/**
 * Ingestion of one large GML, beside unpacking and compressing it with the usual tools, and beside one pass of a SAX parser
 * that only counts.
 *
 *     npm run build && node bench/ingest.ts [megabytes, 500 when absent]
 */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PACKAGE = '47900_bench-shi_city_2024_citygml_1_op';
const ROUNDS = 3;

if (process.argv[2] === '--count') {
  await countWithSax(process.argv[3]!);
} else {
  await measure(Number(process.argv[2] ?? 500) * 1e6);
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
    const program = new URL('../bin/citymodel.js', import.meta.url).pathname;
    const runs: Record<string, Array<{ seconds: number; peakMb: number | null }>> = {
      ours: [],
      tools: [],
      sax: [],
    };
    for (let i = 0; i < ROUNDS; i++) {
      const dataDir = join(work, `data-${i}`);
      runs.ours!.push(
        await timed(process.execPath, [program, 'ingest', '--json', zip], { DATA_DIR: dataDir }),
      );
      await rm(dataDir, { recursive: true });
      runs.tools!.push(await timed('sh', ['-c', `unzip -p ${zip} | gzip -6 > ${join(work, 'out.gz')}`]));
      runs.sax!.push(await timed(process.execPath, [new URL(import.meta.url).pathname, '--count', gml]));
    }
    const zipped = (await stat(zip)).size;
    const results = new Results(
      `Ingestion of a GML of ${Math.round(size / 1e6)} MB with ${buildings} buildings (${((zipped / size) * 100).toFixed(1)} % zipped)`,
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
