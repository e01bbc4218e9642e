/** What clients call beside the thirteen operations. */
import Type from 'typebox';
import { failure, json, type Operation, path, query } from '../describe/operation.ts';
import { ref } from '../describe/schemas/common.ts';

const sdkTag = 'Catalogue';

const mcp = (id: string, at: string): Operation => ({
  id,
  method: 'post',
  path: at,
  number: null,
  tag: 'Service',
  summary: 'Tools for AI assistants (Model Context Protocol)',
  description:
    'Streamable HTTP without sessions: each POST has one JSON-RPC message and one JSON answer. `tools/list` names the tools.',
  parameters: [],
  body: {
    required: true,
    content: {
      'application/json': {
        schema: ref('McpMessage'),
        examples: {
          list: { summary: 'All tools', value: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
        },
      },
    },
  },
  answers: {
    200: json('The answer to the message.', 'McpMessage'),
    202: { description: 'The message was a notification.' },
    400: failure('The body is no message.'),
    413: failure('The body is larger than 1 MiB.'),
  },
});

export const FURTHER_OPERATIONS: readonly Operation[] = [
  {
    id: 'getGeoidHeight',
    method: 'get',
    path: '/citygml/geoid_height',
    number: null,
    tag: 'Features',
    summary: 'Height of the geoid at a place',
    description:
      'Ellipsoidal height = elevation + this height. The model is GSIGEO2011 of Japan, bilinear between its nodes.',
    parameters: [
      query('lat', 'Latitude in degrees (JGD2011).', Type.Number(), { required: true, example: 35.68 }),
      query('lng', 'Longitude in degrees (JGD2011).', Type.Number(), { required: true, example: 139.77 }),
    ],
    answers: {
      200: json('The height.', 'GeoidHeight'),
      400: failure('A parameter is missing or no number, or the place lies outside of the model.'),
    },
  },
  {
    id: 'getSdkDatasets',
    method: 'get',
    path: '/sdk/datasets',
    number: null,
    tag: sdkTag,
    summary: 'Municipalities with CityGML, for the SDKs of game engines',
    description:
      'The newest package of each municipality, by prefecture. An `Authorization` header is ignored.',
    parameters: [],
    answers: { 200: json('The municipalities.', 'SdkDatasets') },
  },
  {
    id: 'getSdkFiles',
    method: 'get',
    path: '/sdk/datasets/{id}/files',
    number: null,
    tag: sdkTag,
    summary: 'GML files of a municipality, for the SDKs of game engines',
    description: 'Of each feature type the files of the newest year that has it.',
    parameters: [path('id', 'Municipality code, as `/sdk/datasets` lists it.', '47900')],
    answers: { 200: json('The files.', 'SdkFiles'), 404: failure('There is no such dataset.') },
  },
  mcp('postMcp', '/mcp'),
  mcp('postCatalogueMcp', '/datacatalog/mcp'),
];
