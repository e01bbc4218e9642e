/**
 * Checks of surfaces and solids, made for each type and level of detail with the names that the official report has for
 * them.
 */
import type { XmlElement } from '@citymodel/citygml';
import {
  type BothLanguages,
  type Check,
  type CheckFacts,
  defineCheck,
  type FileContext,
  type Finding,
  type Member,
} from '../../check.ts';
import { idOf } from '../../elements.ts';
import {
  isPassedOver,
  type LodGeometry,
  lodGeometries,
  polygonsBelow,
  solidsBelow,
} from '../../geometry/lod-geometry.ts';
import { firstPosition, PlanePolygons } from '../../geometry/plane-polygon.ts';
import { solidFault } from '../../geometry/solid-test.ts';
import { surfaceIssues } from '../../geometry/surface-test.ts';
import { isClosed, windingOf } from '../../geometry/winding.ts';

/** The facts that differ between types; the rest is the rule's. */
export type NamedFacts = Pick<CheckFacts, 'code' | 'name' | 'specs' | 'folders' | 'table' | 'summary'>;

/** Which geometry a check looks at, and how a row of its table is written. */
export interface Selection {
  takes(geometry: LodGeometry): boolean;
  row(geometry: LodGeometry, issue: string): Finding['row'];
}

const SURFACE_RULE: BothLanguages = {
  ja: '面が閉じており、頂点が十分で重複せず、自己交差がなく、平面（厚さ 0.03 m 以内）であり、穴が外周の内側にあって互いに重ならないこと。',
  en:
    'A surface is closed, has enough points and none twice (0.0099 m), does not cross itself, is flat (0.03 m), ' +
    'and its holes lie inside and apart.',
};

/** The official test of surfaces (L07, L09, L11, L13). */
export function surfaceCheck(facts: NamedFacts, { takes, row }: Selection): Check {
  return geometryCheck(
    {
      ...facts,
      severity: 'error',
      title: { ja: '面のエラー', en: 'Faulty surfaces' },
      rule: SURFACE_RULE,
      iso19107: [101, 102, 103, 104, 201, 203, 206, 207, 208],
    },
    takes,
    (geometry, member, polygons, report) => {
      for (const element of polygonsBelow(geometry.property, member)) {
        for (const issue of surfaceIssues(polygons.of(element))) report(issue, element, row(geometry, issue));
      }
    },
  );
}

/** Surfaces are counter-clockwise seen from above. */
export function orientationCheck(
  facts: NamedFacts,
  { takes, row }: Selection,
  isWrong: (winding: ReturnType<typeof windingOf>, spec: number) => boolean = (winding, spec) =>
    spec === 6 ? winding === 'clockwise' : winding !== 'counterclockwise',
): Check {
  return geometryCheck(
    {
      ...facts,
      severity: 'error',
      title: { ja: '面の向き', en: 'Orientation of surfaces' },
      rule: {
        ja: '面の外周が、上から見て反時計回りであること。',
        en: 'The exterior of a surface runs counter-clockwise seen from above.',
      },
      iso19107: [307],
    },
    takes,
    (geometry, member, polygons, report, file) => {
      for (const element of polygonsBelow(geometry.property, member)) {
        const exterior = polygons.of(element).rings[0];
        if (exterior === undefined || exterior.length < 12 || !isClosed(exterior)) continue;
        // A ring that crosses itself goes round both ways; specification 6 leaves it to the test of surfaces.
        if (file.spec === 6 && surfaceIssues(polygons.of(element)).includes('SelfIntersection')) continue;
        if (isWrong(windingOf(exterior), file.spec)) {
          report('IncorrectOrientation', element, row(geometry, 'IncorrectOrientation'));
        }
      }
    },
  );
}

/** Solids are closed (L14, first part). */
export function closedCheck(
  facts: NamedFacts,
  { takes, row }: Selection,
  issue = 'Surface Not Closed',
): Check {
  return geometryCheck(
    {
      ...facts,
      severity: 'error',
      title: { ja: '非水密立体', en: 'Solids that are not closed' },
      rule: {
        ja: '立体の境界面のすべての辺が、ちょうど二つの面に共有されること（頂点は 0.01 m 以内で同一とみなす）。',
        en: 'Every edge of the faces of a solid is used by two faces; corners within 0.01 m are one.',
      },
      iso19107: [301, 302, 303],
    },
    takes,
    (geometry, member, polygons, report) => {
      for (const solid of solidsBelow(geometry.property, member)) {
        const fault = faultOf(solid, member, polygons);
        if (fault?.issue === 'NotClosed') report(issue, solid, row(geometry, issue), fault.edges);
      }
    },
  );
}

