import { SaxesParser } from 'saxes';

/** Code → description. */
export type CodeList = ReadonlyMap<string, string>;

/**
 * Reads a GML dictionary (GML 3.1 `gml:Dictionary`, OGC 03-105r1 clause 16; GML 3.2 likewise): of each definition the
 * names, or its identifier where it has no name, are the codes and the description is the label. White space around and
 * inside labels is collapsed. A byte order mark, prefixes and the letter case of element names do not matter. Where the
 * text is not well formed, what precedes the fault counts. The first of two definitions of a code counts.
 */
export function parseCodeList(bytes: Uint8Array): CodeList {
  const list = new Map<string, string>();
  const parser = new SaxesParser();
  let codes: string[] = [];
  let identifier = '';
  let description: string | null = null;
  let inDefinition = false;
  let text = '';
  let failed = false;

  parser.on('error', () => {
    failed = true;
  });
  parser.on('opentag', (tag) => {
    text = '';
    if (isDefinition(tag.name)) {
      inDefinition = true;
      codes = [];
      identifier = '';
      description = null;
    }
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('cdata', (part) => {
    text += part;
  });
  parser.on('closetag', (tag) => {
    if (failed || !inDefinition) return;
    const value = text.replace(/\s+/g, ' ').trim();
    const name = local(tag.name);
    if (name === 'name') codes.push(value);
    else if (name === 'identifier') identifier = value;
    else if (name === 'description') description ??= value;
    else if (isDefinition(tag.name)) {
      inDefinition = false;
      if (codes.length === 0 && identifier !== '') codes.push(identifier);
      for (const code of codes) {
        if (description !== null && code !== '' && !list.has(code)) list.set(code, description);
      }
    }
    text = '';
  });

  // TextDecoder drops the byte order mark; blanks before the XML declaration would be a fault.
  parser.write(new TextDecoder().decode(bytes).trimStart()).close();
  return list;
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

function isDefinition(name: string): boolean {
  return local(name) === 'definition';
}
