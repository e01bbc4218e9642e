/** Datasets and municipalities in words for people: in English, and in Japanese where the catalogue has codes. */

import { factsOfType } from '@citymodel/base';
import { elementInJapanese } from './element-names.ts';
import { capital } from './latin-name.ts';

/** What the words of a dataset are made of, as the catalogue names them. */
export interface NamedDataset {
  id: string;
  name: string;
  /** Japanese name of its feature type. */
  type: string;
}

/** Title of a dataset; `typeCode` such as `bldg`. */
export function datasetInEnglish(dataset: NamedDataset, typeCode: string, place: string): string {
  const type = factsOfType(typeCode)?.label.en ?? typeCode;
  return [type, partInEnglish(dataset), `(${place})`].filter((part) => part !== '').join(' ');
}

/** Title of a dataset in Japanese, in the words of the page: 用途地域 and not UseDistrict. */
export function datasetInJapanese(dataset: NamedDataset, typeCode: string, place: string): string {
  const type = factsOfType(typeCode)?.label.ja ?? dataset.type;
  const part = partInJapanese(dataset);
  return `${part === '' || part === type ? type : `${type} ${part}`}（${place}）`;
}

/** River, zone or other part of a dataset in Japanese: a zone by its name in law, a main river without its system. */
export function partInJapanese(row: Pick<NamedDataset, 'name' | 'type'>): string {
  const part = partOf(row);
  const [system, river] = part.split('水系');
  if (system !== '' && river?.startsWith(system!)) return river;
  return elementInJapanese(part) ?? part;
}

/**
 * River, zone or other part of a dataset in Latin letters: a river by its name in the id, a zone by the words of its
 * element.
 */
export function partInEnglish(row: NamedDataset): string {
  const words = row.id.split(/[_-]/);
  const admin = words.findIndex((word) => word === 'natl' || word === 'pref');
  const scale = words.findIndex((word, i) => i > admin + 1 && (word === 'l1' || word === 'l2'));
  if (admin > 0 && scale > 0) {
    const name = words
      .slice(admin + 1, scale)
      .map(capital)
      .join('-');
    return `${name}, ${words[scale] === 'l1' ? 'planned scale' : 'worst case'}`;
  }
  const part = partOf(row);
  return /^[A-Za-z]+$/.test(part) ? capital(part.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()) : part;
}

/** River, zone or other part of a dataset, which stands in its name between the type and the place. */
export function partOf({ name, type }: Pick<NamedDataset, 'name' | 'type'>): string {
  return (name.startsWith(type) ? name.slice(type.length) : name).replace(/（[^（）]*）$/, '').trim();
}
