import { compareTexts } from '@citymodel/base';
import type { PackageRow, PackageState } from '@citymodel/store';
import type { Command } from 'commander';
import { formatBytes } from '../base/progress.ts';
import { readSettings } from '../base/settings.ts';
import { languageOf } from './language.ts';
import { issueLines } from './print-issues.ts';
import { storesOf } from './stores.ts';
import { renderTable } from './table.ts';

export function addList(program: Command): void {
  program
    .command('list')
    .description('List the packages in the store.')
    .option('--all', 'also list packages that were replaced or removed and are not deleted yet', false)
    .option('--issues', 'also list the issues that ingestion found', false)
    .option('--json', 'print as JSON', false)
    .action(async ({ all, issues, json }: { all: boolean; issues: boolean; json: boolean }) => {
      const stores = await storesOf(readSettings(process.env));
      try {
        const states: PackageState[] = all ? ['live', 'retired', 'removed'] : ['live'];
        const rows: PackageRow[] = [];
        for await (const page of stores.catalogue.packages(states)) rows.push(...page);
        rows.sort((a, b) => compareTexts(a.name, b.name));
        if (json) {
          const full = [];
          for (const row of rows) {
            full.push(issues ? { ...row, issues: await stores.catalogue.issues(row.no) } : row);
          }
          console.log(JSON.stringify(full, null, 2));
          return;
        }
        console.log(packageTable(rows));
        if (!issues) return;
        for (const row of rows) {
          const found = await stores.catalogue.issues(row.no);
          if (found.length === 0) continue;
          console.log(`\n${row.name}`);
          for (const line of issueLines(found, languageOf(process.env), Number.POSITIVE_INFINITY)) {
            console.log(`  ${line}`);
          }
        }
      } finally {
        await stores.close();
      }
    });
}

function packageTable(rows: readonly PackageRow[]): string {
  return renderTable(
    [
      { title: 'package' },
      { title: 'state' },
      { title: 'place' },
      { title: 'types' },
      { title: 'files', align: 'right' },
      { title: 'features', align: 'right' },
      { title: 'archive', align: 'right' },
      { title: 'errors', align: 'right' },
      { title: 'warnings', align: 'right' },
      { title: 'notes', align: 'right' },
      { title: 'ingested' },
    ],
    rows.map((row) => [
      row.name,
      row.state,
      [row.city, row.ward].filter(Boolean).join(' '),
      row.types.join(','),
      String(row.files),
      String(row.features),
      formatBytes(row.archiveSize),
      String(row.issueCounts.error),
      String(row.issueCounts.warning),
      String(row.issueCounts.info),
      row.ingestedAt.slice(0, 19).replace('T', ' '),
    ]),
  );
}
