/** C-bldg-01 and the check of their format: building ids are well written, and no two features share one. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { defineCheck, type Finding, type Spec } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { hashOf } from '../../hash.ts';
import { Numbers, repeatedIn } from '../../numbers.ts';
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
  path: string;
  key: string;
  id: string | null;
  type: string;
  line: number;
}

const keyOf = ({ building, branch, part }: BuildingId) => JSON.stringify([building, branch, part]);

/** The building id that has to be unique; null for none. */
function uniqueIdOf(element: XmlElement, spec: Spec): BuildingId | null {
  if (!isBuilding(element) || (spec === 6 && localName(element.name) !== 'Building')) return null;
  return buildingIdOf(element);
}

/** Hashes of building ids are handed on. */
export const UNIQUE_BUILDING_IDS = defineCheck<Float64Array>({
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
    const hashes = new Numbers();
    return {
      looksAt: looksAtBuildings,
      element(element) {
        const id = uniqueIdOf(element, file.spec);
        if (id !== null) hashes.push(hashOf(keyOf(id)));
      },
      end: () => (hashes.length > 0 ? hashes.take() : undefined),
    };
  },
  async join(files, context) {
    const repeated = repeatedIn(files.map(({ carry }) => carry));
    const uses: IdUse[] = [];
    for (const { path, carry } of files) {
      if (!carry.some((hash) => repeated.has(hash))) continue;
      await context.revisit(path, {
        looksAt: looksAtBuildings,
        element(element, _, { line }) {
          const id = uniqueIdOf(element, context.spec);
          const key = id === null ? '' : keyOf(id);
          if (id === null || !repeated.has(hashOf(key))) return;
          const position = firstPosition(element);
          uses.push({ ...id, path, key, id: idOf(element), type: element.name, line, position });
        },
      });
    }
    const counts = new Map<string, number>();
    for (const { key } of uses) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const { path, key, id, type, line, position, building, branch, part } of uses) {
      const count = counts.get(key)!;
      if (count < 2) continue;
      context.report(path, {
        id,
        line,
        type,
        position,
        message:
          `${count} features have the building id ${building}, branch ${branch ?? 'none'}, part ` +
          `${part ?? 'none'}.`,
        row: {
          GmlId: id ?? '',
          UroBuildingId: building,
          UroBranchId: branch ?? ABSENT,
          UroPartId: part ?? ABSENT,
        },
      });
    }
  },
});
