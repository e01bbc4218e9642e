/** Composite tilesets and TileJSON (operations 4 and 5), as far as they are ours; the standards describe the rest. */
import Type from 'typebox';
import { integer, object, record, text, urlTemplate } from './common.ts';

const boundingVolume = object(
  {},
  {
    region: Type.Array(Type.Number(), {
      minItems: 6,
      maxItems: 6,
      description: 'West, south, east, north in radians, then lowest and highest in metres.',
    }),
    box: Type.Array(Type.Number(), { minItems: 12, maxItems: 12 }),
    sphere: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
  },
  '3D Tiles 1.1, section 6.7.2.2.',
);

export const Tileset = object(
  {
    asset: object({ version: Type.Enum(['1.0', '1.1']) }),
    geometricError: Type.Number({ description: 'Metres.' }),
    root: object(
      { boundingVolume, geometricError: Type.Number() },
      {
        refine: Type.Enum(['ADD', 'REPLACE']),
        children: Type.Array(
          object(
            {
              boundingVolume,
              geometricError: Type.Number(),
              content: object({ uri: urlTemplate("A municipality's or ward's own tileset.json.") }),
            },
            {
              refine: Type.Enum(['ADD', 'REPLACE']),
              extras: Type.Object({}, { additionalProperties: true }),
            },
          ),
        ),
      },
    ),
  },
  {},
  '3D Tiles 1.1.',
);

export const TileJson = object(
  {
    tilejson: Type.Literal('3.0.0'),
    name: text('Name of the dataset.'),
    tiles: Type.Array(urlTemplate('Template with `{z}`, `{x}` and `{y}`.'), { minItems: 1 }),
    vector_layers: Type.Array(
      object(
        {
          id: text('Name of the layer in the tiles.'),
          fields: record(Type.String(), 'Attribute → type.'),
        },
        { description: Type.String(), minzoom: Type.Integer(), maxzoom: Type.Integer() },
      ),
    ),
    minzoom: integer('Lowest zoom.'),
    maxzoom: integer('Highest zoom.'),
    bounds: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
    center: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
  },
  { attribution: Type.String(), scheme: Type.Enum(['xyz', 'tms']), description: Type.String() },
  'TileJSON 3.0.0.',
);
