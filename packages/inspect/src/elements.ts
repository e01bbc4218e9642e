/** Ways through the elements of a member. */
import type { XmlElement } from '@citymodel/citygml';

/** The path of an element as official tables write it: tags from the feature on, joined by `/`. */
export function xpathOf(element: XmlElement, above: readonly XmlElement[]): string {
  return [...above, element].map(({ name }) => name).join('/');
}

/** The same for an element somewhere below a feature, found by a search: for what is reported, which is little. */
export function xpathBelow(feature: XmlElement, element: XmlElement): string {
  const path: XmlElement[] = [];
  const find = (at: XmlElement, isWanted: (name: string) => boolean): boolean => {
    path.push(at);
    if (at === element) return true;
    if (at.children.some((child) => isWanted(child.name) && find(child, isWanted))) return true;
    path.pop();
    return false;
  };
  // Geometry is most of a feature, and has few of the elements that are asked for.
  const isFound = find(feature, (name) => !name.startsWith('gml:')) || find(feature, () => true);
  return isFound ? xpathOf(element, path.slice(0, -1)) : element.name;
}

/** All elements below one, and itself, parents first. */
export function elementsOf(element: XmlElement, found: XmlElement[] = []): XmlElement[] {
  found.push(element);
  for (const child of element.children) elementsOf(child, found);
  return found;
}

/** The gml:id of an element; null when it has none. */
export function idOf(element: XmlElement): string | null {
  return element.attributes['gml:id'] ?? null;
}

/** Numbers of a `gml:pos` or `gml:posList`; what is no number is NaN. */
export function numbersOf(text: string): number[] {
  const numbers: number[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const isBlank = at === text.length || text.charCodeAt(at) <= 0x20;
    if (isBlank && start >= 0) {
      numbers.push(Number(text.slice(start, at)));
      start = -1;
    } else if (!isBlank && start < 0) {
      start = at;
    }
  }
  return numbers;
}

/**
 * A question about an element that is answered once for all checks that ask. The element carries the answer: what a
 * weak map holds outlives the collection of short-lived objects, and with it the tree of the feature.
 */
export function askedOnce<Answer>(ask: (element: XmlElement) => Answer): (element: XmlElement) => Answer {
  const answer = Symbol('answer');
  return (element) => {
    const holder: XmlElement & { [answer]?: { is: Answer } } = element;
    holder[answer] ??= { is: ask(element) };
    return holder[answer].is;
  };
}

/** Names whose answers are remembered: names come from files. */
const REMEMBERED = 5000;

/** A question about names of elements whose answers are remembered. */
export function remembered<Answer>(ask: (name: string) => Answer): (name: string) => Answer {
  const known = new Map<string, Answer>();
  return (name) => {
    let answer = known.get(name);
    if (answer === undefined) {
      answer = ask(name);
      if (known.size < REMEMBERED) known.set(name, answer);
    }
    return answer;
  };
}
