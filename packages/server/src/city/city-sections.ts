/** The parts of the page of a municipality or ward, each as HTML. */
import { factsOfType, OUTPUT_KINDS, typesOfNature } from '@citymodel/base';
import { readingsOf } from '../catalogue/names/area-readings.ts';
import { latinName } from '../catalogue/names/latin-name.ts';
import { type ApiCall, changesPath } from './api-calls.ts';
import type { CityFacts, Edition, TileSet } from './city-facts.ts';
import type { CityLook } from './city-look.ts';
import type { CityWords } from './city-words.ts';
import type { MeshPicture } from './mesh-picture.ts';
import { escapeHtml, type FramedPage, linkTo } from './page-frame.ts';

/** What all parts are made of. */
export interface CityPage {
  readonly facts: CityFacts;
  readonly words: CityWords;
  readonly frame: Pick<FramedPage, 'base' | 'chosen' | 'publicUrl'>;
}

const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));

/** The name of an area in the language of the page; `romaji` is null where its reading is unknown. */
export function nameIn(words: CityWords, name: string, romaji: string | null): string {
  return words.language === 'en' && romaji !== null ? latinName(romaji) : name;
}

export function headingSection({ facts: { area }, words, frame }: CityPage): string {
  const { t, language } = words;
  const { code, name, kana, romaji, prefCode, pref, around, extent } = area;
  const readings = language === 'ja' ? [kana, romaji] : [name, kana, romaji];
  const parts = [
    escapeHtml(nameIn(words, pref, readingsOf(prefCode)?.romaji ?? null)),
    around === null
      ? null
      : `<a href="${linkTo(frame, `/city/${around.code}`)}">${escapeHtml(
          nameIn(words, around.name, around.romaji),
        )}</a>`,
    `${t('code')} <code>${code}</code>`,
  ];
  const note = extent === 'city' ? t('fromCity') : extent === 'wards' ? t('fromWards') : null;
  return (
    `<h1>${escapeHtml(nameIn(words, name, romaji))} <small>${t('model')}</small></h1>` +
    `<p class="quiet"><span lang="ja">${readings
      .filter((reading) => reading !== null)
      .map(escapeHtml)
      .join(' · ')}</span></p>` +
    `<p class="quiet">${parts.filter((part) => part !== null).join(' · ')}</p>` +
    (note === null ? '' : `<p class="notice">${note}</p>`)
  );
}

/** How the city looks, in the theme of the page. */
export function lookSection(
  { words, facts }: CityPage,
  look: CityLook | null,
  theme: 'light' | 'dark' | null,
): string {
  if (look === null) return '';
  const alt = escapeHtml(
    words.t('lookOf').replace('{name}', nameIn(words, facts.area.name, facts.area.romaji)),
  );
  const image = (url: string) =>
    `<img src="${escapeHtml(url)}" alt="${alt}" width="${look.width}" height="${look.height}">`;
  if (theme !== null) return `<div class="look">${image(look[theme])}</div>`;
  const dark = `<source media="(prefers-color-scheme: dark)" srcset="${escapeHtml(look.dark)}">`;
  return `<picture class="look">${dark}${image(look.light)}</picture>`;
}

export function pictureSection({ facts, words }: CityPage, picture: MeshPicture | null): string {
  if (picture === null) return '';
  const { t, number } = words;
  const keys = picture.meshes
    .map((count, lod) =>
      count === 0
        ? ''
        : `<li><span class="swatch lod${lod}"></span>LOD ${lod} <span class="quiet">${number(count)} ${t(
            'meshes',
          )}</span></li>`,
    )
    .join('');
  const caption = t(facts.area.extent === 'city' ? 'pictureOfCity' : 'picture');
  return `<figure class="meshes">${picture.svg}<figcaption>${caption}<ul>${keys}</ul></figcaption></figure>`;
}

export function factsSection({ facts, words }: CityPage): string {
  const { t, number, bytes, year } = words;
  const { types, editions, tiles, km2, licences } = facts;
  const years = [...new Set([...editions, ...tiles].map((one) => one.year))].sort((a, b) => b - a);
  const lods = [
    ...types.map(({ maxLod }) => maxLod),
    ...tiles.map(({ kind, lod }) => (OUTPUT_KINDS[kind].showsLod ? lod : 0)),
  ];
  const licenceNames = licences.map((licence) =>
    licence === null ? t('licenceUnknown') : escapeHtml(licence),
  );
  const rows: Array<[name: string, value: string]> = [];
  if (types.length > 0)
    rows.push([t('features'), number(types.reduce((sum, { features }) => sum + features, 0))]);
  if (km2 > 0) rows.push([t('extent'), `${number(km2)} km²`]);
  rows.push([t('years'), years.map(year).join(', ')]);
  if (lods.length > 0) rows.push([t('lods'), String(Math.max(...lods))]);
  rows.push([
    t('licence'),
    licenceNames.length > 1 ? t('licencesDiffer') + licenceNames.join(' / ') : (licenceNames[0] ?? ''),
  ]);
  if (editions[0] !== undefined) rows.push([`${t('size')} (CityGML)`, bytes(editions[0].size)]);
  const items = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}

