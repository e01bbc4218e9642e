/**
 * The catalogue in the Data Catalog Vocabulary as JSON-LD (DCAT 2, DCAT-AP 2.1), a page at a time, as harvesters of
 * portals such as CKAN read it. A dataset is what an area published in one year; its distributions are the files of
 * that edition.
 */
import { boundsToArray } from '@citymodel/geo';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { type Asset, PICTURE_ASSETS } from '../stac/assets.ts';
import type { StacEntries, StacEntry } from '../stac/entries.ts';
import { stacItem } from '../stac/items.ts';
import { MEDIA } from '../stac/stac-words.ts';
import { pageOfArea } from './texts.ts';

/** Datasets of a page. */
export const DCAT_PAGE = 100;

const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  locn: 'http://www.w3.org/ns/locn#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};

/**
 * A page, the first being 1; null where there is none. The first page of an empty catalogue is an empty one.
 * `publisher`: who publishes the catalogue, which DCAT-AP wants; where it is empty the host stands for it.
 */
export function dcatPage(
  entries: StacEntries,
  urls: AssetUrls,
  page: number,
  publisher: string,
): object | null {
  const editions = entries.all.filter((entry) => entry.kind === 'edition');
  const last = Math.max(1, Math.ceil(editions.length / DCAT_PAGE));
  if (page > last) return null;
  const catalog = `${urls.publicUrl}/dcat.jsonld`;
  const at = (no: number) => `${catalog}?page=${no}`;
  return {
    '@context': CONTEXT,
    '@graph': [
      {
        '@id': catalog,
        '@type': 'dcat:Catalog',
        'dct:title': '3D city models',
        'dct:description': '3D city models of municipalities as CityGML, 3D Tiles and vector tiles.',
        'dct:publisher': agent(publisher === '' ? new URL(urls.publicUrl).hostname : publisher),
        'foaf:homepage': { '@id': `${urls.publicUrl}/` },
        'dcat:dataset': editions
          .slice((page - 1) * DCAT_PAGE, page * DCAT_PAGE)
          .map((entry) => datasetOf(entry, urls)),
      },
      {
        '@id': at(page),
        '@type': 'hydra:PagedCollection',
        'hydra:totalItems': typed(String(editions.length), 'integer'),
        'hydra:itemsPerPage': typed(String(DCAT_PAGE), 'integer'),
        'hydra:firstPage': at(1),
        'hydra:lastPage': at(last),
        ...(page < last ? { 'hydra:nextPage': at(page + 1) } : {}),
      },
    ],
  };
}

function datasetOf(entry: StacEntry, urls: AssetUrls): object {
  const id = `${urls.publicUrl}/stac/collections/${entry.collection}/items/${entry.id}`;
  const none = () => '';
  const item = stacItem(entry, urls, { self: null, root: '', collection: none, item: none });
  const { properties } = item;
  return {
    '@id': id,
    '@type': 'dcat:Dataset',
    'dct:identifier': entry.id,
    'dct:title': properties.title,
    'dct:description': `3D city model: ${properties['citymodel:feature_types'].join(', ')}`,
    'dct:issued': typed(properties.created, 'dateTime'),
    'dct:modified': typed(properties.updated, 'dateTime'),
    // DCAT-AP 2.1 has one publisher at most.
    'dct:publisher': agent(properties.providers.map(({ name }) => name).join(', ')),
    'dcat:keyword': ['3D', 'city model', ...properties['citymodel:feature_types']],
    'dct:temporal': {
      '@type': 'dct:PeriodOfTime',
      'dcat:startDate': typed(properties.start_datetime, 'dateTime'),
      'dcat:endDate': typed(properties.end_datetime, 'dateTime'),
    },
    ...(entry.bounds === null ? {} : { 'dct:spatial': locationOf(boundsToArray(entry.bounds)) }),
    ...depictionOf(item.assets),
    'dcat:landingPage': { '@id': urls.publicUrl + pageOfArea(entry.collection) },
    'dcat:distribution': Object.entries(item.assets)
      .filter(([key]) => !isPicture(key))
      .map(([key, asset]) => ({
        '@id': `${id}#${encodeURIComponent(key)}`,
        '@type': 'dcat:Distribution',
        'dct:title': asset.title,
        'dcat:accessURL': { '@id': asset.href },
        ...(asset.type === MEDIA.zip || asset.type === MEDIA.parquet
          ? { 'dcat:downloadURL': { '@id': asset.href } }
          : {}),
        'dcat:mediaType': { '@id': `https://www.iana.org/assignments/media-types/${asset.type}` },
        ...(asset['file:size'] === undefined
          ? {}
          : { 'dcat:byteSize': typed(String(asset['file:size']), 'decimal') }),
        ...(asset['file:checksum'] === undefined
          ? {}
          : { 'spdx:checksum': checksumOf(asset['file:checksum']) }),
        ...licenseOf(properties),
      })),
  };
}

/** Pictures are of a dataset, and no form of it. */
function isPicture(key: string): boolean {
  return PICTURE_ASSETS.some((name) => name === key);
}

function depictionOf({ overview, thumbnail }: Readonly<Record<string, Asset>>): object {
  if (overview === undefined || thumbnail === undefined) return {};
  const image = { '@id': overview.href, '@type': 'foaf:Image', 'foaf:thumbnail': { '@id': thumbnail.href } };
  return { 'foaf:depiction': image };
}

/** A multihash of SHA-256 begins with the two bytes 12 20. */
function checksumOf(multihash: string): object {
  return {
    '@type': 'spdx:Checksum',
    'spdx:algorithm': { '@id': 'spdx:checksumAlgorithm_sha256' },
    'spdx:checksumValue': typed(multihash.slice(4), 'hexBinary'),
  };
}

function licenseOf(properties: { license: string; 'citymodel:license'?: string }): object {
  if (properties.license !== 'other')
    return { 'dct:license': { '@id': `http://spdx.org/licenses/${properties.license}` } };
  const text = properties['citymodel:license'];
  return text === undefined ? {} : { 'dct:rights': text };
}

function locationOf([west, south, east, north]: readonly number[]): object {
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return {
    '@type': 'dct:Location',
    'dcat:bbox': {
      '@type': 'http://www.opengis.net/ont/geosparql#wktLiteral',
      '@value': `POLYGON((${corners.map((corner) => corner.join(' ')).join(', ')}))`,
    },
  };
}

function agent(name: string): object {
  return { '@type': 'foaf:Agent', 'foaf:name': name };
}

function typed(value: string, type: string): object {
  return { '@type': `xsd:${type}`, '@value': value };
}
