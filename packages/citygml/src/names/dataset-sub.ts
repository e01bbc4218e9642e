/** Parts below a feature type, such as the rivers of flood data, as names of files and packages have them. */
import { isDisasterType } from './feature-types.ts';

/** A part below a feature type; rows of the catalogue hold it in the same form. */
export interface DatasetSub {
  /** Used in ids, `[a-z0-9_-]+`, e.g. `natl_kanogawa_kisegawa_l1`. */
  code: string;
  /** Name for people, e.g. `狩野川・黄瀬川 計画規模`, or the code when nothing better is known. */
  name: string;
  /** Flood types: who administers the river. */
  admin: 'natl' | 'pref' | null;
  river: string | null;
  /** `l1` planned scale, `l2` largest expected. */
  scale: 'l1' | 'l2' | null;
  scaleSuffix: string | null;
}

/**
 * The part below a type from its romanised name (`natl_kanogawa_kisegawa`, `22_1`, `UseDistrict`, or '') and
 * the scale of a flood; null when neither says anything. Its name for people is the romanised one; who knows
 * a better one puts that in its place.
 */
export function datasetSub(
  type: string,
  name: string,
  scale: 'l1' | 'l2' | null,
  scaleSuffix: string | null,
): DatasetSub | null {
  const full = [name, scaleText(scale, scaleSuffix)].filter((part) => part !== '').join('_');
  if (full === '') return null;
  const flood = isDisasterType(type) ? /^(natl|pref)_(.+)$/.exec(name) : null;
  return {
    code: codeOf(full),
    name: full,
    admin: (flood?.[1] as 'natl' | 'pref' | undefined) ?? null,
    river: flood?.[2] ?? null,
    scale,
    scaleSuffix,
  };
}

/** Sets of map symbols inside of features, by the end of the names of their packages, with names for people. */
const MAP_SYMBOLS: Readonly<Record<string, string>> = {
  dm_geometric_attributes: '図式',
  dm_annotations: '注記',
};
const SYMBOLS = new RegExp(`^(?:(.+)_)?(${Object.keys(MAP_SYMBOLS).join('|')})$`);

/** The part of a type that a set of map symbols is; `name`: the class or code that it is of, '' for the whole type. */
export function mapSymbolsSub(type: string, name: string, symbols: string): DatasetSub {
  const sub = datasetSub(type, [name, symbols].filter((part) => part !== '').join('_'), null, null)!;
  return { ...sub, name: [name, MAP_SYMBOLS[symbols]].filter((part) => part !== '').join(' ') };
}

/** True for a part that is a set of map symbols, which lists leave out unless somebody asks for it. */
export function isMapSymbols(sub: Pick<DatasetSub, 'code'> | null): boolean {
  return sub !== null && SYMBOLS.test(sub.code);
}

/** The end of a part's code that says its scale, `l2-1`; '' when it has none. */
export function scaleCode({ scale, scaleSuffix }: DatasetSub): string {
  return codeOf(scaleText(scale, scaleSuffix));
}

function scaleText(scale: DatasetSub['scale'], suffix: string | null): string {
  if (scale === null) return '';
  return suffix === null ? scale : `${scale}-${suffix}`;
}

function codeOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]+/g, '-');
}
