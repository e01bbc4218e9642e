/** Memory of an ingestion does not grow with what is ingested, nor that of tables with what they are made of. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import yazl from 'yazl';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import { MESH, PACKAGE } from './support/packages.ts';
import { finished, spawnProgram, tempDirectory } from './support/program.ts';

const LIMIT = 300e6;
const GML_BYTES = 120e6;
const TABLES_LIMIT = 250e6;
const SMALL_MEMBERS = 30_000;

/** Peak of the resident memory of a running process, bytes (proc(5), VmHWM), looked at until it ends. */
async function peakOf(
  child: ChildProcess,
): Promise<{ peak: number; stdout: string; stderr: string; code: number | null }> {
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1];
    if (kilobytes !== undefined) peak = Math.max(peak, Number(kilobytes) * 1024);
  };
  // The mark only rises, so that looking often is only needed for the last moments.
  const timer = setInterval(look, 20);
  const run = await finished(child);
  clearInterval(timer);
  return { peak, ...run };
}

async function ingestWithPeak(data: string, zip: string): Promise<{ peak: number; report: IngestReport }> {
  const { peak, stdout, stderr, code } = await peakOf(
    spawnProgram(['ingest', '--json', zip], { DATA_DIR: data }),
  );
  assert.equal(code, 0, stderr + stdout);
  assert.ok(peak > 10e6);
  return { peak, report: JSON.parse(stdout)[0] };
}

describe('peak memory of an ingestion', {
  skip: existsSync('/proc/self/status') ? false : 'needs /proc',
}, () => {
  it(`stays below ${LIMIT / 1e6} MB for a GML of ${GML_BYTES / 1e6} MB`, async (t) => {
    const directory = await tempDirectory(t);
    const gml = join(directory, 'large.gml');
    const { buildings } = await writeBenchmarkGml(gml, { bytes: GML_BYTES, seed: 1 });
    const zip = new yazl.ZipFile();
    zip.addFile(gml, `udx/bldg/${MESH}_bldg_6697_op.gml`, { compressionLevel: 1 });
    zip.end();
    const path = join(directory, `${PACKAGE}.zip`);
    await pipeline(zip.outputStream, createWriteStream(path));
    await rm(gml);
    const { peak, report } = await ingestWithPeak(join(directory, 'data'), path);
    assert.equal(report.package?.features, buildings);
    t.diagnostic(`${Math.round(peak / 1e6)} MB`);
    assert.ok(peak < LIMIT, `${Math.round(peak / 1e6)} MB`);

    const tables = await peakOf(
      spawnProgram(['reindex', '--all'], { DATA_DIR: join(directory, 'data'), TABLES: 'published' }),
    );
    assert.equal(tables.code, 0, tables.stderr + tables.stdout);
    assert.match(tables.stdout, /✓ .*: tables/);
    t.diagnostic(`${Math.round(tables.peak / 1e6)} MB for tables`);
    assert.ok(tables.peak < TABLES_LIMIT, `${Math.round(tables.peak / 1e6)} MB for tables`);
  });

  it(`stays below ${LIMIT / 1e6} MB for ${SMALL_MEMBERS} small members`, async (t) => {
    const directory = await tempDirectory(t);
    const zip = new yazl.ZipFile();
    zip.addBuffer(
      Buffer.from(
        '{"asset":{"version":"1.0"},"geometricError":1,"root":{"boundingVolume":{"region":[2.2275,0.4571,2.2276,' +
          '0.4572,0,50]},"geometricError":0,"refine":"ADD"}}',
      ),
      'tileset.json',
    );
    const content = Buffer.alloc(2_000, 'tile content ');
    for (let i = 0; i < SMALL_MEMBERS; i++)
      zip.addBuffer(content, `data/${i % 100}/${i}.bin`, { compress: false });
    zip.end();
    const path = join(directory, `${PACKAGE}_bldg_3dtiles_lod1.zip`);
    await pipeline(zip.outputStream, createWriteStream(path));
    const { peak, report } = await ingestWithPeak(join(directory, 'data'), path);
    assert.equal(report.outcome, 'published');
    t.diagnostic(`${Math.round(peak / 1e6)} MB`);
    assert.ok(peak < LIMIT, `${Math.round(peak / 1e6)} MB`);
  });
});
