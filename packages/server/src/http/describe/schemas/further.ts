/** What clients ask beside the thirteen operations. */
import Type from 'typebox';
import { object, record, text } from './common.ts';

export const GeoidHeight = object({
  lat: Type.Number({ description: 'Latitude as it was given, degrees.' }),
  lng: Type.Number({ description: 'Longitude as it was given, degrees.' }),
  geoid_height: Type.Number({ description: 'Height of the geoid above the ellipsoid, metres.' }),
  geoid: text('The same as text with three decimals.'),
  datum: Type.Union([Type.Literal('jgd2011'), Type.Literal('jgd2024')], {
    description: 'What elevations the height is for.',
  }),
  model: text('What the height was computed from.'),
  revision: Type.Optional(
    Type.Union([Type.Number(), Type.Null()], {
      description:
        'Of `jgd2024`: heights of JGD2024 less those of JGD2011, metres. Null where it is unknown; the height is ' +
        'then that for `jgd2011`.',
    }),
  ),
});

const SdkDataset = object({
  id: text('Municipality code.'),
  title: text('Name of the municipality.'),
  description: text('Name, year and licence.'),
  featureTypes: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Feature types of the newest package.',
  }),
});

export const SdkDatasets = object({
  data: Type.Array(
    object({
      id: text('Prefecture code.'),
      title: text('Name of the prefecture.'),
      data: Type.Array(SdkDataset),
    }),
  ),
});

export const SdkFiles = record(
  Type.Array(
    object({
      code: text('Mesh code.'),
      maxLod: Type.Integer({ description: 'Highest LOD in the file.' }),
      url: Type.String({ format: 'uri' }),
    }),
  ),
  'GML files by feature type.',
);

export const McpMessage = Type.Object(
  { jsonrpc: Type.Literal('2.0') },
  { additionalProperties: true, description: 'A JSON-RPC message of the Model Context Protocol.' },
);
