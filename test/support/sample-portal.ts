/** The portal over the sample city, for all tests of a file: one server and one browser. */
import { after, before } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { LANDMARKS } from '../../packages/sample/src/facts.ts';
import { headlessPath } from '../browser/render.ts';
import { type Look, launch, PortalPage } from './portal-page.ts';
import { removeDirectory, tempDirectory } from './program.ts';
import { startServer, type TestServer } from './server.ts';
import { ingestSample } from './store.ts';

export const NO_BROWSER = headlessPath() === null ? 'needs Chromium' : false;
export const { tower } = LANDMARKS;
/** Straight down on the tower, from above its top. */
export const OVER_TOWER = `camera=${tower.lng},${tower.lat},620,0,-90`;
export const MODEL = '47900-bldg-maxlod2-latest';

/** What tests get; its parts are there while they run. */
export interface SamplePortal {
  /** A directory for files of the tests, which goes away with them. */
  directory: string;
  server: TestServer;
  browser: Browser;
  /** Opens a path of the server. */
  open(path: string, look?: Look): Promise<PortalPage>;
}

/**
 * Starts server and browser before the tests of the file that calls it, and ends them after; nothing without Chromium.
 */
export function useSamplePortal(): SamplePortal {
  const portal = {
    open: (path, look) => PortalPage.open(portal.browser, portal.server.address + path, look),
  } as SamplePortal;
  if (NO_BROWSER) return portal;
  before(async () => {
    portal.directory = await tempDirectory();
    const { data } = await ingestSample(portal.directory);
    portal.server = await startServer(data, { reachable: true });
    portal.browser = await launch();
  });
  after(async () => {
    await portal.browser?.close();
    await portal.server?.stop();
    if (portal.directory !== undefined) await removeDirectory(portal.directory);
  });
  return portal;
}

/** A parameter of the address that a page shows; null when it has none of this name. */
export function parameter(page: Page, name: string): string | null {
  return new URL(page.url()).searchParams.get(name);
}

/** Waits until the address of a page has a parameter of this value; with null none of the name. */
export async function hasParameter(page: Page, name: string, value: string | null): Promise<void> {
  await page.waitForURL((to) => to.searchParams.get(name) === value);
}
