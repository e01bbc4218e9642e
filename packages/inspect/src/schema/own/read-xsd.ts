/** What an XSD says of itself and of others, and its text with other locations. */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { SchemasRefused, type XsdFile } from './own-schemas.ts';

export const XSD = 'http://www.w3.org/2001/XMLSchema';

/** An import, an include or a redefinition. */
export interface XsdReference {
  isImport: boolean;
  /** Namespace of an import; null for none. */
  namespace: string | null;
  /** As written; null where an import has none. */
  location: string | null;
  /** 1-based. */
  line: number;
  /** Where its start tag begins and ends in the text, UTF-16 units. */
  start: number;
  end: number;
  tag: Pick<SaxesTagNS, 'name' | 'isSelfClosing'> & { attributes: Array<[name: string, value: string]> };
}

export interface Xsd {
  path: string;
  text: string;
  /** Its target namespace; null for none. */
  namespace: string | null;
  references: XsdReference[];
}

const REFERENCES = new Set(['import', 'include', 'redefine']);
/**
 * Throws SchemasRefused for a text that is not well-formed, is no schema, or declares entities: these could read other
 * files, and let texts grow.
 */
export function readXsd({ path, bytes }: XsdFile): Xsd {
  const refuse = (why: string): never => {
    throw new SchemasRefused(`The XSD ${path} cannot be used: ${why}`);
  };
  let text: string;
  try {
    // The mark of the byte order is dropped.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('it is not UTF-8.');
  }
  const xsd: Xsd = { path, text, namespace: null, references: [] };
  const parser = new SaxesParser({ xmlns: true });
  let depth = 0;
  parser.on('error', (error) => refuse(`it is not well-formed: ${error.message}.`));
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) refuse('it declares entities.');
  });
  parser.on('opentag', (tag) => {
    depth++;
    if (depth === 1) {
      if (tag.uri !== XSD || tag.local !== 'schema') refuse('its root is no xs:schema.');
      xsd.namespace = attributeOf(tag, 'targetNamespace');
    } else if (depth === 2 && tag.uri === XSD && REFERENCES.has(tag.local)) {
      const end = parser.position;
      xsd.references.push({
        isImport: tag.local === 'import',
        namespace: attributeOf(tag, 'namespace'),
        location: attributeOf(tag, 'schemaLocation'),
        line: parser.line,
        // An attribute cannot have this character.
        start: text.lastIndexOf('<', end - 1),
        end,
        tag: {
          name: tag.name,
          isSelfClosing: tag.isSelfClosing,
          attributes: Object.values(tag.attributes).map(({ name, value }) => [name, value]),
        },
      });
    }
  });
  parser.on('closetag', () => {
    depth--;
  });
  parser.write(text).close();
  return xsd;
}

function attributeOf({ attributes }: SaxesTagNS, name: string): string | null {
  return attributes[name]?.value ?? null;
}

/** The text with the locations that a function names; lines stay where they are. */
export function relocated(
  { text, references }: Xsd,
  locationOf: (reference: XsdReference) => string,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const reference of references) {
    const { start, end, tag } = reference;
    const attributes = tag.attributes.filter(([name]) => name !== 'schemaLocation');
    attributes.push(['schemaLocation', locationOf(reference)]);
    const lines = text.slice(start, end).split('\n').length - 1;
    parts.push(
      text.slice(at, start),
      `<${tag.name}${attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join('')}`,
      '\n'.repeat(lines),
      tag.isSelfClosing ? '/>' : '>',
    );
    at = end;
  }
  return parts.join('') + text.slice(at);
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
