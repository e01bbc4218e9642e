import { finish, type Steps } from '@citymodel/base';
import { SaxesParser } from 'saxes';

/** Code → description. */
export type CodeList = ReadonlyMap<string, string>;

/** The description of a code in the list that a `codeSpace` (as written in the file) names, if there is one. */
export type CodeLabels = (codeSpace: string, code: string) => string | undefined;

/** Characters of one step: of hostile text, some thousand elements or attributes. */
const STEP = 8 * 1024;

/** Ends the reading. */
class Fault extends Error {}

/**
 * Reads a GML dictionary (GML 3.1 `gml:Dictionary`, OGC 03-105r1 clause 16; GML 3.2 likewise): of each definition the
 * names, or its identifier where it has no name, are the codes and the description is the label. White space around and
 * inside labels is collapsed. A byte order mark, prefixes and the letter case of element names do not matter. Where the
 * text is not well formed, what precedes the fault counts. The first of two definitions of a code counts.
 */
export function parseCodeList(bytes: Uint8Array): CodeList {
  return finish(codeListInSteps(bytes));
}

/** The same in steps, between which others may go first: a list of 2 MB may hold half a million elements. */
export function* codeListInSteps(bytes: Uint8Array): Steps<CodeList> {
  const list = new Map<string, string>();
  const parser = new SaxesParser();
  let codes: string[] = [];
  let identifier = '';
  let description: string | null = null;
  let inDefinition = false;
  let text = '';

  // What follows does not count, and may be a fault in every character.
  parser.on('error', (error) => {
    throw new Fault(error.message);
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
    if (!inDefinition) return;
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
  const all = new TextDecoder().decode(bytes).trimStart();
  try {
    for (let at = 0; at < all.length; at += STEP) {
      parser.write(all.slice(at, at + STEP));
      yield;
    }
    parser.close();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  return list;
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

function isDefinition(name: string): boolean {
  return local(name) === 'definition';
}
