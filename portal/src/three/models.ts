/** Which tileset a model of the address bar is. */
import type { CompositeRow, DatasetRow } from '../core/catalogue.ts';
import type { Words } from '../core/i18n.ts';

/** `<area>-<type>-<lod>…-<year>`, the spec of operation 4. */
const SPEC = /^(all|\d{2}|\d{5})-[a-z0-9_]/;
const SPEC_END = /-(\d{4}|latest)$/;

export interface Model {
  /** Path below the service's address. */
  path: string;
  row: DatasetRow | null;
}

/** The composite of a spec, or the dataset of an id; null when it is neither. */
export function modelOf(model: string, datasets: readonly DatasetRow[]): Model | null {
  const row = datasets.find(({ id, format }) => id === model && format === '3D Tiles');
  if (row !== undefined) {
    const url = new URL(row.composite_url ?? row.url);
    return { path: url.pathname, row };
  }
  return SPEC.test(model) && SPEC_END.test(model)
    ? { path: `/datacatalog/3dtiles/${model}/tileset.json`, row: null }
    : null;
}

/** Everything that tells one composite from the others, in the language of the page. */
export function compositeName(row: CompositeRow, { t, type }: Words): string {
  const parts = [row.pref ?? t('all'), type(row.type_en), `LOD ${row.lod}`];
  if (row.interior) parts.push(t('interior'));
  parts.push(row.year === 'latest' ? t('newestYear') : row.year);
  if (row.texture != null) parts.push(t(row.texture ? 'textured' : 'untextured'));
  return parts.join(' · ');
}
