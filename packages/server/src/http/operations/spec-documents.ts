/** Operations 4 and 5: the document behind a spec, for each kind of output. */
import type { OutputKind } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import type { ServiceContext } from '../context.ts';
import type { Operation } from '../describe/operation.ts';
import { getTileJson, serveTileJson } from './tilejson.ts';
import { getTileset, serveTileset } from './tileset.ts';

interface SpecDocument {
  operation: Operation;
  serve(context: ServiceContext): RouteHandlerMethod;
}

export const SPEC_DOCUMENTS: Record<OutputKind, SpecDocument> = {
  '3dtiles': { operation: getTileset, serve: serveTileset },
  mvt: { operation: getTileJson, serve: serveTileJson },
};
