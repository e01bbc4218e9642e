/** GraphiQL and the page of the description in a browser that reaches nothing but the service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { OPERATIONS } from '../src/http/operations/index.ts';
import { chromiumPath } from './browser/render.ts';
import { launch, PortalPage } from './support/portal-page.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

const skip = chromiumPath() === null ? 'needs Chromium' : false;

let directory: string;
let server: TestServer;
let browser: Browser;

describe('the pages', { skip }, () => {
  before(async () => {
    directory = await tempDirectory();
    const { data } = await ingestSample(directory);
    server = await startServer(data, { reachable: true });
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    if (directory !== undefined) await removeDirectory(directory);
  });

  it('GraphiQL runs an example query and shows the schema', async () => {
    await using opened = await PortalPage.open(browser, `${server.publicUrl}/datacatalog/graphql`);
    const { page } = opened;
    // Four examples, each in its tab; the documentation of the schema is open.
    await page.getByRole('tab').nth(3).waitFor();
    await page.locator('.graphiql-doc-explorer').getByText('Query').first().waitFor();
    await executeUntil(page, '青凪市');
    // The third has variables of its own.
    await page.getByRole('tab').nth(2).click();
    await executeUntil(page, 'citygmlDatasets');
    await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).first().click();
    await page.locator('.graphiql-doc-explorer').getByText('citygmlDatasets').first().waitFor();
    await opened.screenshot('graphiql');
  });

  it('the description shows every operation and sends a request', async () => {
    await using opened = await PortalPage.open(browser, `${server.publicUrl}/docs`);
    const { page } = opened;
    await page.locator('#operations-Catalogue-getAreas').waitFor();
    assert.equal(await page.locator('.opblock').count(), OPERATIONS.length);
    await page.locator('#operations-Catalogue-getAreas .opblock-summary-control').click();
    await page.locator('#operations-Catalogue-getAreas').getByRole('button', { name: 'Execute' }).click();
    await page
      .locator('#operations-Catalogue-getAreas .responses-table')
      .getByText('青凪市')
      .first()
      .waitFor();
    await opened.screenshot('docs');
  });
});

/**
 * Executes the query of the open tab until its answer shows the text. GraphiQL learns the name of the operation in a tab some
 * moments after the tab is shown, and sends that of the tab before until then; nothing on the page tells when.
 */
async function executeUntil(page: Page, text: string): Promise<void> {
  for (let executed = 0; executed < 20; executed++) {
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'POST'),
      page.getByRole('button', { name: /Execute query/ }).click(),
    ]);
    if (!(await response.text()).includes(text)) continue;
    await page.locator('.result-window').getByText(text).first().waitFor();
    return;
  }
  assert.fail(`20 executions did not answer with ${text}`);
}
