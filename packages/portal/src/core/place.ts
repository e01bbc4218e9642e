/**
 * What a person types into the search field, understood as a condition of operation 7: a municipality code, a mesh
 * code, a spatial ID, a coordinate, else the name of a place.
 */
import { isMeshCode, parseSpatialId } from '@citymodel/geo';

export type PlaceKind = 'code' | 'mesh' | 'spatial-id' | 'point' | 'name';

export interface Place {
  kind: PlaceKind;
  /** The condition as operation 7 takes it, e.g. `m:53394509`. */
  condition: string;
  /** What was typed, tidied. */
  text: string;
}

/** Understands a search text; null when there is nothing in it. */
export function understand(typed: string): Place | null {
  // Full-width digits, letters and separators are what a Japanese keyboard gives.
  const text = typed.normalize('NFKC').trim();
  if (text === '') return null;
  const plain = text.replace(/^(m|mm|s|g|r):/, '');
  const prefix = text === plain ? '' : text.slice(0, text.indexOf(':'));
  if (prefix === 'g') return named(plain);
  const digits = plain.replace(/[-\s]/g, '');
  if (/^\d{5}$/.test(digits) && prefix === '') return { kind: 'code', condition: digits, text: digits };
  if ((prefix === '' || prefix.startsWith('m')) && isMeshCode(digits)) {
    return { kind: 'mesh', condition: `m:${digits}`, text: digits };
  }
  if (plain.includes('/') || prefix === 's') {
    const id = plain.replace(/^\//, '');
    if (isSpatialId(id)) return { kind: 'spatial-id', condition: `s:${id}`, text: id };
  }
  const point = /^(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)$/.exec(plain);
  if (point !== null) return coordinates(Number(point[1]), Number(point[2]), text);
  return named(plain);
}

/** Latitude first is what maps on the web show and people paste; a first number above 90 can only be a longitude. */
function coordinates(first: number, second: number, text: string): Place {
  const [lng, lat] = Math.abs(first) > 90 ? [first, second] : [second, first];
  return { kind: 'point', condition: `r:${lng},${lat}`, text };
}

function named(text: string): Place {
  return { kind: 'name', condition: `g:${text}`, text };
}

function isSpatialId(text: string): boolean {
  try {
    parseSpatialId(text);
    return true;
  } catch {
    return false;
  }
}
