import { withoutEnd } from '@citymodel/base';
import { type AreaNames, builtInAreaNames } from './area-reading.ts';
import { normalizePlaceName } from './normalise-place-name.ts';

/*
 * Names of places as they are kept in the gazetteer's rows: the town of an address, the name of a building.
 */

/** The numbered part of a town. */
const DISTRICT = '丁目';

/**
 * The town that an address lies in, normalised: what remains when prefecture, municipality and ward before it
 * and the house number behind it are taken away. Null when nothing remains. `areas` is for names that the
 * built-in table lacks.
 *
 * @example townOf('東京都大田区羽田空港三丁目4-5') // '羽田空港3丁目'
 */
export function townOf(address: string, areas: AreaNames = builtInAreaNames()): string | null {
  const text = normalizePlaceName(address);
  let town = text;
  for (const reading of areas.read(text)) {
    const rest = text.slice(reading.length);
    if (!reading.full) continue;
    if (rest === '') return null;
    // 池田町1丁目 is a town of that name in some city; 富山県魚津市1-1 is a city and a house number.
    if (/^\d{1,9}(?!\d|条|線|番町)/.test(rest) && reading.chain[0]!.kind !== 'prefecture') continue;
    town = rest;
    break;
  }
  const district = town.indexOf(DISTRICT);
  if (district >= 0) town = town.slice(0, district + DISTRICT.length);
  town = withoutEnd(town.replace(/\d{1,9}(?!\d|丁目|条|線|番町|町|区).*/s, ''), '-');
  return town === '' ? null : town;
}

/**
 * The normalised names under which a place can be looked up, the most precise first: a town with its 丁目 also
 * without it. None when the text names no place.
 */
export function placeKeys(
  place: { name: string; kind: 'town' | 'building' },
  areas: AreaNames = builtInAreaNames(),
): string[] {
  if (place.kind === 'building') {
    const name = normalizePlaceName(place.name);
    return name === '' ? [] : [name];
  }
  const town = townOf(place.name, areas);
  if (town === null) return [];
  const district = town.replace(/\d{1,9}丁目$/, '');
  return district === '' || district === town ? [town] : [town, district];
}
