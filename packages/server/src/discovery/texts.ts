/** Documents for programs that find their way by themselves: crawlers, and assistants. */
import { compareTexts } from '@citymodel/base';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';

/** Addresses of one sitemap (sitemaps.org, protocol 0.9). */
const MAX_ADDRESSES = 50_000;

/**
 * RFC 9309. Pages are for everybody; files of packages are gigabytes that no search engine needs, and answers to
 * questions are without end.
 */
export function robotsText(publicUrl: string): string {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const closed = ['/assets/', '/citygml/', '/datacatalog/', '/stac/search', '/ogc/collections', '/admin'];
  return [
    'User-agent: *',
    ...closed.map((path) => `Disallow: ${base}${path}`),
    `Sitemap: ${publicUrl}/sitemap.xml`,
    '',
  ].join('\n');
}

/**
 * The front page, the description of the interface, and a page for each area that has data, with the day of its last
 * package.
 */
export function sitemap({ packages }: Pick<Snapshot, 'packages'>, publicUrl: string): string {
  const days = new Map<string, string>();
  for (const row of packages) {
    const code = row.wardCode ?? row.cityCode;
    const day = row.ingestedAt.slice(0, 10);
    if (day > (days.get(code) ?? '')) days.set(code, day);
  }
  const areas = [...days]
    .sort(([a], [b]) => compareTexts(a, b))
    .slice(0, MAX_ADDRESSES - 2)
    .map(
      ([code, day]) =>
        `  <url><loc>${escapeXml(publicUrl + pageOfArea(code))}</loc><lastmod>${day}</lastmod></url>`,
    );
  const pages = ['/', '/docs'].map((path) => `  <url><loc>${escapeXml(`${publicUrl}${path}`)}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...pages,
    ...areas,
    '</urlset>',
    '',
  ].join('\n');
}

/** Path of the page of an area: municipalities and wards have one of their own, prefectures are picked on the map. */
export function pageOfArea(code: string): string {
  return code.length === 5 ? `/city/${code}` : `/?pick=${code}`;
}

/** What an assistant has to know to use the service (llmstxt.org). */
export function llmsText({ packages }: Pick<Snapshot, 'packages'>, publicUrl: string): string {
  const city = packages.find(({ cityCode }) => cityCode.length === 5)?.cityCode ?? '13101';
  const at = (path: string) => `${publicUrl}${path}`;
  return `# 3D city models

> 3D city models of municipalities: CityGML, and the 3D Tiles and vector tiles that were made from it. Everything \
can be read
> without a key. Codes of areas have 5 digits (municipality or ward) or 2 (prefecture); feature types are words \
such as bldg, tran, fld.

## Interfaces

- [Description](${at('/openapi.json')}): every operation with its parameters, schemas and examples that work \
(OpenAPI 3.1)
- [Tools](${at('/mcp')}): the same for assistants (Model Context Protocol, POST)
- [OGC API](${at('/ogc')}): single features with filters, for programs that know OGC API - Features
- [STAC](${at('/stac')}): the catalogue with search by place and time
- [GraphQL](${at('/datacatalog/graphql')}): areas and datasets

## Common questions

- Which municipalities have data: ${at('/datacatalog/summary')}
- What there is of a municipality, to read: ${at(`/city/${city}`)}
- Datasets of a municipality: ${at(`/datacatalog/datasets?city_code=${city}`)}
- Tiles of the buildings of a municipality: ${at(`/datacatalog/3dtiles/${city}-bldg-maxlod2-latest/tileset.json`)}
- CityGML files around a place: ${at('/datacatalog/citygml/r:139.76,35.68')}
- Attributes of features in a box of a file: ${at('/citygml/features')} and ${at('/citygml/attributes')}, both with url=

## Rules

- Answers with 400 and above are JSON with "error" and a "reason" that says what is accepted.
- The licence stands in each row of the catalogue and in each STAC item.
`;
}

/** Milliseconds for which a copy of `security.txt` counts; the file is made for each request (RFC 9116, section 2.5.5). */
const SECURITY_TEXT_MS = 90 * 86_400_000;

/** Where vulnerabilities are reported (RFC 9116); null where the operator names nobody. */
export function securityText(
  {
    SECURITY_CONTACT: contact,
    SECURITY_POLICY: policy,
  }: Readonly<Record<'SECURITY_CONTACT' | 'SECURITY_POLICY', string>>,
  publicUrl: string,
  now: Date,
): string | null {
  if (contact === '') return null;
  // The same text all day, so that caches find it unchanged.
  const expires = new Date(now.getTime() - (now.getTime() % 86_400_000) + SECURITY_TEXT_MS);
  return [
    ...contact.split(',').map((address) => `Contact: ${address.trim()}`),
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: ja, en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    ...(policy === '' ? [] : [`Policy: ${policy}`]),
    '',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
