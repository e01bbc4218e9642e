/** Attributes and features (operations 11 to 13). */
import Type from 'typebox';
import { object, text } from './common.ts';

const corner = object({
  lng: Type.Number({ format: 'double', description: 'Longitude, degrees.' }),
  lat: Type.Number({ format: 'double', description: 'Latitude, degrees.' }),
  alt: Type.Number({ format: 'double', description: 'Altitude, metres above sea level.' }),
});

export const Feature = Type.Object(
  {
    'gml:id': Type.String({ description: 'Feature id.' }),
    _type: text('Qualified element name such as `bldg:Building`.'),
    _bbox: Type.Optional(
      object({ min: corner, max: corner, center: corner }, {}, 'Bounding box; absent without geometry.'),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Attributes under their qualified names. A coded value `k` has its code in `k_code`; a measure its unit in ' +
      '`k_uom`.',
  },
);

export const FeatureIds = object({ featureIds: Type.Array(Type.String(), { description: 'gml:ids.' }) });

export const FeatureCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(Type.Object({ type: Type.Literal('Feature') }, { additionalProperties: true })),
  },
  { description: 'GeoJSON (RFC 7946).' },
);
