/** Data directories that the built program filled. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Issue } from '../../packages/base/src/issue.ts';
import type { CheckReport } from '../../packages/server/src/ingest/check.ts';
import type { IngestReport } from '../../packages/server/src/ingest/report.ts';
import type { PackageRow } from '../../packages/store/src/rows.ts';
import { type RunResult, runProgram } from './program.ts';
import { writeSampleWithTiles } from './sample.ts';

/** Runs the program, or a command of it, to its end. */
type Run = (args: readonly string[], env: Record<string, string>) => Promise<RunResult>;

/** What tests do with a data directory, by a way to run commands. */
export function commandsOf(run: Run) {
  /** Runs `ingest --json`; the reports are those of the uploads, in the order in which they were taken. */
  async function ingest(
    dataDir: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<{ run: RunResult; reports: IngestReport[] }> {
    const result = await run(['ingest', '--json', ...args], { DATA_DIR: dataDir, ...env });
    assert.ok(result.code === 0 || result.code === 1, `ingest ended with ${result.code}: ${result.stderr}`);
    return { run: result, reports: result.stdout === '' ? [] : JSON.parse(result.stdout) };
  }

  return {
    ingest,

    /** Ingests one upload that must go in, and returns its report. */
    async ingestOne(dataDir: string, args: readonly string[]): Promise<IngestReport> {
      const { run, reports } = await ingest(dataDir, args);
      assert.equal(run.code, 0, run.stdout);
      assert.equal(reports.length, 1);
      return reports[0]!;
    },

    /** Everything that the store holds must be in order. */
    async assertClean(dataDir: string): Promise<CheckReport> {
      const { code, stdout } = await run(['check', '--json'], { DATA_DIR: dataDir });
      const report: CheckReport = JSON.parse(stdout);
      assert.deepEqual([report.faults, report.orphans], [[], []]);
      assert.equal(code, 0);
      return report;
    },

    /** The packages that `list` shows. */
    async list(
      dataDir: string,
      flags: readonly string[] = [],
    ): Promise<Array<PackageRow & { issues?: Issue[] }>> {
      const { code, stdout, stderr } = await run(['list', '--json', ...flags], { DATA_DIR: dataDir });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
  };
}

export const { ingest, ingestOne, assertClean, list } = commandsOf(runProgram);

/**
 * Writes the sample city into `directory/sample` and ingests it into `directory/data`, or copies both from the
 * directory that SAMPLE_CITY names, where the run of all tests has made them.
 */
export async function ingestSample(directory: string): Promise<{ sample: string; data: string }> {
  const sample = join(directory, 'sample');
  const data = join(directory, 'data');
  if (process.env.SAMPLE_CITY) {
    await cp(process.env.SAMPLE_CITY, directory, { recursive: true });
    return { sample, data };
  }
  await writeSampleWithTiles(sample);
  const { run } = await ingest(data, [sample]);
  assert.equal(run.code, 0, run.stdout);
  return { sample, data };
}
