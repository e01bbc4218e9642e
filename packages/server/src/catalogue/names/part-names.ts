/** Names for people of what lies below a feature type: rivers of floods, scenarios of tsunamis. */

import { scaleCode } from '@citymodel/citygml';
import type { DatasetSub, PackageRow } from '@citymodel/store';

/** Flood scales by the code in package names: rain as planned for, and the largest expected. */
const SCALE_NAMES = { l1: '計画規模', l2: '想定最大規模' } as const;

/** `想定最大規模`, with the suffix where there are several; '' for a part without a scale. */
export function scaleName({ scale, scaleSuffix }: DatasetSub): string {
  if (scale === null) return '';
  return SCALE_NAMES[scale] + (scaleSuffix === null ? '' : ` ${scaleSuffix}`);
}

/**
 * What all scales, formats and years of a part have in common: `fld/natl_kanogawa`. Null for the whole type.
 */
export function partKey(type: string, sub: DatasetSub | null): string | null {
  if (sub === null) return null;
  const scale = scaleCode(sub);
  const code = sub.code.endsWith(scale) ? sub.code.slice(0, sub.code.length - scale.length) : sub.code;
  const part = code.replace(/_$/, '');
  return part === '' ? null : `${type}/${part}`;
}

/**
 * Names of parts by municipality code and `partKey`, as CityGML packages know them: the newest package that names a
 * part.
 */
export class PartNames {
  readonly #names = new Map<string, string>();

  constructor(packages: readonly PackageRow[]) {
    const newestFirst = packages
      .filter(({ kind }) => kind === 'citygml')
      .sort((a, b) => b.year - a.year || b.no - a.no);
    for (const { cityCode, partNames } of newestFirst) {
      for (const part in partNames) {
        const key = `${cityCode}/${part}`;
        if (!this.#names.has(key)) this.#names.set(key, partNames[part]!);
      }
    }
  }

  /** The part with its name, `狩野川水系黄瀬川 計画規模`; as it is where no package of the municipality names it. */
  named(cityCode: string, type: string, sub: DatasetSub | null): DatasetSub | null {
    if (sub === null || this.#names.size === 0) return sub;
    const name = this.#names.get(`${cityCode}/${partKey(type, sub)}`);
    if (name === undefined) return sub;
    return { ...sub, name: [name, scaleName(sub)].filter((text) => text !== '').join(' ') };
  }
}
