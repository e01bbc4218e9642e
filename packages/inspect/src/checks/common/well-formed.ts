/** L01: a file is well-formed XML, and declares its prefixes. */
import { defineCheck, IN_FILE } from '../../check.ts';

/** Reading the file finds the fault, since a part of a text is shown to no check. */
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
  inPassing: 'extent',
  open: () => null,
});
