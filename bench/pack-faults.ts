/**
 * The fault run: 200 packs of the sample city while the server is killed 50 times, zips laid out and written out in turn.
 *
 *     npm run build && node bench/pack-faults.ts [packs] [kills]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { type FaultServer, faultRun } from './support/pack-faults.ts';
import { timed } from './support/processes.ts';
import { Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const packs = Number(process.argv[2] ?? 200);
const kills = Number(process.argv[3] ?? 50);
const directory = await mkdtemp(join(tmpdir(), 'bench-pack-faults-'));
const results = new Results('Packs while the server is killed', [
  'packs',
  'kills',
  'zips',
  'outcome',
  'seconds',
]);

async function start(dataDir: string, materialise: string): Promise<FaultServer> {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      HOST: '127.0.0.1',
      PACK_RATE: '0',
      PACK_MATERIALISE: materialise,
    },
  });
  const [line] = await once(
    createInterface({ input: child.stdout! }).on('line', function (this: NodeJS.EventEmitter, text: string) {
      if (text.includes('"msg":"listening"')) this.emit('listening', text);
    }),
    'listening',
  );
  return { child, url: JSON.parse(line).address };
}

try {
  await writeSampleWithTiles(join(directory, 'sample'));
  for (const materialise of ['never', 'always']) {
    const dataDir = join(directory, materialise);
    await timed(process.execPath, [PROGRAM, 'ingest', join(directory, 'sample')], { DATA_DIR: dataDir });
    const server = await start(dataDir, materialise);
    const reply = await fetch(`${server.url}/datacatalog/citygml/47`);
    const { files } = (await reply.json()) as { files: Record<string, Array<{ url: string }>> };
    const urls = Object.values(files).flatMap((each) => each.map(({ url }) => url));
    const ended = once(server.child, 'close');
    server.child.kill('SIGTERM');
    await ended;
    const report = await faultRun({
      packs,
      kills,
      urls,
      start: () => start(dataDir, materialise),
      random: Math.random,
    });
    results.add(
      String(report.packs),
      String(report.kills),
      materialise === 'never' ? 'laid out' : 'written out',
      'all `succeeded`, all zips verify',
      report.seconds,
    );
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
results.print();
