/** Documents of the OGC API as pages for people, in Japanese or English, without scripts. */
import type { Feature } from 'geojson';
import type { Link } from './ogc-words.ts';

export type Language = 'ja' | 'en';

const WORDS = {
  ja: {
    home: 'トップ',
    collections: 'コレクション',
    conformance: '適合クラス',
    items: '地物',
    queryables: '検索できる属性',
    next: '次のページ',
    first: '最初のページ',
    links: 'リンク',
    formats: '形式',
    none: '該当する地物はありません。',
    id: 'ID',
    title: '名称',
    type: '型',
    bounds: '範囲（経度・緯度）',
    years: '期間',
    other: 'English',
  },
  en: {
    home: 'Home',
    collections: 'Collections',
    conformance: 'Conformance',
    items: 'Features',
    queryables: 'Properties to search by',
    next: 'Next page',
    first: 'First page',
    links: 'Links',
    formats: 'Formats',
    none: 'No feature matches.',
    id: 'Id',
    title: 'Title',
    type: 'Type',
    bounds: 'Extent (longitude, latitude)',
    years: 'Time',
    other: '日本語',
  },
} as const;

export type Word = Exclude<keyof (typeof WORDS)['ja'], 'other'>;

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;margin:0 auto;max-width:75rem;padding:1rem;color:#1a1a1a;background:#fff}' +
  'nav a{margin-right:1rem}a{color:#0b57a4}table{border-collapse:collapse;display:block;overflow-x:auto}' +
  'th,td{border:1px solid #bbb;padding:.25rem .5rem;text-align:left;vertical-align:top}th{background:#f2f2f2}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#8ec5ff}th{background:#2a2a2a}}';

/** Columns of a table of features; the page of a feature has all. */
const MAX_COLUMNS = 12;

/** Text in one of the languages. */
export function word(name: Word, lang: Language): string {
  return WORDS[lang][name];
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export function anchor(href: string, text: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

export interface Page {
  readonly title: string;
  /** HTML that is escaped already. */
  readonly body: string;
  readonly lang: Language;
  /** Address of the landing page, and of this page without a language. */
  readonly root: string;
  readonly self: string;
}

export function htmlPage({ title, body, lang, root, self }: Page): string {
  const other = lang === 'ja' ? 'en' : 'ja';
  const nav = [
    anchor(`${root}?f=html`, word('home', lang)),
    anchor(`${root}/collections?f=html`, word('collections', lang)),
    anchor(`${self}${self.includes('?') ? '&' : '?'}f=html&lang=${other}`, WORDS[lang].other),
  ].join('');
  return (
    `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><meta name="viewport" ` +
    `content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>` +
    `<nav>${nav}</nav><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  );
}

/** A list of links. */
export function linkList(links: readonly Link[]): string {
  return `<ul>${links
    .map(({ rel, href, type, title }) => `<li>${anchor(href, title ?? rel)} ${escapeHtml(type ?? '')}</li>`)
    .join('')}</ul>`;
}

/** A table whose cells are HTML that is escaped already. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (tag: 'th' | 'td', cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${head.length === 0 ? '' : line('th', head.map(escapeHtml))}${rows
    .map((cells) => line('td', cells))
    .join('')}</table>`;
}

/** Features as lines, whose ids lead to their pages. */
export function featureTable(features: readonly Feature[], items: string, lang: Language): string {
  if (features.length === 0) return `<p>${word('none', lang)}</p>`;
  const names = [...new Set(features.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  const columns = names.filter((name) => name !== 'gml:id').slice(0, MAX_COLUMNS);
  return table(
    [word('id', lang), ...columns],
    features.map(({ id, properties }) => [
      id === undefined ? '' : anchor(`${items}/${encodeURIComponent(id)}?f=html`, String(id)),
      ...columns.map((name) => escapeHtml(String(properties?.[name] ?? ''))),
    ]),
  );
}

/** All attributes of a feature. */
export function attributeTable({ properties }: Feature): string {
  return table(
    [],
    Object.entries(properties ?? {}).map(([name, value]) => [escapeHtml(name), escapeHtml(String(value))]),
  );
}
