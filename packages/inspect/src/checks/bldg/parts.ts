/** Parts of buildings: no geometry of low levels (their building has it), and joined to each other (L-bldg-02). */
import type { XmlElement } from '@citymodel/citygml';
import { defineCheck, type Member } from '../../check.ts';
import { hasPositions, numbersIn } from '../../coordinates.ts';
import { elementsOf, idOf } from '../../elements.ts';
import { isPassedOver, lodGeometries, polygonsBelow } from '../../geometry/lod-geometry.ts';

const BUILDING = 'bldg:Building';
const PART = 'bldg:BuildingPart';

export const LOW_PARTS = defineCheck({
  code: 'bldg.part',
  name: 'LOD0-1のBuildingPart',
  title: { ja: 'LOD0・LOD1 の建物部分', en: 'Parts of buildings at LOD 0 and 1' },
  rule: {
    ja: '建物部分（bldg:BuildingPart）が LOD0 または LOD1 の幾何を持たないこと。',
    en: 'A bldg:BuildingPart has no geometry of LOD 0 or 1.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_LOD0-1のBuildingPart',
    columns: ['Index', 'Filename', 'lod', 'Building.gml_id', 'BuildingPart.gml_id'],
  },
  summary: 'bldg',
  inPassing: 'attributes',
  open: (file) => ({
    member(member) {
      const seen = new Set<string>();
      for (const { lod, holder, above } of lodGeometries(member)) {
        if (holder.name !== PART || lod > 1) continue;
        const building = above.findLast(({ name }) => name === BUILDING);
        const [id, ref] = [idOf(holder), building === undefined ? null : idOf(building)];
        const key = `${id} ${lod}`;
        if (seen.has(key)) continue;
        seen.add(key);
        file.report({
          id,
          ref,
          line: member.line,
          type: holder.name,
          lod,
          message: `The part has geometry of LOD ${lod}.`,
          row: { lod, 'Building.gml_id': ref ?? '', 'BuildingPart.gml_id': id ?? '' },
        });
      }
    },
  }),
});

export const JOINED_PARTS = defineCheck({
  code: 'L-bldg-02',
  name: 'L-bldg-02 エラー',
  title: { ja: '接していない建物部分', en: 'Parts of buildings that are not joined' },
  rule: {
    ja: '一つの建物の建物部分が、LOD2 以上で同一の面を共有してすべてつながっていること。',
    en: 'The parts of a building are all joined at LOD 2 and above: neighbours share a face.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_L-bldg-02エラー',
    columns: [
      'Index',
      'Filename',
      'Building.gml_id',
      'BuildingPart.gml_id',
      'lod',
      'status',
      'connected_id',
      'connected_parts',
    ],
  },
  summary: 'bldg',
  open: (file) => ({
    member(member) {
      if (isPassedOver(member, file, 'L-bldg-02')) return;
      for (const building of buildingsWithParts(member.feature)) {
        for (const lod of [2, 3, 4]) {
          const groups = groupsOf(building.parts, lod, member);
          if (groups.length === 0 || (groups.length === 1 && groups[0]!.length > 1)) continue;
          groups.forEach((group, connected) => {
            const status = group.length === 1 ? 'alone' : 'partial';
            for (const part of group) {
              const [id, ref] = [idOf(part), idOf(building.element)];
              file.report({
                id,
                ref,
                line: member.line,
                type: part.name,
                lod,
                message:
                  `The part is ${status === 'alone' ? 'joined to no other' : 'not joined to all others'} at ` +
                  `LOD ${lod}.`,
                row: {
                  'Building.gml_id': ref ?? '',
                  'BuildingPart.gml_id': id ?? '',
                  lod,
                  status,
                  connected_id: connected,
                  connected_parts: group.length,
                },
              });
            }
          });
        }
      }
    },
  }),
});

function* buildingsWithParts(feature: XmlElement): Generator<{ element: XmlElement; parts: XmlElement[] }> {
  for (const element of elementsOf(feature)) {
    if (element.name !== BUILDING) continue;
    const parts = element.children.flatMap(({ children }) => children.filter(({ name }) => name === PART));
    if (parts.length > 0) yield { element, parts };
  }
}

/** Parts that have geometry of a level, in groups that hang together, the largest first. */
function groupsOf(parts: readonly XmlElement[], lod: number, member: Member): XmlElement[][] {
  const byRing = new Map<string, number>();
  const group = parts.map((_, part) => part);
  const rootOf = (part: number): number => (group[part] === part ? part : rootOf(group[part]!));
  const present = new Set<number>();
  for (const { lod: level, holder, above, property } of lodGeometries(member)) {
    if (level !== lod) continue;
    const part = parts.findIndex((one) => one === holder || above.includes(one));
    if (part < 0) continue;
    present.add(part);
    for (const polygon of polygonsBelow(property, member)) {
      const ring = ringKey(polygon);
      if (ring === null) continue;
      const other = byRing.get(ring);
      if (other === undefined) byRing.set(ring, part);
      else group[rootOf(part)] = rootOf(other);
    }
  }
  const groups = new Map<number, XmlElement[]>();
  for (const part of [...present].sort((a, b) => a - b)) {
    const root = rootOf(part);
    groups.set(root, [...(groups.get(root) ?? []), parts[part]!]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

/** The exterior of a polygon whatever position it begins with and whichever way it runs; null for none. */
function ringKey(polygon: XmlElement): string | null {
  const exterior = polygon.children.find(({ name }) => name === 'gml:exterior');
  if (exterior === undefined) return null;
  const numbers: number[] = [];
  for (const element of elementsOf(exterior)) if (hasPositions(element)) numbers.push(...numbersIn(element));
  const points: string[] = [];
  for (let i = 0; i + 2 < numbers.length; i += 3) points.push(numbers.slice(i, i + 3).join(' '));
  if (points.length > 1 && points[0] === points.at(-1)) points.pop();
  if (points.length < 3) return null;
  return [fromLeast(points), fromLeast(points.toReversed())].sort()[0]!;
}

function fromLeast(points: readonly string[]): string {
  let least = 0;
  for (let i = 1; i < points.length; i++) if (points[i]! < points[least]!) least = i;
  return [...points.slice(least), ...points.slice(0, least)].join(',');
}
