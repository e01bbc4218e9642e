/** What datasets and their parts are called. The first view asks for none of it, so that no word of it is there. */
import { datasetInEnglish, datasetInJapanese, partInEnglish, partInJapanese } from 'citymodel-server/shared';
import type { DatasetRow } from './catalogue.ts';
import type { Words } from './i18n.ts';

type Named = Pick<
  DatasetRow,
  'id' | 'name' | 'type' | 'type_en' | 'city' | 'city_code' | 'ward' | 'ward_code'
>;

/** Title of a dataset in the language of the page. */
export function datasetName(row: Named, { language, areaOf }: Pick<Words, 'language' | 'areaOf'>): string {
  const place = row.ward_code ? areaOf(row.ward_code, row.ward ?? '') : areaOf(row.city_code, row.city);
  return (language === 'ja' ? datasetInJapanese : datasetInEnglish)(row, row.type_en, place);
}

/** River, zone or other part of a dataset; '' where it is the whole of its type. */
export function datasetPart(
  row: Pick<DatasetRow, 'id' | 'name' | 'type'>,
  { language }: Pick<Words, 'language'>,
): string {
  return language === 'ja' ? partInJapanese(row) : partInEnglish(row);
}
