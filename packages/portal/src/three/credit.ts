/** Who is to be named beside a picture of models. */
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';

/**
 * Licences of what a model shows, and where it is from.
 *
 * @param model spec or id of a dataset
 * @param datasets those of its municipality
 */
export function creditLine(model: string, datasets: readonly DatasetRow[]): string {
  const code = model.slice(0, 5);
  const licences = datasets
    .filter((row) => row.id === model || row.city_code === code || row.ward_code === code)
    .map(({ license }) => license);
  return [...new Set(licences), config.publicUrl].filter(Boolean).join(' · ');
}
