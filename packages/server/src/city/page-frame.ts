/** The frame of pages that the server writes: head, the header of the portal, and texts that are safe in HTML. */
import type { LinkPicture } from '../catalogue/names/link-picture.ts';
import type { CityWords } from './city-words.ts';

/** Colours that were chosen; null: those of the system. */
export type Theme = 'light' | 'dark' | null;

export interface FramedPage {
  readonly words: CityWords;
  readonly theme: Theme;
  /** Path under which the service lies, and the whole address of it. */
  readonly base: string;
  readonly publicUrl: string;
  /** Path of the page without the base path. */
  readonly path: string;
  /** What its address says of language and theme, which links to other pages keep. */
  readonly chosen: Readonly<Record<string, string>>;
  readonly title: string;
  readonly description: string;
  /** The picture that other sites show of a link; null for none. Its size is not known of one of the build. */
  readonly picture: ({ readonly url: string } & Partial<LinkPicture>) | null;
  /** What search engines read, as JSON-LD; null for a page that they leave out. */
  readonly structured: object | null;
  /** HTML that is escaped already. */
  readonly body: string;
}

/** Text inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A path of the service with a query, and what was chosen of language and theme. */
export function linkTo(
  { base, chosen }: Pick<FramedPage, 'base' | 'chosen'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const words = new URLSearchParams({ ...query, ...chosen });
  return escapeHtml(`${base}${path}${words.size === 0 ? '' : `?${words}`}`);
}

export function framedPage(page: FramedPage): string {
  const { words, theme, base, publicUrl, path, title, description, picture, structured, body } = page;
  const { t, language } = words;
  const whole = escapeHtml(`${publicUrl}${path}`);
  const property = (name: string, content: string) => `<meta property="og:${name}" content="${content}">`;
  return `<!doctype html>
<html lang="${language}"${theme === null ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – ${t('title')}</title>
<meta name="description" content="${escapeHtml(description)}">
${
  structured === null
    ? '<meta name="robots" content="noindex">'
    : `<link rel="canonical" href="${whole}">
<link rel="alternate" hreflang="ja" href="${whole}?lang=ja">
<link rel="alternate" hreflang="en" href="${whole}?lang=en">
<script type="application/ld+json">${JSON.stringify(structured).replaceAll('<', '\\u003c')}</script>`
}
${property('type', 'website')}${property('title', escapeHtml(title))}
${property('description', escapeHtml(description))}${property('url', whole)}
${picture === null ? '' : imageProperties(picture, title)}
<meta name="twitter:card" content="${picture === null ? 'summary' : 'summary_large_image'}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/docs/files/city-page.css">
<script defer src="${base}/docs/files/city-page.js"></script>
</head>
<body>
<a class="skip" href="#main">${t('skip')}</a>
${headerOf(page)}
<main id="main" tabindex="-1">
${body}
</main>
</body>
</html>
`;
}

function imageProperties(
  { url, width, height, mimeType }: NonNullable<FramedPage['picture']>,
  alt: string,
): string {
  const of = {
    'property="og:image"': url,
    'property="og:image:type"': mimeType,
    'property="og:image:width"': width,
    'property="og:image:height"': height,
    'property="og:image:alt"': alt,
    'name="twitter:image"': url,
    'name="twitter:image:alt"': alt,
  };
  return Object.entries(of)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<meta ${name} content="${escapeHtml(String(value))}">`)
    .join('');
}

function headerOf(page: FramedPage): string {
  const { words, theme, base, path, chosen } = page;
  const { t, language } = words;
  const to = (query: Record<string, string>) => linkTo(page, '/', query);
  const other = (lang: 'ja' | 'en', name: string) =>
    `<a lang="${lang}" hreflang="${lang}"${lang === language ? ' aria-current="true"' : ''} ` +
    `href="${linkTo({ base, chosen: { ...chosen, lang } }, path)}">${name}</a>`;
  const option = (value: string, name: string) =>
    `<option value="${value}"${value === (theme ?? '') ? ' selected' : ''}>${name}</option>`;
  return `<header>
<a class="brand" href="${to({})}">
<svg viewBox="0 0 32 32" aria-hidden="true">
<path d="M6 25V15l6-4v14M12 25V6l8-2.3V25M20 25V14l6 2.4V25M3.5 25h25"/></svg>
<span>${t('title')}</span></a>
<nav aria-label="${t('views')}">
<a href="${to({})}">${t('map')}</a><a href="${to({ view: '3d' })}">3D</a>
<a href="${to({ view: 'datasets' })}">${t('datasets')}</a><a href="${to({ view: 'basket' })}">${t('basket')}</a>
</nav>
<div class="header-end">
<a href="${linkTo(page, '/status')}">${t('status')}</a><a href="${linkTo(page, '/docs')}">API</a>
<nav class="languages" aria-label="${t('language')}">${other('ja', '日本語')}${other('en', 'English')}</nav>
<select id="theme" aria-label="${t('theme')}" hidden>
${option('', t('system'))}${option('light', t('light'))}${option('dark', t('dark'))}
</select>
</div>
</header>`;
}
