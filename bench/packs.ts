/**
 * Packs beside `cp` of the same bytes, `zip -r` and a recompressing packer, in one run of about three minutes:
 *
 *     npm run build && node bench/packs.ts [bytes of the pack, default 2e9]
 *
 * The store is made and removed again; it takes some eight times the size of the pack on the disk of the temporary
 * directory.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import type { PackStatusObject } from '../packages/server/src/pack/packs.ts';
import { writePackStore } from './support/pack-store.ts';
import { peakOf, type Service, startService, timed } from './support/processes.ts';
import { Results, rounded } from './support/table.ts';

const BYTES = Number(process.argv[2] ?? 2e9);
const FILES = 500;
const MANY = 100_000;
const DOWNLOADS = 50;
/** How long the downloads at once run, s; each alone would take as long as the disk allows. */
const CROWD_S = 20;
/** Files that `zip -r` and the recompressing packer get: all of them would take them most of an hour. */
const SAMPLE = 8;

const env = { PACK_RATE: '0', LOG_LEVEL: 'info' };
const directory = await mkdtemp(join(tmpdir(), 'bench-packs-'));
const results = new Results(
  `Packs: ${FILES} GML files with textures and code lists, ${rounded(BYTES / 1e9)} GB`,
  ['what', 'measured', 'beside', 'ratio or limit'],
);

/** Posts and waits. Seconds until `succeeded`. */
async function pack(
  service: Service,
  conditions: string,
): Promise<{ status: PackStatusObject; seconds: number }> {
  const start = performance.now();
  const posted = await fetch(`${service.url}/citygml/pack`, {
    method: 'POST',
    body: JSON.stringify({ conditions }),
  });
  const { id } = (await posted.json()) as { id: string };
  for (;;) {
    const reply = await fetch(`${service.url}/citygml/pack/${id}/status?wait=30`);
    const status = (await reply.json()) as PackStatusObject;
    if (status.status === 'failed') throw new Error(status.reason);
    if (status.status === 'succeeded') return { status, seconds: (performance.now() - start) / 1e3 };
  }
}

const bytesUrl = (service: Service, { id }: PackStatusObject) =>
  `${service.url}/citygml/pack/${id}/download/${id}.zip`;

/** The best of three: what the machine can do when nothing else happens. */
async function best(work: () => Promise<number>): Promise<number> {
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) seconds = Math.min(seconds, await work());
  return seconds;
}

const rate = (bytes: number, seconds: number) => `${rounded(bytes / 1e6 / seconds)} MB/s`;

/** Bytes that so many downloads receive in all until the time is over. */
function crowd(url: string, count: number, seconds: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const requests = Array.from({ length: count }, () =>
      request(url, (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', () => {});
      })
        .on('error', (error) => {
          if (!done) reject(error);
        })
        .end(),
    );
    let done = false;
    setTimeout(() => {
      done = true;
      for (const request of requests) request.destroy();
      resolve(bytes);
    }, seconds * 1_000);
  });
}

async function recompress(files: readonly string[], to: string): Promise<void> {
  const zip = new yazl.ZipFile();
  for (const file of files) zip.addFile(file, file.split('/').at(-1)!);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(to));
}

