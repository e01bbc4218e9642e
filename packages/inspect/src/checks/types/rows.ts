/** Rows of the official tables of features that are no buildings. */
import { localName } from '@citymodel/citygml';
import { IN_FILE, type Spec } from '../../check.ts';
import type { LodGeometry } from '../../geometry/lod-geometry.ts';
import type { Selection } from '../geometry/factories.ts';

/** Columns of tables that count errors of a feature: its id under `gml:id`, the last column as named. */
export const COUNTED = [...IN_FILE, 'FeatureType', 'gml:id', 'エラー数'];
/** The same with a level of detail. */
export const COUNTED_BY_LOD = [...IN_FILE, 'FeatureType', 'LOD', 'gml:id', 'エラー数'];
/** Columns of tables of solids. */
export const OF_SOLIDS = ['filename', 'feature_type', 'lod', 'gml_id', 'issue'];

const ONLY_4: readonly Spec[] = [4];

/** The facts of a check of one folder that only specification 4 has. */
export function factsOf(
  folder: string,
  what: string,
  name: string,
  file: string,
  columns: readonly string[],
  isCounted = true,
) {
  return {
    code: `${folder}.${what}`,
    name,
    specs: ONLY_4,
    folders: [folder],
    table: { file, columns },
    summary: isCounted ? folder : null,
  };
}

/** Rows under the names of all tables above, so that each takes what it has. */
export function rowOf({ holder, lod }: LodGeometry, issue: string): Record<string, string | number> {
  const id = holder.attributes['gml:id'] ?? '';
  return {
    FeatureType: holder.name,
    feature_type: localName(holder.name),
    LOD: lod,
    lod,
    'gml:id': id,
    gml_id: id,
    エラー数: 1,
    エラー内容: issue,
    面の向き: 'right_hand_rule',
    issue,
  };
}

/** Rows whose feature type has no prefix. */
export function localRowOf(geometry: LodGeometry, issue: string): Record<string, string | number> {
  return { ...rowOf(geometry, issue), FeatureType: localName(geometry.holder.name) };
}

export function selecting(takes: Selection['takes'], row: Selection['row'] = rowOf): Selection {
  return { takes, row };
}
