/** L-bldg-06: solids refer to the polygons of their boundary surfaces, and to all of them. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { defineCheck } from '../../check.ts';
import { elementsOf, idOf } from '../../elements.ts';
import { isPassedOver } from '../../geometry/lod-geometry.ts';

const HOLDERS = new Set(['Building', 'BuildingPart', 'Room', 'BuildingRoom']);
const ROOMS = new Set(['Room', 'BuildingRoom']);
const BOUNDARIES = new Set(['bldg:boundedBy', 'core:boundary']);
const MEMBERS = new Set(['gml:surfaceMember', 'gml:baseSurface']);

export const SOLID_REFERENCES = defineCheck({
  code: 'L-bldg-06',
  name: 'L-bldg-06 エラー',
  title: { ja: '立体と境界面の参照', en: 'References between solids and boundary surfaces' },
  rule: {
    ja: 'LOD2 以上の立体が参照するポリゴンと、その境界面のポリゴンが一致すること。',
    en: 'The polygons that a solid of LOD 2 and above refers to are those of its boundary surfaces.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_L-bldg-06エラー',
    columns: [
      'Index',
      'Filename',
      'Building gml:id',
      'Attribute',
      'Unmatched Xlink Tag',
      'Unmatched Xlink ID',
    ],
  },
  summary: 'bldg',
  open: (file) => ({
    looksAt: (name) => HOLDERS.has(localName(name)),
    element(element, _, member) {
      const solids = solidsOf(element);
      if (solids.length === 0 || isPassedOver(member, file, 'L-bldg-06')) return;
      const { line } = member;
      const referred = new Set(solids.flatMap(referencesIn));
      const polygons = new Set(
        element.children.filter(({ name }) => BOUNDARIES.has(name)).flatMap(polygonIdsIn),
      );
      const report = (attribute: string, tag: string, ids: string[]) => {
        if (ids.length === 0) return;
        const [id, joined] = [idOf(element), ids.join(',')];
        file.report({
          id,
          ref: joined,
          line,
          type: element.name,
          message: `${attribute}: ${ids.length} of ${tag} without the other side.`,
          row: {
            'Building gml:id': id ?? '',
            Attribute: attribute,
            'Unmatched Xlink Tag': tag,
            'Unmatched Xlink ID': joined,
          },
        });
      };
      report(
        '参照元 xlink:href',
        localName(solids[0]!.name),
        [...referred].filter((id) => !polygons.has(id)),
      );
      report(
        '参照先 gml:id',
        'gml:Polygon',
        [...polygons].filter((id) => !referred.has(id)),
      );
    },
  }),
});

/** Properties of LOD 2 to 4 whose geometry must be made of boundary surfaces. */
function solidsOf(element: XmlElement): XmlElement[] {
  const local = localName(element.name);
  if (!HOLDERS.has(local)) return [];
  const property = ROOMS.has(local) ? /:lod(?:[234]Solid|[34]MultiSurface)$/ : /:lod[234]Solid$/;
  return element.children.filter(({ name }) => property.test(name));
}

function referencesIn(solid: XmlElement): string[] {
  const ids: string[] = [];
  for (const { name, attributes } of elementsOf(solid)) {
    const href = attributes['xlink:href'];
    if (MEMBERS.has(name) && href !== undefined) ids.push(href.slice(href.indexOf('#') + 1));
  }
  return ids;
}

function polygonIdsIn(boundary: XmlElement): string[] {
  const ids: string[] = [];
  for (const element of elementsOf(boundary)) {
    const id = element.name === 'gml:Polygon' ? idOf(element) : null;
    if (id !== null) ids.push(id);
  }
  return ids;
}
