/** An area typed instead of drawn: mesh codes, a municipality code, or west,south,east,north. */
import { isMeshCode } from '../../../src/geo/mesh.ts';
import { formatArea, parseArea } from '../core/area.ts';

/** The area as the address bar writes it; null for what is none. */
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
