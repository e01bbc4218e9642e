/**
 * Documents of the SpatioTemporal Asset Catalog, as far as callers of this service rely on them; the whole is in STAC
 * 1.1.0.
 */
import Type, { type TSchema } from 'typebox';
import { object, record, ref, text, texts, url } from './common.ts';

const open = (schema: TSchema): TSchema => ({ ...schema, additionalProperties: true });

export const StacLink = open(
  object(
    {
      rel: text('What the link is for.'),
      href: Type.String({
        pattern: '^https?://',
        description: 'Address; an `xyz` link has `{z}`, `{x}` and `{y}` in it.',
      }),
    },
    { type: text('Media type.'), title: text('Title.'), method: text('`POST` where it is no GET.') },
  ),
);

const head = {
  stac_version: Type.Literal('1.1.0'),
  id: text('Id.'),
  links: Type.Array(ref('StacLink')),
};

export const StacCatalog = open(
  object({
    type: Type.Literal('Catalog'),
    ...head,
    title: text('Title.'),
    description: text('What the catalogue holds.'),
    conformsTo: texts('Conformance classes.'),
  }),
);

export const StacConformance = object({ conformsTo: texts('Conformance classes.') });

export const StacCollection = open(
  object({
    type: Type.Literal('Collection'),
    stac_extensions: texts('Schemas of extensions.'),
    ...head,
    title: text('Name of the feature type or area.'),
    description: text('What the collection holds.'),
    license: text('SPDX identifier, or `other`.'),
    extent: open(object({})),
    summaries: open(object({})),
  }),
);

export const StacCollections = object({
  collections: Type.Array(ref('StacCollection')),
  links: Type.Array(ref('StacLink')),
});

const StacAsset = open(
  object(
    { href: url('Address.'), title: text('Title.'), roles: texts('Roles.') },
    {
      type: text('Media type.'),
      'file:checksum': Type.String({ pattern: '^1220[0-9a-f]{64}$', description: 'Multihash of SHA-256.' }),
      'file:size': Type.Integer({ minimum: 0, description: 'Bytes.' }),
    },
  ),
);

export const StacItem = open(
  object(
    {
      type: Type.Literal('Feature'),
      stac_extensions: texts('Schemas of extensions.'),
      ...head,
      collection: text('Id of the collection.'),
      geometry: Type.Union([open(object({ type: Type.Literal('Polygon') })), Type.Null()], {
        description: 'The box; null where nobody knows the place.',
      }),
      properties: open(object({})),
      assets: record(StacAsset, 'Files by a key.'),
    },
    { bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }) },
  ),
);

export const StacItems = open(
  object({
    type: Type.Literal('FeatureCollection'),
    numberReturned: Type.Integer({ minimum: 0, description: 'Items of this page.' }),
    features: Type.Array(ref('StacItem')),
    links: Type.Array(ref('StacLink')),
  }),
);

export const StacSearch = open(
  object(
    {},
    {
      collections: texts('Keeps items of these collections.'),
      ids: texts('Keeps items with these ids.'),
      bbox: Type.Array(Type.Number(), {
        minItems: 4,
        maxItems: 6,
        description: 'Keeps items that touch this box.',
      }),
      datetime: text('Keeps items of this time: an instant, or two with `/` between.'),
      intersects: open(object({ type: text('Type of a GeoJSON geometry.') })),
      limit: Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: 'Items of a page; 100 at most are sent.',
      }),
      token: text('Where a page goes on, from the link `next`.'),
    },
  ),
);
