/** What people do in the portal, one kind of click or key after another. */
import type { Page } from 'playwright-core';
import { LANDMARKS } from '../../src/sample/facts.ts';

export interface Interaction {
  name: string;
  path: string;
  /** What has to be there before. */
  ready: string;
  /** True where the processor is slow while the page loads, too. */
  isSlowBefore?: boolean;
  act(page: Page): Promise<void>;
}

/** Milliseconds between clicks, as of a quick hand. */
const PAUSE = 500;
const FRONT = { path: '/?lang=en', ready: '.prefectures button' };

const pause = (page: Page, milliseconds = PAUSE) => page.waitForTimeout(milliseconds);

export const INTERACTIONS: Interaction[] = [
  {
    ...FRONT,
    name: 'typing a name, choosing what is found',
    async act(page) {
      const field = page.getByRole('combobox', { name: 'Search' });
      await field.click();
      await field.pressSequentially('yokohama', { delay: 150 });
      await page.locator('.search [role=option]').first().click();
      await page.locator('.picked article').first().waitFor();
    },
  },
  {
    ...FRONT,
    name: 'opening a prefecture',
    act: (page) => page.locator('.prefectures button').nth(9).click(),
  },
  {
    path: '/?lang=en&pref=13',
    ready: '.list a.row',
    name: 'opening a city, closing it',
    async act(page) {
      await page.locator('.list a.row').first().click();
      await page.locator('.picked article').first().waitFor();
      await page.locator('.stage [aria-busy=false]').waitFor();
      await page.locator('.picked .heading button').click();
    },
  },
  {
    ...FRONT,
    name: 'narrowing the map by a chip',
    async act(page) {
      for (const chip of await page.locator('.chip').all()) {
        await chip.click();
        await pause(page);
      }
    },
  },
  {
    ...FRONT,
    name: 'other colours by the legend',
    async act(page) {
      await page.locator('.legend select').focus();
      for (let i = 0; i < 2; i++) {
        await page.keyboard.press('ArrowDown');
        await pause(page);
      }
    },
  },
  {
    ...FRONT,
    name: 'changing the view by tabs',
    async act(page) {
      for (const tab of ['Datasets', 'Map', 'Basket', 'Map']) {
        await page.locator('nav.tabs a', { hasText: tab }).click();
        await pause(page, 2 * PAUSE);
      }
    },
  },
  {
    ...FRONT,
    name: 'another theme',
    async act(page) {
      await page.locator('.theme select').focus();
      for (let i = 0; i < 2; i++) {
        await page.keyboard.press('ArrowDown');
        await pause(page);
      }
    },
  },
  {
    ...FRONT,
    name: 'another language',
    async act(page) {
      await page.getByText('日本語', { exact: true }).click();
      await pause(page, 2 * PAUSE);
      await page.getByText('English', { exact: true }).click();
    },
  },
  {
    name: 'unticking types in the basket of the country',
    path: '/?view=basket&lang=en&area=b:122,24,149,46',
    ready: 'tfoot',
    async act(page) {
      for (const box of (await page.locator('tbody input').all()).slice(0, 4)) {
        await box.click();
        await pause(page);
      }
    },
  },
  {
    name: 'filtering datasets',
    path: '/?view=datasets&lang=en',
    ready: '.datasets tbody tr',
    async act(page) {
      await page.locator('.field select').nth(1).focus();
      await page.keyboard.press('ArrowDown');
    },
  },
  {
    name: 'opening details of a dataset',
    path: '/?view=datasets&lang=en',
    ready: '.datasets tbody tr',
    act: (page) =>
      page
        .getByRole('button', { name: /Details/ })
        .first()
        .click(),
  },
  {
    name: 'paging datasets',
    path: '/?view=datasets&lang=en',
    ready: '.datasets tbody tr',
    act: (page) => page.getByRole('button', { name: 'Next page' }).first().click(),
  },
  {
    name: 'paging the status',
    path: '/status?lang=en',
    ready: '.datasets tbody tr',
    async act(page) {
      for (let i = 0; i < 2; i++) {
        await page.getByRole('button', { name: 'Next page' }).first().click();
        await pause(page);
      }
    },
  },
];

/** From above the tower of the sample, once the page knows what the machine can. */
const OVER_TOWER = {
  path: `/?view=3d&lang=en&model=47900-bldg-maxlod2-latest&camera=${LANDMARKS.tower.lng},${LANDMARKS.tower.lat},620,0,-90`,
  ready: 'canvas[data-effects]',
  isSlowBefore: true,
};

export const THREE_INTERACTIONS: Interaction[] = [
  {
    ...OVER_TOWER,
    name: 'turning and moving by keys',
    async act(page) {
      await pause(page, 3 * PAUSE);
      await page.locator(OVER_TOWER.ready).focus();
      for (const key of ['e', 'ArrowUp', 'q', 'ArrowDown']) {
        await page.keyboard.press(key);
        await pause(page, 3 * PAUSE);
      }
    },
  },
  {
    ...OVER_TOWER,
    name: 'clicking a building, closing its card',
    async act(page) {
      await pause(page, 3 * PAUSE);
      await page.locator(OVER_TOWER.ready).click();
      await page.locator('section.feature').waitFor();
      await pause(page, 3 * PAUSE);
      await page.locator('section.feature > .heading button').click();
    },
  },
];
