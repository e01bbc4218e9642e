/** The pages for people, each out of the document that programs get. */
import type { Feature } from 'geojson';
import type { OgcCollection } from './collections.ts';
import type { collectionDocument, collectionsDocument, LandingPage } from './documents.ts';
import {
  anchor,
  attributeTable,
  escapeHtml,
  featureTable,
  htmlPage,
  type Language,
  linkList,
  table,
  word,
} from './html.ts';
import { CONFORMS_TO, ITEM_FORMATS, type Link } from './ogc-words.ts';
import type { QueryablesDocument } from './queryables.ts';

/** Where a page is, and its language. */
export interface Shown {
  readonly lang: Language;
  readonly root: string;
  readonly self: string;
}

export function landingHtml(document: LandingPage, shown: Shown): string {
  const body = `<p>${escapeHtml(document.description)}</p>${linkList(document.links)}`;
  return htmlPage({ ...shown, title: document.title, body });
}

export function conformanceHtml(shown: Shown): string {
  const body = `<ul>${CONFORMS_TO.map((uri) => `<li>${anchor(uri, uri)}</li>`).join('')}</ul>`;
  return htmlPage({ ...shown, title: word('conformance', shown.lang), body });
}

export function collectionsHtml(
  { collections, links }: ReturnType<typeof collectionsDocument>,
  titleOf: (id: string) => OgcCollection['title'],
  shown: Shown,
): string {
  const { lang, root } = shown;
  const rows = collections.map(({ id }) => [
    anchor(`${root}/collections/${id}?f=html`, id),
    escapeHtml(titleOf(id)[lang]),
    anchor(`${root}/collections/${id}/items?f=html`, word('items', lang)),
  ]);
  const body =
    table([word('id', lang), word('title', lang), word('items', lang)], rows) + nextLink(links, lang);
  return htmlPage({ ...shown, title: word('collections', lang), body });
}

export function collectionHtml(
  { title }: OgcCollection,
  { description, extent, links }: ReturnType<typeof collectionDocument>,
  shown: Shown,
): string {
  const { lang } = shown;
  const rows = [
    [word('bounds', lang), escapeHtml((extent.spatial?.bbox.flat() ?? []).join(', '))],
    [word('years', lang), escapeHtml(extent.temporal.interval[0]!.join(' – '))],
  ];
  const body = `<p>${escapeHtml(description)}</p>${table([], rows)}<h2>${word('links', lang)}</h2>${linkList(links)}`;
  return htmlPage({ ...shown, title: title[lang], body });
}

export function queryablesHtml(
  { title }: OgcCollection,
  { properties }: QueryablesDocument,
  shown: Shown,
): string {
  const { lang } = shown;
  const rows = Object.entries(properties).map(([name, property]) => [
    escapeHtml(name),
    escapeHtml('type' in property ? String(property.type) : 'geometry'),
  ]);
  const body = table([word('queryables', lang), word('type', lang)], rows);
  return htmlPage({ ...shown, title: title[lang], body });
}

export function itemsHtml(
  collection: OgcCollection,
  features: readonly Feature[],
  links: readonly Link[],
  shown: Shown,
): string {
  const { lang, root } = shown;
  const items = `${root}/collections/${collection.id}/items`;
  const formats = Object.keys(ITEM_FORMATS).filter((f) => f !== 'html');
  const body =
    `${featureTable(features, items, lang)}${nextLink(links, lang)}<h2>${word('formats', lang)}</h2>` +
    `<ul>${formats.map((f) => `<li>${anchor(withFormat(shown.self, f), f)}</li>`).join('')}</ul>`;
  return htmlPage({ ...shown, title: collection.title[lang], body });
}

export function itemHtml(collection: OgcCollection, feature: Feature, shown: Shown): string {
  const body = attributeTable(feature);
  return htmlPage({ ...shown, title: `${feature.id ?? ''} · ${collection.title[shown.lang]}`, body });
}

function nextLink(links: readonly Link[], lang: Language): string {
  const next = links.find(({ rel }) => rel === 'next');
  return next === undefined ? '' : `<p>${anchor(withFormat(next.href, 'html'), word('next', lang))}</p>`;
}

/** The address in another format. */
function withFormat(href: string, f: string): string {
  const url = new URL(href);
  url.searchParams.set('f', f);
  return url.href;
}
