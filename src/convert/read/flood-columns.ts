/**
 * Risks of water as columns, under the names that published tiles have: `{river}（{administrator}管理区間）_{scale}_浸水ランク` for a river,
 * `津波浸水想定_{area}_浸水ランク` and its kin for other waters. Clients find and colour them by these names.
 */
import { numberOf } from '../../citygml/attributes/attribute-values.ts';
import type { CodeLabels } from '../../citygml/attributes/attributes.ts';
import { localName, type XmlElement } from '../../citygml/xml/feature-xml.ts';
import type { Column } from './column.ts';

/** What stands before the area, by what the name of the record's type holds; rivers have none. */
const KINDS: ReadonlyArray<readonly [type: RegExp, title: string | null]> = [
  [/Tsunami/, '津波浸水想定'],
  [/HighTide/, '高潮浸水想定'],
  [/InlandFlooding/, '内水浸水想定'],
  [/ReservoirFlooding/, 'ため池浸水想定'],
  [/River|Flooding/, null],
];

/** Whether the name is that of a risk of water: `uro:RiverFloodingRiskAttribute`, in i-UR 1.4 `uro:BuildingTsunamiRiskAttribute`. */
export function isFloodRisk(name: string): boolean {
  return /^ur[a-z]:\w*RiskAttribute$/.test(name) && KINDS.some(([type]) => type.test(name));
}

/** What one record says. */
interface Flood {
  /** What its columns begin with. */
  base: string;
  /** `rank`, or `rankOrg` with codes of its own. */
  rankName: string | null;
  rank: number;
  depth: number;
  duration: number;
  columns: Column[];
}

/** The columns of all records of a feature. Of records whose columns have the same names, those of the worst, whole. */
export function floodColumns(risks: readonly XmlElement[], labels: CodeLabels): Column[] {
  const worst = new Map<string, Flood>();
  for (const risk of risks) {
    const flood = floodOf(risk, labels);
    if (flood === null) continue;
    const known = worst.get(flood.base);
    if (known === undefined || isWorse(flood, known)) worst.set(flood.base, flood);
  }
  return [...worst.values()].flatMap(({ columns }) => columns);
}

/** Ranks of different lists cannot be compared: then the depth counts. Records that are equal in one thing are compared by the next. */
function isWorse(a: Flood, b: Flood): boolean {
  const pairs: Array<[number, number]> = [
    [a.depth, b.depth],
    [a.duration, b.duration],
  ];
  if (a.rankName === b.rankName) pairs.unshift([a.rank, b.rank]);
  for (const [one, other] of pairs) if (one !== other) return one > other;
  return a.rank > b.rank;
}

/** Null for a river without a name. */
function floodOf(risk: XmlElement, labels: CodeLabels): Flood | null {
  const base = baseOf(risk, labels);
  if (base === '') return null;
  const columns: Column[] = [];
  const rank = childOf(risk, 'rank') ?? childOf(risk, 'rankOrg');
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
  const [depth, duration] = [measureOf(risk, 'depth'), measureOf(risk, 'duration')];
  if (depth !== null) columns.push({ name: `${base}_浸水深`, type: 'FLOAT64', value: depth });
  if (duration !== null) columns.push({ name: `${base}_浸水継続時間`, type: 'FLOAT64', value: duration });
  const order = numberOf(code);
  return {
    base,
    rankName: code === '' ? null : localName(rank!.name),
    rank: typeof order === 'number' ? order : -Infinity,
    depth: depth ?? -Infinity,
    duration: duration ?? -Infinity,
    columns,
  };
}

function baseOf(risk: XmlElement, labels: CodeLabels): string {
  const word = (name: string) => {
    const element = childOf(risk, name);
    const code = element?.text.trim() ?? '';
    return code === '' ? null : (labels(element?.attributes.codeSpace ?? '', code) ?? code);
  };
  const title = KINDS.find(([type]) => type.test(risk.name))![1];
  const area = word('description');
  if (title !== null) return area === null ? title : `${title}_${area}`;
  const [administrator, scale] = [word('adminType'), word('scale')];
  if (area === null) return '';
  const river = administrator === null ? area : `${area}（${administrator}管理区間）`;
  return scale === null ? river : `${river}_${scale}`;
}

/** Null for none, and for -9999: not known. */
function measureOf(risk: XmlElement, name: string): number | null {
  const value = numberOf(childOf(risk, name)?.text.trim() ?? '');
  return typeof value === 'number' && value >= 0 ? value : null;
}

function childOf(element: XmlElement, local: string): XmlElement | undefined {
  return element.children.find((child) => localName(child.name) === local);
}
