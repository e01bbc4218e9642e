/** Ways through the elements of a member. */
import { localName, type XmlElement } from '@citymodel/citygml';

/** The path of an element as official tables write it: tags from the feature on, joined by `/`. */
export function xpathOf(element: XmlElement, above: readonly XmlElement[]): string {
  return [...above, element].map(({ name }) => name).join('/');
}

/** All elements below one, and itself, parents first. */
export function* elementsOf(element: XmlElement): Generator<XmlElement, void, void> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}

/** The gml:id of an element; null when it has none. */
export function idOf(element: XmlElement): string | null {
  return element.attributes['gml:id'] ?? null;
}

/** Children of a local name, whatever their prefix. */
export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => localName(child.name) === name);
}

/** The first child of a local name. */
export function childNamed(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => localName(child.name) === name);
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
