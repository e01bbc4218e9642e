/** Documents of the OGC API, as far as callers of this service rely on them (OGC 17-069r4, 18-058r1, 19-079r2). */
import Type, { type TSchema } from 'typebox';
import { object, ref, text, texts, url } from './common.ts';

const open = (schema: TSchema): TSchema => ({ ...schema, additionalProperties: true });

export const OgcLink = open(
  object(
    { rel: text('What the link is for.'), href: url('Address.') },
    { type: text('Media type.'), title: text('Title.') },
  ),
);

export const OgcLanding = open(
  object({ title: text('Title.'), description: text('What there is.'), links: Type.Array(ref('OgcLink')) }),
);

export const OgcConformance = object({ conformsTo: texts('Conformance classes.') });

export const OgcCollection = open(
  object({
    id: text('Id, such as `bldg` or `27100-bldg`.'),
    title: text('Name of the feature type, and of the municipality.'),
    description: text('What the collection holds.'),
    itemType: Type.Literal('feature'),
    extent: open(object({})),
    crs: texts('Systems that items may be asked for in.'),
    storageCrs: text('The system of the data.'),
    links: Type.Array(ref('OgcLink')),
  }),
);

export const OgcCollections = open(
  object({
    links: Type.Array(ref('OgcLink')),
    crs: texts('Systems of all collections.'),
    collections: Type.Array(ref('OgcCollection')),
    numberMatched: Type.Integer({ minimum: 0 }),
    numberReturned: Type.Integer({ minimum: 0 }),
  }),
);

export const OgcItem = open(
  object(
    { type: Type.Literal('Feature'), properties: open(object({})) },
    { id: text('gml:id.'), links: Type.Array(ref('OgcLink')) },
  ),
);

export const OgcItems = open(
  object(
    {
      type: Type.Literal('FeatureCollection'),
      features: Type.Array(ref('OgcItem')),
      links: Type.Array(ref('OgcLink')),
      numberReturned: Type.Integer({ minimum: 0 }),
    },
    { numberMatched: Type.Integer({ minimum: 0, description: 'Where all features are asked for.' }) },
  ),
);
