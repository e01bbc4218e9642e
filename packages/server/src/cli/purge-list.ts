import type { CatalogueStore, PackageChange } from '@citymodel/store';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readSettings, type Settings } from '../base/settings.ts';
import { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { type PurgeList, purgeList, settledVersion } from '../catalogue/purge/purge-list.ts';
import { wholeNumber } from './arguments.ts';
import { storesOf } from './stores.ts';

const FORMS = ['keys', 'urls', 'nginx', 'json'] as const;

/** What a list begins after: a version of the catalogue, or a time. */
type Since = { version: number } | { time: number };

type ChangeLog = Pick<CatalogueStore, 'version' | 'clock' | 'changeLog'>;

/** How long a server may take to show a change after it has been told to, ms. */
const BUILD_MS = 10_000;

export function addPurgeList(program: Command): void {
  program
    .command('purge-list')
    .description('List what caches before the service have to drop after changes of the catalogue.')
    .requiredOption(
      '--since <version or time>',
      'the version that the last list told to go on from, or a time such as 2026-04-01T09:00:00+09:00; 0 is the ' +
        'beginning',
      readSince,
    )
    .option('--until <version>', 'changes up to this version only', wholeNumber(0))
    .addOption(
      new Option(
        '--as <form>',
        'keys (of Surrogate-Key and Cache-Tag), urls, nginx (lines of the map in deploy/nginx-cache.conf), or json',
      )
        .choices([...FORMS])
        .default('keys'),
    )
    .action(async (flags: { since: Since; until?: number; as: (typeof FORMS)[number] }) => {
      const settings = readSettings(process.env);
      const stores = await storesOf(settings);
      try {
        process.stdout.write(await purgeListText(stores.catalogue, settings, flags));
      } finally {
        await stores.close();
      }
    });
}

/** The list in a form, with the version that the next one begins after. */
export async function purgeListText(
  store: ChangeLog,
  settings: Settings,
  { since, until = Number.MAX_SAFE_INTEGER, as }: { since: Since; until?: number; as: string },
): Promise<string> {
  // Before the changes are read: what comes meanwhile is in the next list, too.
  const version = await store.version();
  const now = await store.clock();
  const all = await changesAfter(store, since, version);
  const changes = all?.filter((change) => change.version <= Math.min(until, version)) ?? null;
  const list = purgeList(changes, assetUrls(settings), {
    redirect: settings.ASSET_REDIRECT === 'presigned' ? '' : settings.ASSET_REDIRECT,
  });
  const begin = 'version' in since ? Math.min(since.version, version) : oldest(all, version);
  const { CATALOGUE_GATHER_MS, CATALOGUE_POLL_MS, CATALOGUE_SWITCH_MS } = settings;
  const settleMs = CATALOGUE_GATHER_MS + CATALOGUE_POLL_MS + CATALOGUE_SWITCH_MS + BUILD_MS;
  // Nothing is known of when they came, and so everything goes.
  const next = changes === null ? version : settledVersion(changes, { since: begin, now, settleMs });
  if (as === 'json') return `${JSON.stringify({ version: next, newest: version, ...list }, null, 2)}\n`;
  const lines = linesOf(list, as, next);
  return `${[`# version ${next}`, ...lines].join('\n')}\n`;
}

function linesOf({ isComplete, keys, urls, gone }: PurgeList, as: string, settled: number): string[] {
  if (as === 'keys') return keys;
  if (as === 'urls') return urls;
  if (!isComplete)
    return ['# All files of the cache have to be deleted: the changes are not known any more.'];
  // Another word once it is settled: what came into the cache in between has the first.
  return gone.map(({ path, version }) => `"${path}" ${version}${version > settled ? '-early' : ''};`);
}

/** All changes after a version or a time; null where some are not known any more. */
async function changesAfter(
  store: ChangeLog,
  since: Since,
  version: number,
): Promise<PackageChange[] | null> {
  if ('version' in since) return store.changeLog(since.version);
  for (const oldest of [0, version - 1_000]) {
    const log = oldest < 0 ? null : await store.changeLog(oldest);
    if (log === null) continue;
    // Not known where the first that is left came after the time, and others before it.
    if (oldest > 0 && (log[0]?.changedAt ?? Number.POSITIVE_INFINITY) > since.time) return null;
    return log.filter(({ changedAt }) => changedAt === null || changedAt > since.time);
  }
  return null;
}

/** The version before the first change, or the present one where there is none. */
function oldest(changes: readonly PackageChange[] | null, version: number): number {
  return changes?.[0] === undefined ? version : changes[0].version - 1;
}

function readSince(text: string): Since {
  if (/^\d{1,15}$/.test(text)) return { version: Number(text) };
  // With a zone: a machine's own would be a guess.
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError(
      'It must be a version or a time with its zone, such as 2026-04-01T09:00:00+09:00.',
    );
  }
  return { time };
}

function assetUrls({ PUBLIC_URL, ASSET_URL }: Settings): AssetUrls {
  return new AssetUrls({ publicUrl: PUBLIC_URL, assetUrl: ASSET_URL });
}