export function actionsSection({ facts, words, frame }: CityPage): string {
  const { t, bytes } = words;
  const { area, types, tiles, editions } = facts;
  const { code, extent } = area;
  const to = (query: Record<string, string>) => linkTo(frame, '/', query);
  const model =
    tiles.find(({ kind, type }) => OUTPUT_KINDS[kind].view === '3d' && type === 'bldg') ??
    tiles.find(({ kind }) => OUTPUT_KINDS[kind].view === '3d');
  const links: Array<[href: string, text: string]> = [[to({ pick: code }), t('onMap')]];
  if (model !== undefined) links.push([to({ view: '3d', model: model.id }), t('in3d')]);
  if (types.length > 0) {
    const [newest] = editions;
    // A ward may have types of its city's package, and no zip of its own.
    if (extent === 'own' && newest !== undefined)
      links.push([
        escapeHtml(`${frame.base}/datacatalog/citygml/${code}-latest/citygml.zip`),
        `${t('wholeZip')} (${bytes(newest.size)})`,
      ]);
    links.push([to({ view: 'basket', area: code }), t('choose')]);
    links.push([to({ view: 'statistics', figures: code }), t('statistics')]);
    if (extent !== 'wards') links.push([to({ view: 'quality', inspected: `${code}-latest` }), t('quality')]);
  }
  if (tiles.length > 0) links.push([linkTo(frame, `/city/${code}/project.qgs`), t('qgis')]);
  links.push([to({ view: 'datasets', city_code: code }), t('allDatasets')]);
  return `<nav class="actions" aria-label="${t('actions')}">${links
    .map(([href, text], i) => `<a class="button${i === 0 ? ' primary' : ''}" href="${href}">${text}</a>`)
    .join('')}</nav>`;
}

export function typesSection({ facts: { types }, words, frame }: CityPage): string {
  const { t, number, bytes, year } = words;
  if (types.length === 0) return section(t('types'), `<p class="notice">${t('noCityGml')}</p>`);
  const hasTables = types.some(({ table }) => table !== null);
  const head = [t('type'), t('lod'), t('features'), t('files'), t('size'), t('year')];
  if (hasTables) head.push(t('table'));
  const rows = types.map((one) => {
    const file = one.table === null ? '–' : `<a href="${here(frame, one.table)}">${one.type}.parquet</a>`;
    return [
      `${typeIn(words, one.type)} <code>${escapeHtml(one.type)}</code>`,
      String(one.maxLod),
      number(one.features),
      number(one.files),
      bytes(one.bytes),
      year(one.year),
      ...(hasTables ? [file] : []),
    ];
  });
  return section(t('types'), table(head, rows));
}

export function floodsSection({ facts, words }: CityPage): string {
  const { t, language } = words;
  const parts = new Map<string, string>();
  for (const { type, part } of facts.tiles)
    if (FLOODS.has(type))
      parts.set(
        `${type} ${part.ja}`,
        `${typeIn(words, type)}${part[language] === '' ? '' : `: ${escapeHtml(part[language])}`}`,
      );
  for (const { type } of facts.types)
    if (FLOODS.has(type) && ![...parts.keys()].some((key) => key.startsWith(`${type} `)))
      parts.set(`${type} `, typeIn(words, type));
  if (parts.size === 0) return '';
  const items = [...parts.values()].map((text) => `<li>${text}</li>`).join('');
  return section(t('floods'), `<ul class="columns">${items}</ul>`, t('floodsIntro'));
}

export function tilesSection({ facts: { tiles }, words, frame }: CityPage): string {
  const { t, year } = words;
  if (tiles.length === 0) return '';
  const row = ({ id, kind, type, part, lod, textured, year: of, url }: TileSet) => {
    const view = OUTPUT_KINDS[kind].view === '3d' ? { view: '3d', model: id } : { layers: id };
    const name = `${typeIn(words, type)} ${escapeHtml(part[words.language])}`;
    return [
      `<a href="${linkTo(frame, '/', view)}">${name.trim()}</a>`,
      OUTPUT_KINDS[kind].label[words.language],
      String(lod),
      OUTPUT_KINDS[kind].isTextured ? t(textured ? 'yes' : 'no') : '–',
      year(of),
      `<code class="url">${escapeHtml(url)}</code>${copyButton(words, url)}`,
    ];
  };
  const head = [t('name'), t('format'), t('lod'), t('texture'), t('year'), t('address')];
  return section(t('tiles'), table(head, tiles.map(row)), t('tilesIntro'));
}

