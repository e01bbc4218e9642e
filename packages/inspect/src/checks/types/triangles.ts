/**
 * Checks of triangles: floods (06) and relief (08). They look at each triangle as it goes by, so that no file is too
 * large.
 */
import type { XmlElement } from '@citymodel/citygml';
import { type Check, type CheckFacts, defineCheck, type FileContext, type Member } from '../../check.ts';
import { numbersIn } from '../../coordinates.ts';
import type { Ring } from '../../geometry/plane-polygon.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { windingOf } from '../../geometry/winding.ts';
import { polygonsOf } from '../geometry/factories.ts';

/** Consecutive points of a triangle that are nearer on the plane make it a line, metres. */
const FLAT = 0.009;
/** Rounding of relief, metres. */
const RELIEF = 1e-6;

type Fault = 'vertices' | 'unclosed' | 'orientation' | 'degenerate';

const TITLES: Record<Fault, CheckFacts['title'] & { rule: CheckFacts['rule'] }> = {
  vertices: {
    ja: '頂点数が不正な三角形',
    en: 'Triangles without four positions',
    rule: {
      ja: '三角形の頂点が（始点の繰り返しを含め）4点であること。',
      en: 'A triangle has four positions, the last of which repeats the first.',
    },
  },
  unclosed: {
    ja: '閉じていない三角形',
    en: 'Triangles that are not closed',
    rule: { ja: '三角形の終点が始点と一致すること。', en: 'The last position of a triangle is the first.' },
  },
  orientation: {
    ja: '向きが不正な三角形',
    en: 'Triangles that look down',
    rule: {
      ja: '三角形が上から見て反時計回りであること。',
      en: 'A triangle runs counter-clockwise seen from above.',
    },
  },
  degenerate: {
    ja: '線状・点状の三角形',
    en: 'Triangles that are lines or points',
    rule: { ja: '三角形が線や点につぶれていないこと。', en: 'A triangle is no line and no point.' },
  },
};

const FAULTS: readonly Fault[] = ['vertices', 'unclosed', 'orientation', 'degenerate'];

/** Names of the checks of relief, which differ from those of floods. */
const RELIEF_NAMES: Record<Fault, string> = {
  vertices: '不正な頂点の数',
  unclosed: '閉じていない三角形',
  orientation: '三角形の向き不正',
  degenerate: '潰れた三角形',
};

const FLOODS: Record<string, string> = {
  fld: '06_浸水想定区域_洪水',
  tnm: '06_浸水想定区域_津波',
  htd: '06_浸水想定区域_高潮',
  ifld: '06_浸水想定区域_内水',
  rfld: '06_浸水想定区域_ため池',
};

function triangleCheck(
  folder: string,
  fault: Fault,
  name: string,
  faultsOf: (element: XmlElement, above: readonly XmlElement[], file: FileContext) => readonly Fault[],
): Check {
  const { ja, en, rule } = TITLES[fault];
  return defineCheck<undefined>({
    code: `${folder}.${fault}`,
    name,
    title: { ja, en },
    rule,
    severity: 'error',
    specs: [4],
    folders: [folder],
    table: null,
    summary: folder,
    open: (file) => ({
      looksAt: (name) => name === (folder === 'dem' ? 'gml:Triangle' : 'gml:posList'),
      element(element, above, { line, feature }: Member) {
        if (!faultsOf(element, above, file).includes(fault)) return;
        file.report({ id: null, line, type: feature.name, message: ja, position: firstPosition(element) });
      },
    }),
  });
}

/** Elements carry their faults, as they carry their numbers. */
const FAULTS_OF = Symbol('faults');
interface WithFaults extends XmlElement {
  [FAULTS_OF]?: readonly Fault[];
}

/** Positions of a flood are a triangle each; several things may be wrong with one. */
function floodFaults(element: XmlElement, _: readonly XmlElement[], file: FileContext): readonly Fault[] {
  if (element.name !== 'gml:posList') return [];
  const holder: WithFaults = element;
  holder[FAULTS_OF] ??= testFlood(element, file);
  return holder[FAULTS_OF];
}

function testFlood(element: XmlElement, file: FileContext): Fault[] {
  const numbers = numbersIn(element);
  const faults: Fault[] = [];
  const count = numbers.length / 3;
  if (count !== 4) faults.push('vertices');
  const last = numbers.length - 3;
  if (last < 0 || [0, 1, 2].some((axis) => numbers[axis] !== numbers[last + axis])) faults.push('unclosed');
  const ring = polygonsOf(file).positions(element);
  if (count === 4 && windingOf(ring) !== 'counterclockwise') faults.push('orientation');
  if (isFlat(ring)) faults.push('degenerate');
  return faults;
}

/** Fewer than four positions are no triangle but a line or a point. */
function isFlat(ring: Ring): boolean {
  if (ring.length < 12) return true;
  for (let i = 3; i + 2 < ring.length; i += 3) {
    if (Math.hypot(ring[i]! - ring[i - 3]!, ring[i + 1]! - ring[i - 2]!) <= FLAT) return true;
  }
  return false;
}

/** One fault of a `gml:Triangle`, the first. */
function reliefFaults(element: XmlElement, _: readonly XmlElement[], file: FileContext): readonly Fault[] {
  if (element.name !== 'gml:Triangle') return [];
  const holder: WithFaults = element;
  holder[FAULTS_OF] ??= testRelief(element, file);
  return holder[FAULTS_OF];
}

function testRelief(element: XmlElement, file: FileContext): Fault[] {
  const list = positionsOf(element);
  const numbers = list === null ? [] : numbersIn(list);
  if (numbers.length !== 12) return ['vertices'];
  const ring = polygonsOf(file).positions(element);
  const between = (i: number, j: number) =>
    Math.hypot(
      ring[3 * i]! - ring[3 * j]!,
      ring[3 * i + 1]! - ring[3 * j + 1]!,
      ring[3 * i + 2]! - ring[3 * j + 2]!,
    );
  if (between(0, 3) > RELIEF) return ['unclosed'];
  const closed = Float64Array.from(ring);
  closed.copyWithin(9, 0, 3);
  if (windingOf(closed) === 'clockwise') return ['orientation'];
  const sides = [between(0, 1), between(1, 2), between(2, 0)].sort((a, b) => a - b) as [
    number,
    number,
    number,
  ];
  return sides[0] + sides[1] - sides[2] <= RELIEF ? ['degenerate'] : [];
}

function positionsOf(triangle: XmlElement): XmlElement | null {
  if (triangle.name === 'gml:posList') return triangle;
  for (const child of triangle.children) {
    const found = positionsOf(child);
    if (found !== null) return found;
  }
  return null;
}

export const TRIANGLE_CHECKS: readonly Check[] = [
  ...Object.keys(FLOODS).flatMap((folder) =>
    FAULTS.map((fault) => triangleCheck(folder, fault, TITLES[fault].ja, floodFaults)),
  ),
  ...FAULTS.map((fault) => triangleCheck('dem', fault, RELIEF_NAMES[fault], reliefFaults)),
];

/** Which faults of a flood's positions keep them out of comparisons of edges. */
export function isBrokenTriangle(element: XmlElement, file: FileContext): boolean {
  const faults = floodFaults(element, [], file);
  return faults.includes('vertices') || faults.includes('unclosed');
}

/** Whether a triangle of relief has any fault. */
export function isFaultyRelief(element: XmlElement, file: FileContext): boolean {
  return reliefFaults(element, [], file).length > 0;
}

export { FLOODS };
