/** What a page may say of the licence of everything that is published. */

/** Longest licence that a sentence names; metadata may state pages. */
const MAX_LENGTH = 60;
/** Licences that let everybody use the data for anything, and what takes that back. */
const OPEN = /\bCC[ -]?(BY|0)\b|\bODbL\b|\bODC\b|公共データ利用規約|政府標準利用規約/i;
const RESTRICTED = /\bN[CD]\b|non-?commercial|no-?derivatives|非営利|改変禁止/i;

export interface LicenceClaim {
  /**
   * The one licence that all packages state, short enough for a sentence; null where they differ, or some state none.
   */
  licence: string | null;
  /** Whether that licence lets everybody use the data. */
  isOpen: boolean;
}

/** `ofAll` is `totals.licence_of_all` of the summary. */
export function licenceClaim(ofAll: string | null): LicenceClaim {
  if (ofAll === null || ofAll.length > MAX_LENGTH) return { licence: null, isOpen: false };
  // CC BY 4.0 of "Licensed under CC BY 4.0", which reads well in a sentence of either language.
  const licence = ofAll.replace(/^Licensed under /, '');
  return { licence, isOpen: OPEN.test(licence) && !RESTRICTED.test(licence) };
}
