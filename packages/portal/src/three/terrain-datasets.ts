/** Which datasets of a municipality are the terrain below a model. */
import { type Bounds, boundsIntersect } from '@citymodel/geo';
import { type DatasetRow, toBounds } from '../core/catalogue.ts';
import { MODELS } from '../core/output-kinds.ts';
import { choiceOf, keyOf, kindsOf } from './choice.ts';

/** Feature-type code of terrain. */
export const TERRAIN = 'dem';

/**
 * The 3D Tiles of terrain where a model is: of each ward that has some those of the model's year, else the newest, at
 * the highest level of detail.
 *
 * @param model spec or id of a dataset
 * @param datasets those of its municipality
 * @param bounds of the model, degrees
 */
export function terrainDatasets(
  model: string,
  datasets: readonly DatasetRow[],
  bounds: Bounds,
): DatasetRow[] {
  const year = yearOf(model, datasets);
  const chosen = new Map<string, DatasetRow>();
  for (const row of datasets) {
    if (row.format !== MODELS || row.type_en !== TERRAIN) continue;
    if (row.bbox !== null && !boundsIntersect(toBounds(row.bbox), bounds)) continue;
    const key = row.ward_code ?? '';
    const known = chosen.get(key);
    if (known === undefined || isBetter(row, known, year)) chosen.set(key, row);
  }
  return [...chosen.values()];
}

function isBetter(row: DatasetRow, known: DatasetRow, year: number | undefined): boolean {
  if (row.year === known.year) return Number(row.lod) > Number(known.lod);
  return row.year === year || (known.year !== year && row.year > known.year);
}

/** The year that a model is of; undefined where it is not known. */
function yearOf(model: string, datasets: readonly DatasetRow[]): number | undefined {
  const spec = choiceOf(model, datasets);
  if (spec === null) return undefined;
  if (spec.year !== 'latest') return spec.year;
  return kindsOf(datasets).find(({ key }) => key === keyOf(spec))?.years[0];
}
