/** Every named schema, by the name that it has in the description of the interface. */
import type { TSchema } from 'typebox';
import * as catalogue from './catalogue.ts';
import * as changes from './changes.ts';
import { ErrorObject } from './common.ts';
import * as features from './features.ts';
import * as files from './files.ts';
import * as further from './further.ts';
import * as graphql from './graphql.ts';
import * as ogc from './ogc.ts';
import * as packs from './packs.ts';
import * as service from './service.ts';
import * as stac from './stac.ts';
import * as tiles from './tiles.ts';

export const SCHEMAS: Readonly<Record<string, TSchema>> = {
  Error: ErrorObject,
  ...catalogue,
  ...tiles,
  ...files,
  ...packs,
  ...features,
  ...changes,
  ...further,
  ...graphql,
  ...service,
  ...stac,
  ...ogc,
};
