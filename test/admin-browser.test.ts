/**
 * The operator's page in a browser: sign in, upload, break and go on, publish, remove; both languages, without
 * violations.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { headlessPath } from './browser/render.ts';
import { gml, goodPackage, PACKAGE, writeZip } from './support/packages.ts';
import { launch, PortalPage } from './support/portal-page.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { list } from './support/store.ts';

const TOKEN = 'the-operator-has-this-token';

describe('the operator in a browser', { skip: headlessPath() === null && 'there is no Chromium' }, () => {
  let browser: Browser;
  let server: TestServer;
  let directory: string;
  let zip: string;

  before(async () => {
    directory = await tempDirectory();
    const attributes = '<bldg:class codeSpace="../../codelists/None.xml">1</bldg:class>';
    const members = {
      ...goodPackage(),
      'udx/bldg/odd.gml': gml(2, { attributes }),
      'specification/large.bin': randomBytes(9_000_000),
    };
    zip = await writeZip(join(directory, `${PACKAGE}.zip`), members);
    const env = { ADMIN_TOKEN: TOKEN, JOB_POLL_MS: '50', JOB_RETRY_S: '0' };
    server = await startServer(join(directory, 'data'), { env, reachable: true });
    browser = await launch();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await removeDirectory(directory);
  });

  it('uploads in parts, goes on after a reload, publishes, and removes by name', async () => {
    await using opened = await PortalPage.open(browser, `${server.address}/admin`);
    const { page } = opened;
    await opened.assertAccessible('sign in');
    // One header for all pages.
    const tabs = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    assert.deepEqual(await tabs.allTextContents(), ['Map', '3D', 'Datasets', 'Basket']);
    await page.getByLabel('Token of the operator').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Upload packages' }).waitFor();

    // The second part never comes, and the page is closed in the middle.
    let parts = 0;
    await page.route('**/admin/uploads/*', async (route) => {
      if (route.request().method() === 'PATCH' && ++parts > 1) await new Promise(() => {});
      else await route.continue();
    });
    await page.locator('#files').setInputFiles(zip);
    while (parts < 2) await page.waitForTimeout(50);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.unroute('**/admin/uploads/*');
    await page.reload();
    await page.getByText('Choose the same file again to go on.').waitFor();
    await opened.screenshot('admin-broken-upload');
    const sent: number[] = [];
    page.on('request', (request) => {
      const offset = request.headers()['upload-offset'];
      if (request.method() === 'PATCH' && offset !== undefined) sent.push(Number(offset));
    });
    await page.locator('#files').setInputFiles(zip);
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    assert.deepEqual(sent, [8_000_000], 'only the rest is sent');

    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText('Specification', { exact: true }).waitFor();
    // What stands here before publishing is what the package has afterwards.
    const totals = 'warnings 1 · notes 2';
    await page.getByText(`(Issues: ${totals})`).waitFor();
    await page.getByText('warnings MISSING_CODE_LIST × 1').waitFor();
    await page.getByText('notes ODD_NAME × 1').waitFor();
    // Where it would be, before anybody says so.
    await page
      .getByRole('img', { name: /^Where the package lies/ })
      .locator('rect')
      .first()
      .waitFor({ state: 'attached' });
    assert.ok(await page.getByRole('checkbox', { name: 'Make 3D and vector tiles too' }).isChecked());
    await opened.assertAccessible('a dry run');
    await opened.screenshot('admin-dry-run');
    assert.deepEqual(await list(join(directory, 'data')), []);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText(': published').waitFor();
    // In the row of the job that published it, and in that of the package.
    await page
      .getByRole('row', { name: `${PACKAGE} ingest` })
      .getByRole('button', { name: 'Make 3D' })
      .waitFor();
    await page.getByRole('cell', { name: /^9 MB$|^9\.\d+ MB$/ }).waitFor();
    await page.getByRole('button', { name: totals }).waitFor();
    await page.getByRole('button', { name: 'Make 3D and vector tiles' }).last().click();
    await page
      .getByRole('row', { name: `${PACKAGE} convert` })
      .getByText('succeeded')
      .waitFor();
    await page.setViewportSize({ width: 820, height: 1180 });
    const words = page.locator('tbody th .whole');
    await words.first().waitFor();
    const lines: number[] = await words.evaluateAll((all) => all.map((one) => one.getClientRects().length));
    assert.ok(lines.length > 4 && lines.every((count) => count === 1), `no word is broken: ${lines}`);
    await page.getByText('日本語', { exact: true }).click();
    await page.getByRole('heading', { name: 'パッケージ', exact: true }).waitFor();
    const row = page.getByRole('row', { name: new RegExp(`^${PACKAGE} 沖縄県`) });
    await row.getByRole('button', { name: '削除' }).click();
    const dialog = page.getByRole('dialog');
    assert.ok(await dialog.getByRole('button', { name: '削除' }).isDisabled());
    await dialog.getByRole('textbox').fill(PACKAGE);
    await opened.assertAccessible('the removal');
    await opened.screenshot('admin-removal-ja');
    await dialog.getByRole('button', { name: '削除' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const left = await list(join(directory, 'data'));
    assert.deepEqual(
      left.map(({ kind }) => kind).sort(),
      ['3dtiles', 'mvt'],
      'the tiles that were made of it stay',
    );
    // It is kept for a while.
    const removed = page.locator('tr[data-state=removed]', { hasText: PACKAGE });
    await removed.getByRole('button', { name: '元に戻す' }).click();
    await removed.waitFor({ state: 'detached' });
    assert.equal((await list(join(directory, 'data'))).length, 3);
  });

  it('refuses a wrong token, and fits a phone', async () => {
    await using opened = await PortalPage.open(browser, `${server.address}/status?lang=ja`, {
      theme: 'dark',
      phone: true,
    });
    const { page, trouble } = opened;
    // In the language of the page that leads here, which is another than the browser's.
    await page.getByRole('link', { name: '運用者向け：登録と削除' }).click();
    await page.getByRole('combobox', { name: '配色' }).selectOption('light');
    await page.locator('html[data-theme=light]').waitFor();
    await page.getByRole('combobox', { name: '配色' }).selectOption('');
    await page.getByLabel('運用者のトークン').fill('a-wrong-token-of-some-length');
    await page.getByRole('button', { name: 'サインイン' }).click();
    await page.getByText('運用者のトークンではありません。').waitFor();
    // The browser tells of the 401 by itself.
    trouble.splice(0);
    // As if a conversion had failed
    await page.route('**/admin/jobs?*', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const failed = {
        state: 'dead',
        reason: 'It was not done.',
        result: { refusal: { code: 'TIMED_OUT' } },
      };
      Object.assign(list.jobs[0], failed);
      await route.fulfill({ response, json: list });
    });
    await page.getByLabel('運用者のトークン').fill(TOKEN);
    await page.getByRole('button', { name: 'サインイン' }).click();
    await page.getByRole('heading', { name: 'ジョブ' }).waitFor();
    await page.getByText('試行が JOB_TIMEOUT_S の秒数を超えました。').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await opened.assertAccessible('a phone');
    await opened.screenshot('admin-phone-ja');
    const width: number = await page.evaluate('document.documentElement.scrollWidth');
    assert.ok(width <= 390, `${width} pixels wide`);
  });
});
