/**
 * Risks of water as columns, under the names that published tiles have: `{river}（{administrator}管理区間）_{scale}_浸水ランク`
 * for a river, `津波浸水想定_{area}_浸水ランク` and its kin for other waters. Clients find and colour them by these names.
 */
import { type CodeLabels, localName, numberOf, Remembered, type XmlElement } from '@citymodel/citygml';
import type { RowValues } from '../account/attribute-account.ts';
import type { Column } from './column.ts';

/** What stands before the area, by what the name of the record's type holds; rivers have none. */
const KINDS: ReadonlyArray<readonly [type: RegExp, title: string | null]> = [
  [/Tsunami/, '津波浸水想定'],
  [/HighTide/, '高潮浸水想定'],
  [/InlandFlooding/, '内水浸水想定'],
  [/ReservoirFlooding/, 'ため池浸水想定'],
  [/River|Flooding/, null],
];

/**
 * Whether the name is that of a risk of water: `uro:RiverFloodingRiskAttribute`, in i-UR 1.4
 * `uro:BuildingTsunamiRiskAttribute`.
 */
export function isFloodRisk(name: string): boolean {
  return risks.of(name) !== null;
}

/** By the name of the type: what stands before the area; null for what is no risk of water. */
const risks = new Remembered((name) => {
  if (!/^ur[a-z]:\w*RiskAttribute$/.test(name)) return null;
  const kind = KINDS.find(([type]) => type.test(name));
  return kind === undefined ? null : { title: kind[1] };
});

const MEASURES = new Set(['depth', 'duration']);
const FIELDS = new Set(['description', 'adminType', 'scale', 'rank', 'rankOrg', ...MEASURES]);

/** What one record says. */
interface Flood {
  risk: XmlElement;
  fields: ReadonlyMap<string, XmlElement>;
  /** What its columns begin with; empty for a river without a name, which has none. */
  base: string;
  /** `rank`, or `rankOrg` with codes of its own. */
  rankName: string | null;
  rank: number;
  depth: number;
  duration: number;
  columns: Column[];
}

/** The columns of all records of a feature. Of records whose columns have the same names, those of the worst, whole. */
export function floodColumns(
  records: readonly XmlElement[],
  labels: CodeLabels,
  values: RowValues | null = null,
): Column[] {
  if (records.length === 0) return [];
  const worst = new Map<string, Flood>();
  const floods = records.map((risk) => floodOf(risk, labels));
  for (const flood of floods) {
    if (flood.base === '') continue;
    const known = worst.get(flood.base);
    if (known === undefined || isWorse(flood, known)) worst.set(flood.base, flood);
  }
  if (values !== null) for (const flood of floods) noteFlood(flood, worst.get(flood.base) === flood, values);
  return [...worst.values()].flatMap(({ columns }) => columns);
}

/** What became of the values of a record; `isShown`: its columns are those of the row. */
function noteFlood({ risk, fields, base }: Flood, isShown: boolean, values: RowValues): void {
  for (const child of risk.children) {
    const isUsed = fields.get(localName(child.name)) === child && !(fields.has('rank') && isOther(child));
    if (!isUsed || base === '') values.leaveProperty(risk.name, child);
    else if (!isShown) values.note(risk.name, child.name, 'WORSE_SHOWN');
    else if (child.text.trim() === '') values.note(risk.name, child.name, 'EMPTY');
    else {
      const isUnknown = MEASURES.has(localName(child.name)) && measureOf(child) === null;
      values.note(risk.name, child.name, isUnknown ? 'VALUE_UNKNOWN' : 'COLUMN');
    }
  }
}

/** The rank by the codes of one administrator, where there is one by those of all. */
function isOther({ name }: XmlElement): boolean {
  return localName(name) === 'rankOrg';
}

/** Properties of a record that its columns are made of, the first of each name. */
function fieldsOf(risk: XmlElement): Map<string, XmlElement> {
  const fields = new Map<string, XmlElement>();
  for (const child of risk.children) {
    const local = localName(child.name);
    if (FIELDS.has(local) && !fields.has(local)) fields.set(local, child);
  }
  return fields;
}

/**
 * Ranks of different lists cannot be compared: then the depth counts. Records that are equal in one thing are compared
 * by the next.
 */
function isWorse(a: Flood, b: Flood): boolean {
  const pairs: Array<[number, number]> = [
    [a.depth, b.depth],
    [a.duration, b.duration],
  ];
  if (a.rankName === b.rankName) pairs.unshift([a.rank, b.rank]);
  for (const [one, other] of pairs) if (one !== other) return one > other;
  return a.rank > b.rank;
}

function floodOf(risk: XmlElement, labels: CodeLabels): Flood {
  const fields = fieldsOf(risk);
  const base = baseOf(risk.name, fields, labels);
  const columns: Column[] = [];
  const rank = fields.get('rank') ?? fields.get('rankOrg');
  const code = rank?.text.trim() ?? '';
  if (code !== '') {
    const number = numberOf(code);
    const isNumber = typeof number === 'number' && Number.isInteger(number);
    const word = labels(rank!.attributes.codeSpace ?? '', code) ?? code;
    columns.push(
      { name: `${base}_浸水ランク`, type: 'STRING', value: word },
      {
        name: `${base}_浸水ランクコード`,
        type: isNumber ? 'INT32' : 'STRING',
        value: isNumber ? number : code,
      },
    );
  }
  const [depth, duration] = [measureOf(fields.get('depth')), measureOf(fields.get('duration'))];
  if (depth !== null) columns.push({ name: `${base}_浸水深`, type: 'FLOAT64', value: depth });
  if (duration !== null) columns.push({ name: `${base}_浸水継続時間`, type: 'FLOAT64', value: duration });
  const order = numberOf(code);
  return {
    ...{ risk, fields, base },
    rankName: code === '' ? null : localName(rank!.name),
    rank: typeof order === 'number' ? order : -Infinity,
    depth: depth ?? -Infinity,
    duration: duration ?? -Infinity,
    columns,
  };
}

function baseOf(type: string, fields: ReadonlyMap<string, XmlElement>, labels: CodeLabels): string {
  const word = (name: string) => {
    const element = fields.get(name);
    const code = element?.text.trim() ?? '';
    return code === '' ? null : (labels(element?.attributes.codeSpace ?? '', code) ?? code);
  };
  const { title } = risks.of(type)!;
  const area = word('description');
  if (title !== null) return area === null ? title : `${title}_${area}`;
  const [administrator, scale] = [word('adminType'), word('scale')];
  if (area === null) return '';
  const river = administrator === null ? area : `${area}（${administrator}管理区間）`;
  return scale === null ? river : `${river}_${scale}`;
}

/** Null for none, and for -9999: not known. */
function measureOf(element: XmlElement | undefined): number | null {
  const value = numberOf(element?.text.trim() ?? '');
  return typeof value === 'number' && value >= 0 ? value : null;
}
