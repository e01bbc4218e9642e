/** Datasets and municipalities in words for people who read English. */

import { factsOfType } from '@citymodel/base';
/** What the words of a dataset are made of, as the catalogue names them. */
export interface NamedDataset {
  id: string;
  name: string;
  /** Japanese name of its feature type. */
  type: string;
}

/** Osaka of osaka-shi, Chiyoda of chiyoda-ku. */
export function latinName(romaji: string): string {
  if (romaji === 'tokyo23-ku') return 'Tokyo 23 wards';
  return capital(romaji.replace(/-(shi|cho|machi|mura|son|ken|fu|to)$/, ''));
}

/** Title of a dataset; `typeCode` such as `bldg`. */
export function datasetInEnglish(dataset: NamedDataset, typeCode: string, place: string): string {
  const type = factsOfType(typeCode)?.label.en ?? typeCode;
  return [type, partInEnglish(dataset), `(${place})`].filter((part) => part !== '').join(' ');
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

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** River, zone or other part of a dataset, which stands in its name between the type and the place. */
export function partOf({ name, type }: Pick<NamedDataset, 'name' | 'type'>): string {
  return (name.startsWith(type) ? name.slice(type.length) : name).replace(/（[^（）]*）$/, '').trim();
}
