/** Datasets and municipalities in words for people who read English. */

/** What the words of a dataset are made of, as the catalogue names them. */
export interface NamedDataset {
  id: string;
  name: string;
  /** Japanese name of its feature type. */
  type: string;
}

/** Feature types in words of both languages, shorter than the names of the catalogue. */
export const TYPE_WORDS: Readonly<Record<string, { en: string; ja: string }>> = {
  bldg: { en: 'Buildings', ja: '建築物' },
  tran: { en: 'Roads', ja: '道路' },
  rwy: { en: 'Railways', ja: '鉄道' },
  trk: { en: 'Tracks', ja: '徒歩道' },
  squr: { en: 'Squares', ja: '広場' },
  wwy: { en: 'Waterways', ja: '航路' },
  luse: { en: 'Land use', ja: '土地利用' },
  fld: { en: 'River flooding', ja: '洪水浸水想定区域' },
  tnm: { en: 'Tsunami', ja: '津波浸水想定区域' },
  htd: { en: 'Storm surge', ja: '高潮浸水想定区域' },
  ifld: { en: 'Inland flooding', ja: '内水浸水想定区域' },
  rfld: { en: 'Reservoir flooding', ja: 'ため池浸水想定区域' },
  lsld: { en: 'Landslides', ja: '土砂災害警戒区域' },
  urf: { en: 'Urban planning', ja: '都市計画決定情報' },
  dem: { en: 'Terrain', ja: '地形' },
  brid: { en: 'Bridges', ja: '橋梁' },
  tun: { en: 'Tunnels', ja: 'トンネル' },
  cons: { en: 'Other structures', ja: 'その他の構造物' },
  frn: { en: 'Street furniture', ja: '都市設備' },
  unf: { en: 'Buried utilities', ja: '地下埋設物' },
  ubld: { en: 'Underground malls', ja: '地下街' },
  veg: { en: 'Vegetation', ja: '植生' },
  wtr: { en: 'Water', ja: '水部' },
  area: { en: 'Areas', ja: '区域' },
  gen: { en: 'Generic objects', ja: '汎用都市オブジェクト' },
};

/** Osaka of osaka-shi, Chiyoda of chiyoda-ku. */
export function latinName(romaji: string): string {
  if (romaji === 'tokyo23-ku') return 'Tokyo 23 wards';
  return capital(romaji.replace(/-(shi|cho|machi|mura|son|ken|fu|to)$/, ''));
}

/** Title of a dataset; `typeCode` such as `bldg`. */
export function datasetInEnglish(dataset: NamedDataset, typeCode: string, place: string): string {
  const type = TYPE_WORDS[typeCode]?.en ?? typeCode;
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
    return `${name}, ${words[scale] === 'l1' ? 'planned scale' : 'largest assumed'}`;
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
