/** All kinds of inputs. */

import { openCodeLists } from './code-lists.ts';
import { openConversions, openRealConversions } from './conversions.ts';
import { openGml } from './gml.ts';
import { openGraphql } from './graphql.ts';
import { openFeatureIndexes, openMemberIndexes } from './indexes.ts';
import type { FuzzKind, OpenKind } from './kind.ts';
import { openParameters } from './parameters.ts';
import { openRequests } from './requests.ts';
import { openPmtilesKind, openTilesets, openVectorTiles } from './tiles.ts';
import { openZips } from './zips.ts';

export const KINDS: Readonly<Record<string, OpenKind>> = {
  parameters: openParameters,
  'code-lists': openCodeLists,
  gml: openGml,
  tilesets: openTilesets,
  'vector-tiles': openVectorTiles,
  pmtiles: openPmtilesKind,
  'member-indexes': openMemberIndexes,
  'feature-indexes': openFeatureIndexes,
  graphql: openGraphql,
  zips: openZips,
  requests: openRequests,
  conversions: openConversions,
  'real-conversions': openRealConversions,
};

/** Those that need no real packages. */
export const ALWAYS: readonly string[] = Object.keys(KINDS).filter((name) => name !== 'real-conversions');

/** Opens kinds by their names. Throws a RangeError for a name that none has. */
export async function openKinds(names: readonly string[]): Promise<FuzzKind[]> {
  const kinds: FuzzKind[] = [];
  for (const name of names) {
    const open = KINDS[name];
    if (open === undefined)
      throw new RangeError(`no kind ${name}; known are ${Object.keys(KINDS).join(', ')}`);
    kinds.push(await open());
  }
  return kinds;
}
