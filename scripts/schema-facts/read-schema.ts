/** Reads an XSD into a light tree whose names know their namespaces. */
import { SaxesParser } from 'saxes';

export interface SchemaNode {
  /** Local name: `complexType`. */
  name: string;
  attributes: Record<string, string>;
  children: SchemaNode[];
  /** Namespaces in scope by prefix. */
  scope: Record<string, string>;
}

/** The root of a schema. Throws what the parser throws on a text that is not well-formed. */
export function readSchema(text: string): SchemaNode {
  const parser = new SaxesParser({ xmlns: true });
  const open: SchemaNode[] = [{ name: '', attributes: {}, children: [], scope: {} }];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1)!;
    const attributes = Object.fromEntries(
      Object.values(tag.attributes).map(({ name, value }) => [name, value]),
    );
    const node = { name: tag.local, attributes, children: [], scope: { ...parent.scope, ...tag.ns } };
    if (tag.uri === 'http://www.w3.org/2001/XMLSchema') parent.children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => open.pop());
  parser.write(text.replace(/^\ufeff/, '')).close();
  return open[0]!.children[0]!;
}
