/** L01: a file is well-formed XML, and declares its prefixes. */
import { SaxesParser } from 'saxes';
import { defineCheck, type Finding, IN_FILE } from '../../check.ts';
import type { TextFault } from '../../run/read-file.ts';

const DESCRIPTION = 'Invalid document structure';

/** The text is looked at by whoever reads the file: a part of it is shown to no check. */
export const WELL_FORMED = defineCheck({
  code: 'L01',
  name: 'L01エラー',
  title: { ja: '整形式のXML文書', en: 'Well-formed XML' },
  rule: {
    ja: 'ファイルが整形式のXML文書であり、使用する接頭辞が宣言されていること。',
    en: 'The file is well-formed XML, and every prefix is declared before it is used.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: { file: '01_共通_L01エラー', columns: [...IN_FILE, 'type', 'desc'] },
  summary: 'common',
  iso19107: [901],
  open: () => null,
});

/** One finding for a fault of syntax; where only prefixes are not declared, one for each use of one. Throws what reading the text throws. */
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
