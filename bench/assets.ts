/**
 * Members of an archive over HTTP, gzip and plain, beside a static file server on the same bytes as files.
 *
 *     npm run build && node bench/assets.ts
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { keep } from './support/keep.ts';
import { load } from './support/load.ts';
import { startListening, startService, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PACKAGE = '47900_bench-shi_city_2024_citygml_1_op';
const SIZES: Array<[mesh: string, bytes: number]> = [
  ['38295545', 200_000],
  ['38295546', 2_000_000],
  ['38295547', 20_000_000],
];

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  const bldg = join(work, PACKAGE, 'udx', 'bldg');
  await mkdir(bldg, { recursive: true });
  for (const [mesh, bytes] of SIZES)
    await writeBenchmarkGml(join(bldg, `${mesh}_bldg_6697_op.gml`), { bytes });
  const dataDir = join(work, 'data');
  const program = new URL('../bin/citymodel.js', import.meta.url).pathname;
  await timed(process.execPath, [program, 'ingest', join(work, PACKAGE)], { DATA_DIR: dataDir });
  const bodies = join(work, 'bodies');
  await mkdir(bodies);
  await using service = await startService(dataDir);
  const answer = (await (await fetch(`${service.url}/datacatalog/citygml/47900`)).json()) as {
    files: { bldg: Array<{ code: string; url: string; fileSize: number }> };
  };
  const encodings = [
    ['gzip', { 'accept-encoding': 'gzip' }],
    ['plain', { 'accept-encoding': 'identity' }],
  ] as const;
  const cases: Array<{
    what: string;
    url: string;
    name: string;
    headers: Record<string, string>;
    bytes: number;
  }> = [];
  for (const file of answer.files.bldg) {
    const url = file.url.replace(/^https?:\/\/[^/]+/, service.url);
    for (const [encoding, headers] of encodings) {
      const name = `${file.code}-${encoding}`;
      const { bytes } = await keep(bodies, name, url, headers);
      cases.push({
        what: `${(file.fileSize / 1e6).toFixed(1)} MB of GML, ${encoding}`,
        url,
        name,
        headers,
        bytes,
      });
    }
  }
  await using bare = await startListening(
    [new URL('./support/bare-server.ts', import.meta.url).pathname, bodies],
    {},
    (line) => /listening on (\S+)/.exec(line)?.[1],
  );
  const results = new Results('Assets beside a static file server', [
    'member',
    'bytes sent',
    'MB/s',
    'static MB/s',
    'ratio',
  ]);
  for (const { what, url, name, headers, bytes } of cases) {
    const pairs: Array<[ours: number, theirs: number]> = [];
    for (let i = 0; i < 3; i++) {
      const options = { headers, seconds: 3, connections: 8 };
      const theirs = await load(`${bare.url}/static/${name}`, options);
      const ours = await load(url, options);
      pairs.push([ours.bytesPerSecond, theirs.bytesPerSecond]);
    }
    const ratio = quantile(
      pairs.map(([a, b]) => a / b),
      0.5,
    );
    const [a, b] = pairs.find(([x, y]) => x / y === ratio)!;
    results.add(what, bytes, a / 1e6, b / 1e6, ratio);
  }
  results.print();
} finally {
  await rm(work, { recursive: true, force: true });
}
