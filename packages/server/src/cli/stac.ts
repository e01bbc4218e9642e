import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backgroundSlices } from '@citymodel/base';
import type { Command } from 'commander';
import { readSettings } from '../base/settings.ts';
import { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { buildSnapshot } from '../catalogue/snapshot/snapshot.ts';
import { stacEntries } from '../stac/entries.ts';
import { staticCatalog } from '../stac/static-catalog.ts';
import { storesOf } from './stores.ts';

export function addStac(program: Command): void {
  program
    .command('stac')
    .description('Write the STAC catalogue as files, which a bucket or any web server can serve.')
    .requiredOption('--out <directory>', 'where catalog.json and the directories of collections go')
    .action(async ({ out }: { out: string }) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings);
      try {
        const urls = new AssetUrls({ publicUrl: settings.PUBLIC_URL, assetUrl: settings.ASSET_URL });
        const snapshot = await buildSnapshot(stores.catalogue, urls);
        const entries = await stacEntries(snapshot, backgroundSlices());
        for (const { path, document } of staticCatalog(entries, urls)) {
          await writeDocument(join(out, path), document);
        }
        console.log(
          `${entries.byCollection.size} collections with ${entries.all.length} items: ${join(out, 'catalog.json')}`,
        );
      } finally {
        await stores.close();
      }
    });
}

/** A reader sees the document before or the one after, never a part of one. */
async function writeDocument(path: string, document: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const staged = `${path}.new`;
  await writeFile(staged, `${JSON.stringify(document, null, 2)}\n`);
  await rename(staged, path);
}
