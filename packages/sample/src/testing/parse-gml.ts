/** XML as a tree, for tests. */
import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';

export interface XmlNode {
  name: string;
  attributes: Record<string, string>;
  children: XmlNode[];
  text: string;
}

/** The root element. Fails the test at the first thing that is not well formed, undeclared prefixes too. */
export function parseXml(text: string): XmlNode {
  const parser = new SaxesParser({ xmlns: true });
  const top: XmlNode = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  parser.on('error', (error) => assert.fail(error));
  parser.on('opentag', (tag) => {
    const attributes = Object.fromEntries(
      Object.values(tag.attributes).map(({ name, value }) => [name, value]),
    );
    const node = { name: tag.name, attributes, children: [], text: '' };
    open.at(-1)!.children.push(node);
    open.push(node);
  });
  parser.on('text', (value) => {
    open.at(-1)!.text += value;
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return top.children[0]!;
}

/** The node and everything in it, in document order. */
export function* descendants(node: XmlNode): Generator<XmlNode> {
  yield node;
  for (const child of node.children) yield* descendants(child);
}

/** All elements of a name below the node. */
export function all(node: XmlNode, name: string): XmlNode[] {
  return [...descendants(node)].filter((element) => element.name === name);
}

/** Points of a `gml:posList`: latitude, longitude, altitude. */
export function positions(posList: XmlNode): Array<[number, number, number]> {
  const numbers = posList.text.trim().split(/\s+/).map(Number);
  assert.equal(numbers.length % 3, 0);
  return Array.from(
    { length: numbers.length / 3 },
    (_, i) => numbers.slice(i * 3, i * 3 + 3) as [number, number, number],
  );
}
