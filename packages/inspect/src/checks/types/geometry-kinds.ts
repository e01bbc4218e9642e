/** Checks of which kinds of geometry a level of detail may hold. */
import { localName } from '@citymodel/citygml';
import { type Check, defineCheck, type FileContext, IN_FILE, type Member } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { geometryOf, type LodGeometry, lodGeometries } from '../../geometry/lod-geometry.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { factsOf, localRowOf } from './rows.ts';

/** `column`: the official column with the kind that was found. */
export function geometryKindCheck(
  folder: string,
  table: string,
  name: string,
  column: string,
  takes: (geometry: LodGeometry) => boolean,
  isAllowed: (geometry: LodGeometry, kind: string) => boolean,
): Check {
  return defineCheck<undefined>({
    ...factsOf(folder, 'geometry-type', name, table, [...IN_FILE, 'FeatureType', 'LOD', 'gml:id', column]),
    severity: 'error',
    title: { ja: name, en: 'Kinds of geometry' },
    rule: {
      ja: '各 LOD の空間属性が、製品仕様書の定める型であること。',
      en: 'The geometry of a level of detail is of the kind that the specification names.',
    },
    open: (file) => ({
      member(member) {
        for (const geometry of lodGeometries(member)) {
          if (!takes(geometry)) continue;
          for (const element of geometryOf(geometry.property, member)) {
            const kind = localName(element.name);
            if (isAllowed(geometry, kind)) continue;
            report(file, member, geometry, kind, column);
          }
        }
      },
    }),
  });
}

function report(
  file: FileContext,
  member: Member,
  geometry: LodGeometry,
  kind: string,
  column: string,
): void {
  file.report({
    id: idOf(geometry.holder),
    line: member.line,
    type: geometry.holder.name,
    lod: geometry.lod,
    message: `LOD ${geometry.lod} has a ${kind}.`,
    position: firstPosition(geometry.property),
    row: { ...localRowOf(geometry, kind), [column]: kind },
  });
}

/**
 * True when a property says by its name, or by what it holds, that it is of a kind: `lod1Solid`, `lod1Geometry` with a
 * solid.
 */
export function holds(geometry: LodGeometry, kinds: readonly string[]): boolean {
  return geometry.property.children.some(({ name }) => kinds.includes(localName(name)));
}
