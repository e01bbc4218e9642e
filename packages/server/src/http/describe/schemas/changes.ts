/** What two editions differ in. */
import Type from 'typebox';
import { cityCode, integer, nullable, object, record, text, typeCode, year } from './common.ts';

const metres = (what: string) =>
  nullable(Type.Number(), `${what}, metres; null where the data does not tell it.`);
const area = (what: string) =>
  nullable(Type.Number(), `${what}, square metres; null where the data does not tell it.`);
const volume = (what: string) =>
  nullable(Type.Number(), `${what}, cubic metres; null where the data does not tell it.`);
const lods = (what: string) => Type.Array(Type.Integer(), { description: what });
const edition = object({ package: text('Name of the package.'), year });

const namedValue = object(
  {
    value: Type.Unsafe({
      description: 'Of a code the code itself; several values in an order of their own.',
    }),
  },
  { label: text('The description of the code.') },
);

const notRead = object({
  tooLarge: integer('Features with more text than is compared.'),
  broken: integer('Features that cannot be read.'),
  brokenFiles: integer('Files that are no XML from some place on.'),
});

const summary = object({
  features: object({ from: integer('In the older edition.'), to: integer('In the newer edition.') }),
  added: integer('Features of the newer edition alone.'),
  removed: integer('Features of the older edition alone.'),
  changed: integer('Features of both that differ.'),
  unchanged: integer('Features of both that are the same, but for ids.'),
  changedAttributes: integer('Features with other attributes.'),
  changedGeometry: integer('Features with another geometry.'),
  higher: integer('Features that are higher now.'),
  lower: integer('Features that are lower now.'),
  matchedBy: object({
    id: integer('Features that were found by their gml:id.'),
    stableId: integer('By the id of i-UR that stays.'),
    footprint: integer('By their footprint.'),
  }),
  byAttribute: record(Type.Integer(), 'In how many features each attribute differs.'),
  otherAttributes: integer('Differences in attributes that `byAttribute` or the features do not list.'),
  notCompared: object({ from: notRead, to: notRead }),
});

const size = (of: (what: string) => ReturnType<typeof metres>) =>
  object({ from: of('Before'), to: of('Now') });

const placed = {
  position: integer('Order in the list.'),
  type: text('Qualified element name such as `bldg:Building`.'),
  id: nullable(Type.String(), 'gml:id, of the newer edition where it has the feature.'),
  bounds: nullable(Type.Array(Type.Number()), 'West, south, east, north, degrees.'),
  centre: nullable(
    Type.Array(Type.Number()),
    'Longitude and latitude of the middle of the footprint, degrees.',
  ),
  outline: nullable(
    Type.Object({ type: Type.Enum(['Polygon', 'MultiPolygon']), coordinates: Type.Array(Type.Unknown()) }),
    'Footprint as a geometry of GeoJSON; null for a feature without an area.',
  ),
};

const appearance = object({
  ...placed,
  change: Type.Enum(['added', 'removed']),
  height: metres('From the lowest to the highest point'),
  footprintArea: area('On the ground'),
  volume: volume('Of the solids'),
  lods: lods('Levels of detail.'),
});

const change = object({
  ...placed,
  change: Type.Literal('changed'),
  fromId: nullable(Type.String(), 'gml:id in the older edition.'),
  matchedBy: Type.Enum(['id', 'stableId', 'footprint'], { description: 'How the feature was found again.' }),
  attributes: Type.Array(
    object(
      { name: text('Name of the attribute; those of nested objects are joined by `/`.') },
      { from: namedValue, to: namedValue },
      'An attribute that differs; `from` or `to` is absent where an edition lacks it.',
    ),
  ),
  attributesLeft: integer('Attributes that differ and are not listed.'),
  geometry: nullable(
    object({
      movedBy: metres('Between the middles of the footprints'),
      height: size(metres),
      footprintArea: size(area),
      volume: size(volume),
      lods: object({ from: lods('Before.'), to: lods('Now.') }),
    }),
    'Null when the geometry is the same.',
  ),
});

export const Changes = object(
  {
    city_code: cityCode,
    type: typeCode,
    from: edition,
    to: edition,
    state: Type.Enum(['comparing', 'compared']),
    progress: nullable(
      Type.Object({ done: Type.Number(), total: Type.Number() }, { additionalProperties: true }),
      'Bytes of text that were read, while the editions are being compared.',
    ),
    summary: nullable(summary, 'Null while the editions are being compared.'),
    differences: Type.Array(Type.Union([appearance, change]), { description: 'A page of features.' }),
    next: nullable(Type.Integer(), '`after` of the next page; null after the last.'),
  },
  {},
  'What two editions of a municipality differ in, in one feature type.',
);
