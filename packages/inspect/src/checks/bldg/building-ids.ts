/** C-bldg-01 and the check of their format: building ids are well written, and no two features share one. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { defineCheck, type Finding } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { attributesOf, isBuilding, looksAtBuildings, textOf } from './attributes.ts';

const ABSENT = '（なし）';
const BUILDING_ID = /^\d{5}-bldg-\d+$/;
const INTEGER = /^-?\d+$/;

interface BuildingId {
  building: string;
  branch: string | null;
  part: string | null;
}

function buildingIdOf(feature: XmlElement): BuildingId | null {
  const attribute = attributesOf(feature, 'BuildingIDAttribute')[0];
  const building = textOf(attribute, 'buildingID');
  if (building === null) return null;
  return { building, branch: textOf(attribute, 'branchID'), part: textOf(attribute, 'partID') };
}

export const BUILDING_ID_FORMAT = defineCheck({
  code: 'bldg.id',
  name: '不正な建物ID',
  title: { ja: '建物IDの書式', en: 'Format of building ids' },
  rule: {
    ja: 'uro:buildingID が「市区町村コード-bldg-番号」、uro:branchID と（建物部分の）uro:partID が整数であること。建物は uro:partID を持たない。',
    en:
      'A uro:buildingID is "municipality-bldg-number"; uro:branchID, and uro:partID of parts, are integers. A ' +
      'building has no uro:partID.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_建物ID書式不正',
    columns: ['Index', 'Filename', 'FeatureType', 'uro:buildingID', 'uro:branchID', 'uro:partID'],
  },
  summary: 'bldg',
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: looksAtBuildings,
    element(element, _, { line }) {
      const id = isBuilding(element) ? buildingIdOf(element) : null;
      if (id === null) return;
      const { building, branch, part } = id;
      const isPart = localName(element.name) === 'BuildingPart';
      const partHolds = part === null || (isPart && INTEGER.test(part));
      // The official program takes a branch of specification 6 for the name of a type, and none is one.
      const isRefused = file.spec === 6 && file.package.likeUpstream !== null;
      const branchHolds = branch === null || (INTEGER.test(branch) && !isRefused);
      if (BUILDING_ID.test(building) && branchHolds && partHolds) return;
      file.report({
        id: null,
        ref: building,
        line,
        type: element.name,
        message:
          `The building id ${building}, branch ${branch ?? 'none'}, part ${part ?? 'none'} is not as the ` +
          `rule says.`,
        row: {
          FeatureType: element.name,
          'uro:buildingID': building,
          'uro:branchID': branch ?? ABSENT,
          'uro:partID': part ?? ABSENT,
        },
      });
    },
  }),
});

interface IdUse extends BuildingId, Required<Pick<Finding, 'position'>> {
  id: string | null;
  type: string;
  line: number;
}

export const UNIQUE_BUILDING_IDS = defineCheck<IdUse[]>({
  code: 'C-bldg-01',
  name: 'C-bldg-01 エラー',
  title: { ja: '建物IDの重複', en: 'Repeated building ids' },
  rule: {
    ja: 'uro:buildingID、uro:branchID、uro:partID の組がパッケージ内で一意であること（製品仕様書第6版では建物のみ）。',
    en:
      'No two features of the package share uro:buildingID, uro:branchID and uro:partID; in specification 6 ' +
      'buildings only.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_C-bldg-01エラー',
    columns: ['Index', 'Filename', 'GmlId', 'UroBuildingId', 'UroBranchId', 'UroPartId'],
  },
  summary: 'bldg',
  open(file) {
    const uses: IdUse[] = [];
    return {
      looksAt: looksAtBuildings,
      element(element, _, { line }) {
        if (!isBuilding(element) || (file.spec === 6 && localName(element.name) !== 'Building')) return;
        const id = buildingIdOf(element);
        if (id === null) return;
        uses.push({ ...id, id: idOf(element), type: element.name, line, position: firstPosition(element) });
      },
      end: () => (uses.length > 0 ? uses : undefined),
    };
  },
  join(files, context) {
    const byId = new Map<string, number>();
    const keyOf = ({ building, branch, part }: IdUse) => JSON.stringify([building, branch, part]);
    for (const use of files.flatMap(({ carry }) => carry))
      byId.set(keyOf(use), (byId.get(keyOf(use)) ?? 0) + 1);
    for (const { path, carry } of files) {
      for (const use of carry) {
        const count = byId.get(keyOf(use))!;
        if (count < 2) continue;
        context.report(path, {
          id: use.id,
          line: use.line,
          type: use.type,
          position: use.position,
          message:
            `${count} features have the building id ${use.building}, branch ${use.branch ?? 'none'}, part ` +
            `${use.part ?? 'none'}.`,
          row: {
            GmlId: use.id ?? '',
            UroBuildingId: use.building,
            UroBranchId: use.branch ?? ABSENT,
            UroPartId: use.part ?? ABSENT,
          },
        });
      }
    }
  },
});
