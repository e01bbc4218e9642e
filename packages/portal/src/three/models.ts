/** Which tileset a model of the address bar is and what it is called. */
import { factsOfType, specPath } from '@citymodel/base';
import { formatTilesSpec, type TilesSpec } from 'citymodel-server/shared';
import type { CompositeRow, DatasetRow } from '../core/catalogue.ts';
import { datasetPart } from '../core/dataset-names.ts';
import type { Words } from '../core/i18n.ts';
import { MODELS } from '../core/output-kinds.ts';
import { areaName, knownRomaji } from '../core/summary.ts';
import { choiceOf, keyOf, kindsOf, type ModelKind, readSpec } from './choice.ts';

/**
 * Path below the service's address of the composite of a spec, or of a dataset's tileset; null where there is neither.
 *
 * @param row the dataset that has the model as its id
 */
export function pathOfModel(model: string, row: DatasetRow | null): string | null {
  if (row?.format === MODELS) return new URL(row.composite_url ?? row.url).pathname;
  const spec = readSpec(model);
  return spec === null ? null : specPath('3dtiles', formatTilesSpec(spec));
}

/** Everything that tells one composite from the others, in the language of the page. */
export function compositeName(row: CompositeRow, { t, type, year }: Words): string {
  const parts = [row.pref ?? t('all'), type(row.type_en), `LOD ${row.lod}`];
  if (row.interior) parts.push(t('interior'));
  parts.push(row.year === 'latest' ? t('newestYear') : year(row.year));
  if (row.texture != null) parts.push(t(row.texture ? 'textured' : 'untextured'));
  return parts.join(' · ');
}

/** What a kind of models of a municipality is called, without the municipality, under whose name it stands. */
export function kindName(
  { key, type, sub, name }: Pick<ModelKind, 'key' | 'type' | 'sub' | 'name'>,
  words: Words,
): string {
  if (sub === null) return words.type(type);
  if (words.language === 'en')
    return `${words.type(type)} ${datasetPart({ id: key, name: sub, type }, words)}`;
  // Names of the catalogue begin with that of the type.
  const whole = factsOfType(type)?.name ?? type;
  const part = datasetPart({ id: key, name, type: whole }, words);
  return name.startsWith(whole) ? `${words.type(type)} ${part}` : part;
}

/**
 * What the place of a model is called: a municipality, with its ward where it is one.
 *
 * @param datasets those of its municipality
 */
export function placeName({ area }: TilesSpec, datasets: readonly DatasetRow[], { language }: Words): string {
  const ward = datasets.find(({ ward_code }) => ward_code === area);
  const city = ward ?? datasets.find(({ city_code }) => city_code === area);
  if (city === undefined) return area;
  const name = areaName({ name: city.city, romaji: knownRomaji(city.city_code) }, language);
  return ward === undefined ? name : `${name}${language === 'ja' ? '' : ' '}${ward.ward}`;
}

/**
 * 青凪市 · 建築物 · 最高LOD · 最新; a model that is not known goes by its spec.
 *
 * @param datasets those of its municipality
 */
export function modelName(
  model: string,
  datasets: readonly DatasetRow[],
  words: Words,
  { best, newest }: { best: string; newest: string },
): string {
  const { t, type } = words;
  const spec = choiceOf(model, datasets);
  if (spec === null) return model;
  const kind = kindsOf(datasets).find(({ key }) => key === keyOf(spec));
  const parts = [
    placeName(spec, datasets, words),
    kind !== undefined && spec.sub !== null ? kindName(kind, words) : type(spec.type),
  ];
  const { lod } = spec;
  const isBest = lod.max && lod.value >= Math.max(...(kind?.lods ?? [0]));
  if (!isBest) parts.push(`LOD ${lod.value}`);
  else if (kind?.lods.length !== 1) parts.push(best);
  parts.push(spec.year === 'latest' ? newest : words.year(spec.year));
  if (spec.texture !== null) parts.push(t(spec.texture ? 'textured' : 'untextured'));
  return parts.join(' · ');
}
