/** An area typed or searched for instead of drawn. */
import { isMeshCode, meshOf, parseSpatialId, spatialIdBounds } from '@citymodel/geo';
import { formatArea, parseArea } from './area.ts';

/**
 * The area as the address bar writes it, of mesh codes, a municipality code, or west,south,east,north; null for what is
 * none.
 */
export function areaFromText(typed: string): string | null {
  const text = typed.normalize('NFKC').trim();
  const parts = text.split(/[\s,、]+/).filter((part) => part !== '');
  const numbers = parts.map(Number);
  let candidate = text;
  if (parts.every(isMeshCode)) candidate = `m:${parts.join(',')}`;
  else if (parts.length === 4 && numbers.every(Number.isFinite)) candidate = `b:${numbers.join(',')}`;
  const area = parseArea(candidate);
  return area === null ? null : formatArea(area);
}

/** Degrees around a point that no mesh holds: files there are found by their extents. */
const AROUND = 0.0005;

/** The area that a condition of the file search stands for; null for what is none. */
export function areaFromCondition(condition: string): string | null {
  const plain = condition.replace(/^g:/, '');
  const typed = areaFromText(plain);
  if (typed !== null) return typed;
  if (condition.startsWith('s:')) {
    return formatArea({ kind: 'box', bounds: spatialIdBounds(parseSpatialId(condition.slice(2))) });
  }
  const point = /^r:(-?[\d.]+),(-?[\d.]+)$/.exec(condition);
  if (point === null) return parseArea(condition) === null ? null : condition;
  const [lng, lat] = [Number(point[1]), Number(point[2])];
  try {
    return `m:${meshOf(lng, lat, 8)}`;
  } catch {
    const [west, east] = [lng - AROUND, lng + AROUND];
    return formatArea({ kind: 'box', bounds: { west, south: lat - AROUND, east, north: lat + AROUND } });
  }
}
