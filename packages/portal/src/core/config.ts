/** What the server writes into the page; see `packages/server/src/http/pages/portal.ts`. */
export interface PortalConfig {
  /** Path under which the service lies, '' at the root of its host. */
  base: string;
  /** Address at which callers reach the service. */
  publicUrl: string;
  version: string;
  /** Limits of one pack: files, and bytes of the zip. */
  packMaxFiles: number;
  packMaxBytes: number;
  /** What the service keeps of the features of one CSV or FlatGeobuf, bytes. */
  tableMaxBytes: number;
  /** Whether there is a page for the operator, `/admin`. */
  admin: boolean;
  /** How packages are ingested on the server's machine, and the names of the settings that have to be the server's. */
  ingest: { command: string; settings: string[] };
  baseMap: { url: string; attribution: string } | null;
  /** Origins whose pages may hold the 3D view in a frame; `*` stands for all. */
  embedOrigins: string[];
}

const element = document.getElementById('config');
const injected: Partial<PortalConfig> = JSON.parse(element?.textContent || '{}');

export const config: PortalConfig = {
  base: injected.base ?? '',
  publicUrl: injected.publicUrl ?? location.origin,
  version: injected.version ?? '',
  packMaxFiles: injected.packMaxFiles ?? 10_000,
  packMaxBytes: injected.packMaxBytes ?? 50 * 2 ** 30,
  tableMaxBytes: injected.tableMaxBytes ?? 2 ** 32,
  admin: injected.admin ?? false,
  ingest: injected.ingest ?? { command: 'npx citymodel ingest', settings: [] },
  baseMap: injected.baseMap ?? null,
  embedOrigins: injected.embedOrigins ?? [],
};

/** An address of the service as this page reaches it, which may be under another name than the public one. */
export function hereOf(url: string): string {
  return url.startsWith(config.publicUrl) ? config.base + url.slice(config.publicUrl.length) : url;
}