export function callsSection({ words, frame }: CityPage, calls: readonly ApiCall[]): string {
  const { t } = words;
  if (calls.length === 0) return '';
  const items = calls
    .map(
      ({ title, command }) =>
        `<div class="call"><h3>${t(title)}</h3><pre tabindex="0"><code>${escapeHtml(command)}</code></pre>` +
        `${copyButton(words, command)}</div>`,
    )
    .join('');
  const more = `<p><a href="${linkTo(frame, '/docs')}">${t('allCalls')}</a></p>`;
  return section(t('calls'), items + more, t('callsIntro'));
}

export function historySection({ facts, words, frame }: CityPage): string {
  const { t, number, bytes, year, day } = words;
  const { area, editions, types } = facts;
  if (editions.length === 0) return '';
  const type = types[0]?.type;
  const row = (edition: Edition, i: number) => {
    const { name, year: of, spec, publishedAt, features, files, size, archive, licence } = edition;
    const before = editions.slice(i + 1).find((older) => older.year < of);
    const path =
      before === undefined || type === undefined ? null : changesPath(area.code, type, before.year, of);
    const changes =
      path === null || area.extent === 'wards'
        ? '–'
        : ['CSV', 'GeoJSON']
            .map(
              (form) =>
                `<a href="${escapeHtml(`${frame.base}${path}&format=${form.toLowerCase()}`)}">${form}</a>`,
            )
            .join(' · ');
    return [
      `<strong>${year(of)}</strong><br><span class="quiet package">${escapeHtml(name)}</span>`,
      escapeHtml(spec),
      day(publishedAt),
      number(features),
      number(files),
      escapeHtml(licence ?? t('licenceUnknown')),
      qualityOf(edition, area.extent === 'own' ? `${area.code}-${of}` : null, words, frame),
      changes,
      `<a href="${here(frame, archive)}">zip (${bytes(size)})</a>`,
    ];
  };
  const head = [
    t('year'),
    t('specification'),
    t('published'),
    t('features'),
    t('files'),
    t('licence'),
    t('quality'),
    t('changes'),
    t('download'),
  ];
  return section(t('history'), table(head, editions.map(row)));
}

export function wardsSection({ facts: { wards }, words, frame }: CityPage): string {
  if (wards.length === 0) return '';
  const items = wards
    .map(({ code, name }) => {
      const text = escapeHtml(nameIn(words, name, readingsOf(code)?.romaji ?? null));
      return `<li><a href="${linkTo(frame, `/city/${code}`)}">${text}</a> <code>${code}</code></li>`;
    })
    .join('');
  return section(words.t('wards'), `<ul class="columns">${items}</ul>`);
}

function qualityOf(
  { quality }: Edition,
  spec: string | null,
  words: CityWords,
  frame: CityPage['frame'],
): string {
  const { t, number } = words;
  if (quality === null) return `<span class="quiet">${t('notInspected')}</span>`;
  const { errors, warnings, scope } = quality;
  const sums = `${number(errors)} ${t('errors')}, ${number(warnings)} ${t('warnings')}`;
  const text =
    spec === null
      ? sums
      : `<a href="${escapeHtml(`${frame.base}/datacatalog/citygml/${spec}/quality?format=html`)}">${sums}</a>`;
  return scope === 'ingestion' ? `${text}<br><span class="quiet">${t('inspectedPart')}</span>` : text;
}

/** A part with its heading, and a line of what it is for. */
function section(title: string, content: string, intro = ''): string {
  const line = intro === '' ? '' : `<p class="quiet">${intro}</p>`;
  return `<section><h2>${title}</h2>${line}${content}</section>`;
}

function typeIn({ language }: CityWords, type: string): string {
  return escapeHtml(factsOfType(type)?.label[language] ?? type);
}

/** Shown by the script of the page alone, which does what it says. */
function copyButton({ t }: CityWords, text: string): string {
  const data = `data-copy="${escapeHtml(text)}" data-done="${t('copied')}"`;
  return `<button type="button" class="copy" hidden ${data}>${t('copy')}</button>`;
}

/** An address of the service under the name by which the page was reached. */
function here({ base, publicUrl }: CityPage['frame'], url: string): string {
  return escapeHtml(url.startsWith(`${publicUrl}/`) ? base + url.slice(publicUrl.length) : url);
}

/** A table whose cells are HTML that is escaped already; the first cell of a row names it. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const cell = (text: string, i: number) =>
    i === 0 ? `<th scope="row">${text}</th>` : `<td data-label="${head[i]}">${text}</td>`;
  const lines = rows.map((cells) => `<tr>${cells.map(cell).join('')}</tr>`).join('');
  return (
    `<div class="wide" tabindex="0"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}` +
    `</tr></thead><tbody>${lines}</tbody></table></div>`
  );
}
