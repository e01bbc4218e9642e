/** L02: a file follows the XML schemas of CityGML, GML and i-UR. */
import { type CheckFacts, defineCheck, type FileContext, type FileVisitor, IN_FILE } from '../../check.ts';
import type { OwnSchemas } from '../../schema/own/own-schemas.ts';
import { validateText } from '../../schema/validate-text.ts';
import type { SchemaFault } from '../../schema/validator.ts';

/** Faults of a file that are kept; all are counted. */
const KEPT = 10_000;

/** Faults that are errors, and those that are none while the schemas of specification 6 are not final. */
interface FileFaults {
  errors: KeptFaults;
  drafts: KeptFaults;
}

interface KeptFaults {
  kept: Array<Pick<SchemaFault, 'line' | 'message'>>;
  left: number;
}

const found = new WeakMap<object, Promise<FileFaults>>();

/** Validates a file once for both checks. */
function faultsOf(file: FileContext): Promise<FileFaults> {
  let faults = found.get(file.shared);
  if (faults === undefined) {
    faults = validate(file);
    found.set(file.shared, faults);
  }
  return faults;
}

/** By schemas that somebody brings along: every fault is an error. */
async function compare(file: FileContext, schemas: OwnSchemas): Promise<FileFaults> {
  const { faults, left, skipped } = await schemas.compare(file.bytes, file.text());
  if (skipped !== null) file.skipped(skipped);
  return { errors: { kept: faults, left }, drafts: { kept: [], left: 0 } };
}

async function validate(file: FileContext): Promise<FileFaults> {
  const { schemas } = file.package;
  if (schemas !== null) return compare(file, schemas);
  const faults: FileFaults = { errors: { kept: [], left: 0 }, drafts: { kept: [], left: 0 } };
  const isDraft = file.spec === 6;
  await validateText(file.text(), {
    goesOn: isDraft,
    skipped: (reason) => file.skipped(reason),
    onFault(fault) {
      const isMild = isDraft && (fault.kind !== 'other' || fault.isAfterDisorder);
      const list = isMild ? faults.drafts : faults.errors;
      if (list.kept.length < KEPT) list.kept.push(fault);
      else list.left++;
    },
  });
  return faults;
}

function visitor(file: FileContext, which: keyof FileFaults): FileVisitor<undefined> {
  return {
    async end() {
      const { kept, left } = (await faultsOf(file))[which];
      for (const { line, message } of kept) {
        file.report({ id: null, line, message, row: { line, type: 'SchemaError', desc: message } });
      }
      if (left > 0) file.report({ id: null, message: `There are ${left} further faults.`, errors: left });
      return undefined;
    },
  };
}

const COMMON = {
  folders: null,
  table: { file: '01_共通_L02エラー', columns: [...IN_FILE, 'line', 'type', 'desc'] },
} satisfies Partial<CheckFacts>;

export const SCHEMAS = defineCheck({
  ...COMMON,
  code: 'L02',
  name: 'L02エラー',
  title: { ja: 'XMLスキーマ', en: 'XML schemas' },
  rule: {
    ja: 'ファイルが CityGML、GML、i-UR の XML スキーマに従うこと。同じ行の同じ内容は一件と数える。',
    en: 'The file follows the XML schemas of CityGML, GML and i-UR. The same fault in the same line is one error.',
  },
  severity: 'error',
  specs: [4, 6],
  summary: 'common',
  iso19107: [902],
  open: (file) => visitor(file, 'errors'),
});

export const SCHEMA_ORDER = defineCheck({
  ...COMMON,
  code: 'L02.order',
  name: 'L02エラー（順序）',
  title: { ja: 'XMLスキーマの順序と日時', en: 'Order and dates by XML schemas' },
  rule: {
    ja: '子要素の順序がスキーマのとおりであり、dateTime に日付のみを書かないこと。順序の誤りの後にあるものも含め、仕様書第6版のスキーマが確定するまでは警告とする。',
    en:
      'Children are in the order of the schemas, and a dateTime is no mere date. These, and faults after a child ' +
      'in the wrong order, are warnings until the schemas of specification 6 are final.',
  },
  severity: 'warning',
  specs: [6],
  table: null,
  summary: null,
  isOwn: true,
  open: (file) => visitor(file, 'drafts'),
});
