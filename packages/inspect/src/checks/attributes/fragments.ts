/** Features and parts of features whose attributes an object list names. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { askedOnce } from '../../elements.ts';

/** Names that occur in a fragment, and pairs of names that lie in each other. */
export interface Fragment {
  names: ReadonlySet<string>;
  pairs: ReadonlySet<string>;
}

export const fragmentOf = askedOnce((element): Fragment => {
  const [names, pairs] = [new Set<string>(), new Set<string>()];
  const add = (parent: XmlElement) => {
    for (const child of parent.children) {
      names.add(child.name);
      pairs.add(`${parent.name}/${child.name}`);
      if (!child.name.startsWith('gml:')) add(child);
    }
  };
  if (!element.name.startsWith('gml:')) add(element);
  return { names, pairs };
});

/**
 * Whether a fragment lacks a path. It is cut into pairs; the last must occur if all before it do, so that an optional
 * group may be absent.
 */
export function lacks({ names, pairs }: Fragment, path: string): boolean {
  const parts = path.split('/');
  for (let i = 0; i < parts.length; i += 2) {
    const isThere = i + 1 < parts.length ? pairs.has(`${parts[i]}/${parts[i + 1]}`) : names.has(parts[i]!);
    if (!isThere) return i + 2 >= parts.length;
  }
  return false;
}

/**
 * Levels of detail that an element has geometry or words of: those in the names of its children; of relief the level it
 * states.
 */
export function levelsOf(element: XmlElement): number[] {
  const levels = new Set<number>();
  for (const { name, text } of element.children) {
    const lod = name === 'dem:lod' ? text.trim() : /lod([0-4])/.exec(localName(name))?.[1];
    if (lod !== undefined && /^[0-4]$/.test(lod)) levels.add(Number(lod));
  }
  return [...levels].sort();
}
