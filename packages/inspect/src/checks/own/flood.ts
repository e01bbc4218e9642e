/** Records of floods that contradict each other, or themselves. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { defineCheck, type FileContext, type Member } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { OWN } from './facts.ts';

const RECORD = /^(?:River|InlandFlooding|HighTide|Tsunami|Reservoir)\w*RiskAttribute$/;
/** What two records of one flood share. */
const KEYS = ['description', 'adminType', 'scale'];
/** Metres: depths are written with two or three decimals. */
const ROUNDING = 0.005;

export const FLOOD = defineCheck({
  ...OWN,
  code: 'own.flood',
  name: '浸水リスク属性の矛盾',
  title: { ja: '浸水リスク属性の矛盾', en: 'Records of floods that contradict each other' },
  rule: {
    ja: '一つの地物の同じ浸水想定（説明・指定機関・規模）の浸水深とランクが一致し、浸水深がランクの範囲にあること。',
    en: 'Records of a feature about the same flood agree in depth and rank, and a depth lies within its rank.',
  },
  inPassing: 'attributes',
  open(file) {
    let records: XmlElement[] = [];
    return {
      looksAt: (name) => RECORD.test(localName(name)),
      element(element) {
        records.push(element);
      },
      async member(member) {
        const found = records;
        records = [];
        if (found.length > 0) await look(found, member, file);
      },
    };
  },
});

async function look(records: readonly XmlElement[], member: Member, file: FileContext): Promise<void> {
  const report = (message: string, ref: string) => {
    const { feature, line } = member;
    file.report({ id: idOf(feature), ref, line, type: feature.name, message });
  };
  const keyOf = (record: XmlElement) => [record.name, ...KEYS.map((key) => textOf(record, key))].join(' ');
  for (const same of Map.groupBy(records, keyOf).values()) {
    for (const name of ['depth', 'rank']) {
      const values = new Set(same.map((record) => textOf(record, name)).filter((value) => value !== ''));
      if (values.size > 1)
        report(`Records of one flood have the ${name} ${[...values].join(' and ')}.`, name);
    }
  }
  for (const record of records) {
    const rank = record.children.find(({ name }) => localName(name) === 'rank');
    const depth = Number(textOf(record, 'depth') || Number.NaN);
    const codeSpace = rank?.attributes.codeSpace;
    if (rank === undefined || codeSpace === undefined || !(depth >= 0)) continue;
    const words = (await file.package.codeList(codeSpace, file.path))?.get(rank.text);
    const range = words === undefined ? null : rangeOf(words);
    if (range === null || (depth >= range.from - ROUNDING && depth < range.to + ROUNDING)) continue;
    report(`The depth of ${depth} m is not that of its rank, ${words}.`, String(depth));
  }
}

function textOf(record: XmlElement, name: string): string {
  return record.children.find((child) => localName(child.name) === name)?.text.trim() ?? '';
}

/** The range in words such as 0.5m以上3m未満; null where they name none. */
export function rangeOf(words: string): { from: number; to: number } | null {
  const from = /(\d{1,3}(?:\.\d{1,2})?)\s?m以上/.exec(words)?.[1];
  const to = /(\d{1,3}(?:\.\d{1,2})?)\s?m未満/.exec(words)?.[1];
  if (from === undefined && to === undefined) return null;
  return { from: Number(from ?? 0), to: Number(to ?? Infinity) };
}
