/** T-bldg-02: kinds of geometry of building installations. */
import { defineCheck } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { geometryOf, lodGeometries } from '../../geometry/lod-geometry.ts';

const ALLOWED = new Set(['gml:MultiSurface', 'gml:Solid']);

export const INSTALLATIONS = defineCheck({
  code: 'T-bldg-02',
  name: 'T-bldg-02エラー',
  title: { ja: '建物付属物の空間属性の型', en: 'Kinds of geometry of building installations' },
  rule: {
    ja:
      'bldg:BuildingInstallation の lod2Geometry から lod4Geometry が ' +
      'gml:MultiSurface または gml:Solid であること（製品仕様書第6版では常に0件）。',
    en:
      'lod2Geometry to lod4Geometry of a bldg:BuildingInstallation hold a gml:MultiSurface or a gml:Solid. ' +
      'Specification 6 always has none.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_T-bldg-02エラー',
    columns: ['Index', 'Filename', 'Building gml:id', 'BuildingInstallation gml:id', 'GeometryType'],
  },
  summary: 'bldg',
  inPassing: 'attributes',
  open: (file) => ({
    member(member) {
      // Specification 6 has the check without errors: its installations have no such properties.
      if (file.spec === 6) return;
      for (const { lod, holder, property } of lodGeometries(member)) {
        if (holder.name !== 'bldg:BuildingInstallation' || !/:lod[234]Geometry$/.test(property.name))
          continue;
        for (const { name } of geometryOf(property, member)) {
          if (ALLOWED.has(name)) continue;
          const [id, ref] = [idOf(holder), idOf(member.feature)];
          file.report({
            id,
            ref,
            line: member.line,
            type: holder.name,
            lod,
            message: `The installation has a ${name}.`,
            row: {
              'Building gml:id': ref ?? '',
              'BuildingInstallation gml:id': id ?? '',
              GeometryType: name,
            },
          });
        }
      }
    },
  }),
});
