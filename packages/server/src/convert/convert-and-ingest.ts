/** Converts a package and ingests what came of it, unless other tiles are to be kept. */
import { mkdir, rm } from 'node:fs/promises';
import { Archives, type PackageRow } from '@citymodel/store';
import { readWhole } from '@citymodel/zip';
import { runTask } from '../base/long-task.ts';
import { packageIdentity, parsePackageName } from '../catalogue/names/package-name.ts';
import { type IngestContext, ingest } from '../ingest/ingest.ts';
import type { IngestReport } from '../ingest/report.ts';
import { livePackage } from '../ingest/standing.ts';
import { type ConvertEnvironment, type ConvertReport, type ConvertRequest, conversion } from './convert.ts';
import { PartStore } from './part-store.ts';
import { PROVENANCE } from './work.ts';

export interface ConvertAndIngestRequest extends Omit<ConvertRequest, 'out' | 'isWanted'> {
  /** Put converted tiles in the place of others, too. */
  replace: boolean;
  /** Deflate level for what is compressed while ingesting. */
  level: number;
}

export interface ConvertAndIngestReport extends ConvertReport {
  ingested: IngestReport[];
}

/**
 * Throws as `convertPackage`. What a package of tiles is refused for is in its report. Tiles that were converted before
 * are replaced; tiles that came from elsewhere stay, unless `replace`.
 */
export async function convertAndIngest(
  request: ConvertAndIngestRequest,
  environment: ConvertEnvironment,
  context: IngestContext,
  onFault: (error: unknown) => void,
): Promise<ConvertAndIngestReport> {
  const { replace, level, ...wanted } = request;
  await mkdir(context.stagingDir, { recursive: true });
  // Among the work of parts, which the next conversion clears when this one is killed.
  const out = await new PartStore(wanted.partsDirectory, async () => null).begin('packages');
  const archives = new Archives(context.objects, { maxOpen: 1 });
  const isWanted = async ({ name }: { name: string }) =>
    replace || !(await isFromElsewhere(name, context, archives));
  const { signal, onProgress } = environment;
  const task = {
    ...conversion({ ...wanted, out, isWanted }, environment),
    async publish(report: ConvertReport): Promise<ConvertAndIngestReport> {
      const ingested: IngestReport[] = [];
      for (const { path } of report.packages) {
        if (path === null) continue;
        const kind = path.endsWith('.pmtiles') ? 'pmtiles' : 'zip';
        // What stands there is a conversion, or was to be replaced.
        const options = { overrides: report.said, replace: true, level, signal, onProgress, onFault };
        ingested.push(await ingest({ path, kind }, context, options));
        await rm(path, { force: true });
      }
      return { ...report, ingested };
    },
  };
  try {
    return await runTask(task, environment);
  } finally {
    await archives.close();
    await rm(out, { recursive: true, force: true });
  }
}

/** Whether tiles of the same identity as those of this name are live, and nobody converted them here. */
export async function isFromElsewhere(
  name: string,
  { catalogue }: { catalogue: Pick<IngestContext['catalogue'], 'findPackages'> },
  archives: Pick<Archives, 'open'>,
): Promise<boolean> {
  const parsed = parsePackageName(name);
  if (parsed === null) return false;
  const { tiles } = parsed;
  const identity = packageIdentity({ ...parsed, wardCode: tiles?.wardCode ?? null });
  const live = await livePackage(catalogue, identity);
  return live !== null && !(await isConverted(live, archives));
}

/** Whether a package says of itself that it was converted. */
async function isConverted(row: PackageRow, archives: Pick<Archives, 'open'>): Promise<boolean> {
  await using archive = await archives.open(row);
  if (archive.index.find(PROVENANCE) !== undefined) return true;
  // Made of a PMTiles file.
  const metadata = archive.index.find('metadata.json');
  if (metadata === undefined) return false;
  const bytes = await readWhole(archive.archive, metadata);
  return jsonOf(bytes)?.conversion !== undefined;
}

/** Null for what is no JSON. */
function jsonOf(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
