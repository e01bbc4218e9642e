/** L-frn-01: what kinds of geometry `lodNGeometry` may hold. */
import { defineCheck, IN_FILE } from '../../check.ts';
import { idOf } from '../../elements.ts';

const SURFACES = new Set(['gml:MultiSurface', 'gml:Solid']);
const POINT = new Set(['gml:Point']);
const ANY = new Set(['gml:Point', 'gml:MultiPoint', 'gml:MultiCurve', 'gml:MultiSurface']);

export const GEOMETRY_TYPES = defineCheck({
  code: 'L-frn-01',
  name: 'L-frn-01エラー',
  title: { ja: '空間属性の型', en: 'Kinds of geometry' },
  rule: {
    ja:
      'lod0Geometry から lod3Geometry の値が gml:MultiSurface または gml:Solid であること。汎用都市オブジェクトの LOD0 ' +
      'と数値地形図の図形（DmG）は点・線・面、注記（DmA）は点とする。',
    en:
      'lod0Geometry to lod3Geometry hold a gml:MultiSurface or a gml:Solid. Generic objects at LOD 0 and map ' +
      'symbols (DmG) hold points, curves or surfaces, annotations (DmA) a point.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: {
    file: '01_共通_L-frn-01エラー',
    columns: [...IN_FILE, 'FeatureType', 'gml:id', 'InvalidGeometry'],
  },
  summary: 'common',
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: (name) => PROPERTY.test(name),
    element(element, above, { line }) {
      const lod = PROPERTY.exec(element.name)?.[1];
      if (lod === undefined) return;
      const parent = above.at(-1);
      const holder = parent?.name ?? '';
      const allowed = allowedIn(holder, lod);
      for (const { name } of element.children) {
        if (allowed.has(name)) continue;
        const id = parent === undefined ? null : idOf(parent);
        file.report({
          id,
          ref: name,
          line,
          type: holder,
          lod: Number(lod),
          message: `${element.name} of ${holder} holds ${name}.`,
          row: { FeatureType: holder, 'gml:id': id ?? '', InvalidGeometry: name },
        });
      }
    },
  }),
});

const PROPERTY = /:lod([0-3])Geometry$/;

function allowedIn(holder: string, lod: string): ReadonlySet<string> {
  if (holder.includes(':DmG') || (holder === 'gen:GenericCityObject' && lod === '0')) return ANY;
  return holder.includes(':DmA') ? POINT : SURFACES;
}
