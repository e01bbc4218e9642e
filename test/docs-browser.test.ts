/** GraphiQL and the page of the description in a browser that reaches nothing but the service. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { OPERATIONS } from '../packages/server/src/http/operations/index.ts';
import { PHONE } from './support/portal-page.ts';
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
    const families = await page.evaluate<string[]>(`[...new Set(
      ['body', '.opblock-summary-description', '.info .title', '.opblock-tag', '.opblock-summary-method']
        .map((part) => getComputedStyle(document.querySelector(part)).fontFamily))]`);
    assert.equal(families.length, 1, `one type on the page: ${families.join(' | ')}`);
    await page.locator('#operations-Catalogue-getAreas .opblock-summary-control').click();
    await page.locator('#operations-Catalogue-getAreas').getByRole('button', { name: 'Execute' }).click();
    await page
      .locator('#operations-Catalogue-getAreas .responses-table')
      .getByText('青凪市')
      .first()
      .waitFor();
    await opened.screenshot('docs');
  });

  it('the description is readable and accessible, by day and in the dark, on a desk and a phone', async () => {
    await using opened = await sample.open('/docs', { lang: 'ja' });
    const { page } = opened;
    const operation = page.locator('#operations-Catalogue-getAreas');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: '実行' }).click();
    await operation.getByRole('heading', { name: 'サーバーの応答' }).waitFor();
    for (const look of ['light', 'dark', 'dark-phone'] as const) {
      if (look === 'dark') {
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html.dark-mode').waitFor();
      }
      if (look === 'dark-phone') await page.setViewportSize(PHONE);
      await opened.assertAccessible(look, { colours: look === 'dark' });
      const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      assert.equal(wide, false, 'the page is no wider than the screen');
      await opened.screenshot(`docs-${look}`);
    }
  });

  it('the description has the header of the portal, with what was chosen there', async () => {
    await using opened = await sample.open('/?lang=ja&theme=dark', { lang: 'en' });
    const { page } = opened;
    await page.getByRole('link', { name: 'API' }).click();
    await page.locator('#operations-Catalogue-getAreas').waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ja');
    await page.setViewportSize({ width: 820, height: 1180 });
    const { height } = (await page.locator('body > header').boundingBox())!;
    assert.ok(height < 70, `a tablet has the header in one line, not ${height} pixels`);
    assert.equal(await page.evaluate('document.documentElement.className'), 'dark-mode');
    await page.getByRole('combobox', { name: '配色' }).selectOption('light');
    assert.equal(await page.evaluate('document.documentElement.className'), '');
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('button', { name: 'English', pressed: true }).waitFor();
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page
      .getByRole('heading', { name: /Datasets/ })
      .first()
      .waitFor();
    assert.match(page.url(), /view=datasets.*lang=en.*theme=light/);
  });
});

/**
 * Executes the query of the open tab until its answer shows the text. GraphiQL learns the name of the operation in a
 * tab some moments after the tab is shown, and sends that of the tab before until then; nothing on the page tells when.
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
