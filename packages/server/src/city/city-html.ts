/** The page of a municipality or ward, and the page that says that there is none. */
import { factsOfType } from '@citymodel/base';
import { readingsOf } from '../catalogue/names/area-readings.ts';
import type { ApiCall } from './api-calls.ts';
import type { CityArea } from './city-area.ts';
import type { CityLook } from './city-look.ts';
import {
  actionsSection,
  type CityPage,
  callsSection,
  factsSection,
  floodsSection,
  headingSection,
  historySection,
  lookSection,
  nameIn,
  pictureSection,
  tilesSection,
  typesSection,
  wardsSection,
} from './city-sections.ts';
import type { MeshPicture } from './mesh-picture.ts';
import { escapeHtml, type FramedPage, framedPage, linkTo } from './page-frame.ts';

/** What pages are framed by, beside their content. */
export type Frame = Pick<FramedPage, 'words' | 'theme' | 'base' | 'publicUrl' | 'chosen' | 'picture'>;

export function cityHtml(
  frame: Frame,
  page: CityPage,
  parts: {
    picture: MeshPicture | null;
    look?: CityLook | null;
    calls: readonly ApiCall[];
    structured: object;
  },
): string {
  const { facts, words } = page;
  const { area, types, tiles } = facts;
  const { language } = words;
  const name = nameIn(words, area.name, area.romaji);
  const pref = nameIn(words, area.pref, readingsOf(area.prefCode)?.romaji ?? null);
  const years = [...facts.editions, ...tiles].map(({ year }) => year);
  const codes =
    types.length > 0 ? types.map(({ type }) => type) : [...new Set(tiles.map(({ type }) => type))];
  const labels = codes.map((type) => factsOfType(type)?.label[language] ?? type);
  const body = [
    `<div class="top"><div>${headingSection(page)}${factsSection(page)}${actionsSection(page)}</div>`,
    `<div>${lookSection(page, parts.look ?? null, frame.theme)}${pictureSection(page, parts.picture)}</div></div>`,
    typesSection(page),
    floodsSection(page),
    tilesSection(page),
    historySection(page),
    wardsSection(page),
    callsSection(page, parts.calls),
  ].join('\n');
  return framedPage({
    ...frame,
    path: `/city/${area.code}`,
    title: language === 'ja' ? `${name}（${pref}）` : `${name} (${pref})`,
    description: `${words.t('model')} ${Math.max(...years)} · ${labels.join(language === 'ja' ? '、' : ', ')}`,
    structured: parts.structured,
    body,
  });
}

/** `areas` have the name, where it is that of several. */
export function noCityHtml(frame: Frame, path: string, areas: readonly CityArea[]): string {
  const { words } = frame;
  const { t } = words;
  const list = areas
    .map(({ code, name, romaji, pref, prefCode }) => {
      const own = nameIn(words, name, romaji);
      const around = nameIn(words, pref, readingsOf(prefCode)?.romaji ?? null);
      const link = `<a href="${linkTo(frame, `/city/${code}`)}">${escapeHtml(own)}</a>`;
      return `<li>${link} ${escapeHtml(around)} <code>${code}</code></li>`;
    })
    .join('');
  return framedPage({
    ...frame,
    path,
    title: t('notFound'),
    description: t('notFoundText'),
    structured: null,
    body:
      `<h1>${t('notFound')}</h1><p>${t(areas.length === 0 ? 'notFoundText' : 'several')}</p>` +
      `${list === '' ? '' : `<ul>${list}</ul>`}` +
      `<p><a class="button primary" href="${linkTo(frame, '/')}">${t('toSearch')}</a></p>`,
  });
}