try {
  console.error(`making ${rounded(BYTES / 1e9)} GB in ${directory}`);
  await writePackStore(directory, {
    files: FILES,
    fileBytes: Math.floor(BYTES / FILES) - 80_000,
    textures: 4,
    manyTextures: MANY,
  });
  const dataDir = join(directory, 'data');
  const out = join(directory, 'out');
  let size = 0;
  let copying = 0;
  let streaming = 0;
  {
    await using service = await startService(dataDir, { ...env, PACK_MATERIALISE: 'never' });
    const { status, seconds } = await pack(service, '99101');
    size = status.size!;
    results.add(
      'POST to `succeeded`',
      `${rounded(seconds * 1e3)} ms`,
      `${status.files} members, ${rounded(size / 1e9)} GB`,
      'limit 1 s',
    );

    const url = bytesUrl(service, status);
    // The first writes the file that is then copied, and has every byte in the system's cache.
    await timed('curl', ['-s', '-o', join(directory, 'pack.zip'), url]);
    copying = await best(async () => {
      await rm(out, { force: true });
      return (await timed('cp', ['--reflink=never', join(directory, 'pack.zip'), out])).seconds;
    });
    streaming = await best(async () => (await timed('curl', ['-s', '-o', '/dev/null', url])).seconds);
    const toFile = await best(async () => {
      await rm(out, { force: true });
      return (await timed('curl', ['-s', '-o', out, url])).seconds;
    });
    const cp = `cp ${rate(size, copying)}`;
    results.add(
      'download on loopback',
      rate(size, streaming),
      cp,
      `${rounded(copying / streaming)}, limit 0.5`,
    );
    results.add('download on loopback to a file', rate(size, toFile), cp, `${rounded(copying / toFile)}`);
    await rm(out, { force: true });
    const bytes = await crowd(url, DOWNLOADS, CROWD_S);
    results.add(
      `${DOWNLOADS} downloads at once`,
      rate(bytes, CROWD_S),
      `peak memory ${rounded(peakOf(service.pid)!)} MB`,
      'limit 250 MB',
    );
  }
  {
    await using service = await startService(dataDir, { ...env, PACK_MATERIALISE: 'never' });
    const idle = peakOf(service.pid)!;
    const { status, seconds } = await pack(service, '99102');
    const peak = peakOf(service.pid)!;
    results.add(
      `${status.files} members: POST to \`succeeded\``,
      `${rounded(seconds)} s`,
      `peak memory ${rounded(peak)} MB (${rounded(idle)} MB before)`,
      'limit 3 s, 400 MB',
    );
    const { seconds: whole } = await timed('curl', [
      '-s',
      '-o',
      join(directory, 'many.zip'),
      bytesUrl(service, status),
    ]);
    results.add(
      `${status.files} members: download`,
      `${rounded(whole)} s`,
      `${rounded(status.size! / 1e6)} MB`,
      '',
    );
    const tested = spawnSync('unzip', ['-tqq', join(directory, 'many.zip')]);
    results.add('… tested by Info-ZIP', tested.status === 0 ? 'no fault' : String(tested.stderr), '', '');
  }
  {
    const before = { ...env, PACK_MATERIALISE: 'always' };
    await rm(join(directory, 'pack.zip'), { force: true });
    // Sets that are not there already; of each the bytes a second.
    await using service = await startService(dataDir, before);
    let written = 0;
    for (const conditions of ['m:5339', 'm:533900,533901,533902,533903', 'm:533901,533902,533903,533904']) {
      const { status, seconds } = await pack(service, conditions);
      written = Math.max(written, status.size! / seconds);
    }
    // What was put survives a loss of power, so the copy has to as well; and it lies beside the others, as packs do.
    const copies: string[] = [];
    const synced = await best(async () => {
      const archive = join(dataDir, 'store/objects/archives/city.zip');
      const copy = `${out}-${copies.length}`;
      copies.push(copy);
      const script = `cp --reflink=never "${archive}" "${copy}" && sync "${copy}"`;
      const { seconds } = await timed('sh', ['-c', script]);
      return seconds / (await stat(archive)).size;
    });
    results.add(
      'written out, POST to `succeeded`',
      rate(written, 1),
      `cp and sync ${rate(1, synced)}`,
      `${rounded(written * synced)}, limit 0.5`,
    );
    for (const copy of copies) await rm(copy);
  }
  {
    const tree = join(directory, 'tree');
    await mkdir(tree);
    const names = Array.from({ length: SAMPLE }, (_, i) => join(tree, `${i}.gml`));
    for (const name of names) await copyFile(join(directory, 'text.gml'), name);
    const zipped = await timed('zip', ['-rq', join(directory, 'tree.zip'), tree]);
    const share = (await stat(join(directory, 'tree.zip'))).size;
    const start = performance.now();
    await recompress(names, join(directory, 'yazl.zip'));
    const again = (performance.now() - start) / 1e3;
    const packing = share / (size / streaming);
    for (const [what, seconds] of [
      ['`zip -r`', zipped.seconds],
      ['recompressing with yazl', again],
    ] as const) {
      results.add(
        `${what} of ${SAMPLE} of the files`,
        `${rounded(seconds)} s for ${rounded(share / 1e6)} MB of zip`,
        `streamed in ${rounded(packing * 1e3)} ms`,
        `${rounded(seconds / packing)} times, expected above 50`,
      );
    }
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}
results.print();
