/** An area typed or searched for instead of drawn. */
import { isMeshCode, meshOf } from '../../../src/geo/mesh.ts';
import { parseSpatialId, spatialIdBounds } from '../../../src/geo/spatial-id.ts';
import { formatArea, parseArea } from '../core/area.ts';

/** The area as the address bar writes it, of mesh codes, a municipality code, or west,south,east,north; null for what is none. */
export function areaFromText(typed: string): string | null {
  const text = typed.normalize('NFKC').trim();
  const parts = text.split(/[\s,、]+/).filter((part) => part !== '');
  const numbers = parts.map(Number);
  let candidate = text;
  if (parts.length > 0 && parts.every(isMeshCode)) candidate = `m:${parts.join(',')}`;
  else if (parts.length === 4 && numbers.every(Number.isFinite)) candidate = `b:${numbers.join(',')}`;
  const area = parseArea(candidate);
  return area === null ? null : formatArea(area);
}

/** The area that a condition of the file search stands for; null outside the grid of meshes. */
export function areaFromCondition(condition: string): string | null {
  const plain = condition.replace(/^g:/, '');
  const typed = areaFromText(plain);
  if (typed !== null) return typed;
  if (condition.startsWith('m:')) return parseArea(condition) === null ? null : condition;
  if (condition.startsWith('s:')) {
    return formatArea({ kind: 'box', bounds: spatialIdBounds(parseSpatialId(condition.slice(2))) });
  }
  const point = /^r:(-?[\d.]+),(-?[\d.]+)$/.exec(condition);
  if (point === null) return parseArea(condition) === null ? null : condition;
  try {
    return `m:${meshOf(Number(point[1]), Number(point[2]), 8)}`;
  } catch {
    // Outside the grid of meshes there is no data.
    return null;
  }
}
