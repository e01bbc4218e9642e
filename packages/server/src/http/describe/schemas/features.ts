/** Attributes and features (operations 11 to 13). */
import Type from 'typebox';
import { integer, nullable, object, record, text, texts } from './common.ts';

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

const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const sums = object({
  values: integer('How many numbers there are.'),
  sum: nullable(Type.Number(), 'Their sum; null beyond the range of a double.'),
  min: nullable(Type.Number(), 'Null where there is no number, as `max` and `mean` are.'),
  max: nullable(Type.Number()),
  mean: nullable(Type.Number()),
  unknown: integer('Values that stand for what is not known, such as -9999. They are in no sum.'),
  other: integer('Values that are no numbers.'),
});

export const FeatureStatistics = object({
  area: text('As it was asked for.'),
  type: texts('Feature-type codes and element names.'),
  where: nullable(Type.String(), 'The conditions.'),
  features: integer('Features of all groups together.'),
  groups: Type.Array(
    object({
      by: record(
        Type.Union([nullable(Type.String()), Type.Number(), Type.Boolean(), Type.Array(value)]),
        'By name: the value that the features have; null for none, a list for several.',
      ),
      count: integer('How many features.'),
      of: record(sums, 'By name: what the numbers of these features add up to.'),
    }),
    { description: 'The largest first.' },
  ),
  packages: integer('CityGML packages that hold the features.'),
  without_table: object(
    {
      packages: integer('How many of these packages lack a table of a type.'),
      features: integer('How many features of the types they have; none is counted.'),
      names: texts('The first 50 of them.'),
    },
    {},
    'What is not counted, because it has no table yet.',
  ),
  left_out: integer('Features of the tables that cannot be read, so that no search answers them.'),
  attributes: texts('Attributes that the features have, which `by` and `of` take; at most 300.'),
});