/** Solids hold together and do not cross themselves (L14, second part). */
export function solidCheck(
  facts: NamedFacts,
  { takes, row }: Selection,
  issue = 'InvalidSolidBoundaries',
): Check {
  return geometryCheck(
    {
      ...facts,
      severity: 'error',
      title: { ja: '立体のエラー', en: 'Faulty solids' },
      rule: {
        ja: '立体が一つにつながり、境界面の向きがそろい、自己交差がないこと。',
        en: 'A solid is in one piece, its faces look outwards, and it does not cross itself.',
      },
      iso19107: [305, 306, 307],
    },
    takes,
    (geometry, member, polygons, report, file) => {
      for (const solid of solidsBelow(geometry.property, member)) {
        const fault = faultOf(solid, member, polygons);
        if (fault?.issue === 'NotCompared') {
          file.skipped(`${facts.code}: a solid has too many faces to be compared with each other`);
        } else if (fault !== null && fault.issue !== 'NotClosed') {
          report(issue, solid, row(geometry, issue), fault.edges, `${issue}: ${WORDS[fault.issue]}.`);
        }
      }
    },
  );
}

const WORDS = {
  NotConnected: 'it is in several pieces',
  NotOrientable: 'its faces cannot be turned one way',
  SelfIntersection: 'faces cross',
  WrongFace: 'faces look the wrong way',
  NotTriangulated: 'a face cannot be cut into triangles',
};

/** Solids carry their faults, null for none. */
const FAULT_OF = Symbol('fault');
interface WithFault extends XmlElement {
  [FAULT_OF]?: ReturnType<typeof solidFault>;
}

function faultOf(solid: XmlElement, member: Member, polygons: PlanePolygons): ReturnType<typeof solidFault> {
  const holder: WithFault = solid;
  if (holder[FAULT_OF] === undefined) {
    // A hollow is a shell of its own within a sound solid, and the official test leaves hollows out.
    const exterior = solid.children.find(({ name }) => name === 'gml:exterior') ?? solid;
    holder[FAULT_OF] = solidFault(polygonsBelow(exterior, member).map((element) => polygons.of(element)));
  }
  return holder[FAULT_OF];
}

type Report = (issue: string, at: XmlElement, row: Finding['row'], edges?: number, message?: string) => void;

const polygonsOfFile = new WeakMap<object, PlanePolygons>();

/** The polygons of a file, shared by all checks that look at it. */
export function polygonsOf(file: FileContext): PlanePolygons {
  let polygons = polygonsOfFile.get(file.shared);
  if (polygons === undefined) {
    polygons = new PlanePolygons(file);
    polygonsOfFile.set(file.shared, polygons);
  }
  return polygons;
}

function geometryCheck(
  facts: CheckFacts,
  takes: Selection['takes'],
  look: (
    geometry: LodGeometry,
    member: Member,
    polygons: PlanePolygons,
    report: Report,
    file: FileContext,
  ) => void,
): Check {
  return defineCheck<undefined>({
    ...facts,
    open(file) {
      const polygons = polygonsOf(file);
      return {
        member(member) {
          if (isPassedOver(member, file, facts.code)) return;
          for (const geometry of lodGeometries(member)) {
            if (!takes(geometry)) continue;
            look(
              geometry,
              member,
              polygons,
              (issue, at, row, _edges, message) => {
                file.report({
                  id: idOf(geometry.holder),
                  line: member.line,
                  type: geometry.holder.name,
                  lod: geometry.lod,
                  message: message ?? issue,
                  position: placeOf(at, member) ?? null,
                  ...(row === undefined ? {} : { row }),
                });
              },
              file,
            );
          }
        },
      };
    },
  });
}

/** Where an element is: its own first position, or that of the first polygon that it refers to. */
function placeOf(element: XmlElement, member: Member): Finding['position'] {
  const own = firstPosition(element);
  if (own !== null) return own;
  const first = polygonsBelow(element, member)[0];
  return first === undefined ? null : firstPosition(first);
}
