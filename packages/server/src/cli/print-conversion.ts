/** What the command `convert` prints of a plan and of what came of it. */
import { formatBytes, formatDuration } from '../base/progress.ts';
import type { ConversionPlan, ConvertReport } from '../convert/convert.ts';
import type { ConvertAndIngestReport } from '../convert/convert-and-ingest.ts';
import { languageOf } from './language.ts';
import { accountText } from './print-account.ts';
import { convertIssueLines } from './print-issues.ts';
import { renderTable } from './table.ts';

/** Prints which packages a conversion would make of how many files. */
export function printPlan({ package: name, outputs, parts }: ConversionPlan): void {
  console.log(`${name}: ${parts} parts`);
  console.log(
    renderTable(
      [
        { title: 'package of tiles' },
        { title: 'files', align: 'right' },
        { title: 'CityGML', align: 'right' },
      ],
      outputs.map(({ name: output, files, bytes }) => [output, String(files), formatBytes(bytes)]),
    ),
  );
}

/** Prints what a conversion made, its account and its issues. */
export function printReport(report: ConvertReport | ConvertAndIngestReport): void {
  const { package: name, parts, reused, bytes, seconds, packages, issues } = report;
  console.log(
    `✓ ${name}  ${parts} parts, ${reused} of them from an earlier run; ${formatBytes(bytes)} of CityGML in ` +
      `${formatDuration(seconds)}`,
  );
  const ingested = 'ingested' in report ? report.ingested : null;
  console.log(
    renderTable(
      [
        { title: 'package of tiles' },
        { title: 'features', align: 'right' },
        { title: 'files', align: 'right' },
        { title: 'bytes', align: 'right' },
        { title: '' },
      ],
      packages.map((pkg) => [
        pkg.name,
        String(pkg.features),
        pkg.path === null ? '' : String(pkg.members),
        pkg.path === null ? '' : formatBytes(pkg.bytes),
        pkg.path === null ? 'not replaced: other tiles are live' : outcomeOf(pkg.name, ingested),
      ]),
    ),
  );
  if (report.account !== null) console.log(accountText(report.account));
  for (const line of convertIssueLines(issues, languageOf(process.env))) console.log(`  ${line}`);
}

function outcomeOf(name: string, ingested: ConvertAndIngestReport['ingested'] | null): string {
  const report = ingested?.find((row) => row.package?.name === name || row.upload.includes(`/${name}.`));
  return report === undefined ? '' : (report.refusal?.reason ?? report.outcome);
}
