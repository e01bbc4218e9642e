/** GraphiQL and the page of the description in a browser that reaches nothing but the service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { OPERATIONS } from '../src/http/operations/index.ts';
import { NO_BROWSER, useSamplePortal } from './support/sample-portal.ts';

const sample = useSamplePortal();

describe('the pages', { skip: NO_BROWSER }, () => {
  it('GraphiQL runs an example query and shows the schema', async () => {
    await using opened = await sample.open('/datacatalog/graphql');
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
    await using opened = await sample.open('/docs');
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
