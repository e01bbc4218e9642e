import { AREAS, type Area, area, isSpecialWard, SPECIAL_WARDS_CODE, wardsOf } from './areas.ts';
import { normalizePlaceName } from './place-text.ts';

/*
 * Area names at the beginning of a text, with or without the larger areas before them and with or without the
 * 都府県市区町村 at the end of each: 神奈川県川崎市幸区…, 川崎市幸区…, 幸区…, 川崎….
 */

/** One way to read the beginning of a text as names of areas. */
export interface AreaReading {
  /** The areas named, largest first; the last one is what is meant. */
  chain: Area[];
  /** How much of the text they take, UTF-16 code units. */
  length: number;
  /** True when the last name is written with its suffix. */
  full: boolean;
}

interface Name {
  area: Area;
  full: boolean;
}

const names = new Map<string, Name[]>();
let longest = 0;

for (const each of AREAS.values()) {
  // Land that belongs to no municipality is in the table for the sake of its code.
  if (/未定地$|未確定地$/.test(each.name)) continue;
  addName(each.name, each, true);
  const stem = each.name.replace(each.kind === 'prefecture' ? /[都府県]$/ : /[市区町村]$/, '');
  if (stem !== each.name && stem !== '') addName(stem, each, false);
}
for (const alias of ['東京23区', '23区', '特別区']) addName(alias, AREAS.get(SPECIAL_WARDS_CODE)!, true);

/**
 * Every way to read the beginning of a normalised text as area names: longest first, and among equally long
 * ones those written with their suffix first. Districts (郡) before towns and villages are passed over.
 */
export function readAreaNames(text: string): AreaReading[] {
  const readings: AreaReading[] = [];
  const read = (chain: Area[], from: number): void => {
    const outer = chain.at(-1);
    const district =
      outer === undefined || outer.kind === 'prefecture'
        ? /^[^市区町村\d]{1,5}?郡/.exec(text.slice(from))
        : null;
    for (const at of district === null ? [from] : [from, from + district[0].length]) {
      for (let end = Math.min(text.length, at + longest); end > at; end--) {
        for (const { area: found, full } of names.get(text.slice(at, end)) ?? []) {
          if (outer !== undefined && !isWithin(found, outer)) continue;
          if (at !== from && !/[町村]$/.test(found.name)) continue;
          const reading = { chain: [...chain, found], length: end, full };
          readings.push(reading);
          if (end < text.length) read(reading.chain, end);
        }
      }
    }
  };
  read([], 0);
  return readings.sort((a, b) => b.length - a.length || Number(b.full) - Number(a.full));
}

/** Names from the prefecture down to the area, as in an address. */
export function fullAreaName(code: string): string {
  let name = '';
  for (
    let each = area(code);
    each !== undefined;
    each = each.parent === null ? undefined : area(each.parent)
  ) {
    // 東京都23区 begins with its prefecture already.
    name = name.startsWith(each.name) ? name : each.name + name;
  }
  return name;
}

function isWithin(inner: Area, outer: Area): boolean {
  if (outer.kind === 'prefecture') return inner.kind !== 'prefecture' && inner.code.startsWith(outer.code);
  if (outer.code === SPECIAL_WARDS_CODE) return isSpecialWard(inner.code);
  return wardsOf(outer.code).includes(inner);
}

function addName(text: string, each: Area, full: boolean): void {
  const key = normalizePlaceName(text);
  longest = Math.max(longest, key.length);
  const known = names.get(key);
  if (known === undefined) names.set(key, [{ area: each, full }]);
  else known.push({ area: each, full });
}
