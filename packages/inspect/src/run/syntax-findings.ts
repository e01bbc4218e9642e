/** What is wrong with a text that is not well-formed, in official counting. */
import { SaxesParser } from 'saxes';
import type { Finding } from '../check.ts';
import type { TextFault } from './read-file.ts';

const DESCRIPTION = 'Invalid document structure';

/**
 * One finding for a fault of syntax; where only prefixes are not declared, one for each use of one. Throws what reading
 * the text throws.
 */
export async function syntaxFindings(fault: TextFault, text: AsyncIterable<Uint8Array>): Promise<Finding[]> {
  const uses = fault.isSyntax ? null : await undeclaredUses(text);
  if (uses === null)
    return [{ id: null, message: fault.message, row: { type: 'SyntaxError', desc: DESCRIPTION } }];
  return uses.map((message) => ({ id: null, message, row: { type: 'NamespaceError', desc: DESCRIPTION } }));
}

/** A parser's messages about prefixes; null when it finds another fault before the end. */
async function undeclaredUses(text: AsyncIterable<Uint8Array>): Promise<string[] | null> {
  const parser = new SaxesParser({ xmlns: true });
  const messages: string[] = [];
  let isSyntax = false;
  parser.on('error', ({ message }) => {
    if (/unbound namespace prefix/i.test(message)) messages.push(message);
    else isSyntax = true;
  });
  const decoder = new TextDecoder();
  for await (const chunk of text) {
    parser.write(decoder.decode(chunk, { stream: true }));
    if (isSyntax) return null;
  }
  parser.write(decoder.decode()).close();
  return isSyntax || messages.length === 0 ? null : messages;
}
