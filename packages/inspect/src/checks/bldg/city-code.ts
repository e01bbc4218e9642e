/** Codes of municipalities that buildings name. */
import type { XmlElement } from '@citymodel/citygml';
import { defineCheck, type FileContext, type Member } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { attributesOf, isBuilding, looksAtBuildings, textOf } from './attributes.ts';

const LIST = '../../codelists/Common_localPublicAuthorities.xml';
/** Cities with wards, whose wards' codes are asked for (and the sum of Tokyo's wards). */
const WITH_WARDS = new Set(
  (
    '01100 04100 11100 12100 13100 14100 14130 14150 15100 22100 22130 23100 26100 27100 27140 28100 ' +
    '33100 34100 40100 40130 43100'
  ).split(' '),
);

export const CITY_CODES = defineCheck({
  code: 'bldg.city',
  name: '市区町村コードエラー',
  title: { ja: '市区町村コード', en: 'Codes of municipalities' },
  rule: {
    ja: '建物の uro:city が地方公共団体コードリストにあり、政令指定都市は区のコードであること。',
    en: 'uro:city of a building is in the list of municipalities; of a city with wards it is the ward.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_市区町村コードエラー',
    columns: ['Index', 'Filename', 'gml_id', 'Feature Type', 'City Code Error'],
  },
  summary: 'bldg',
  inPassing: 'attributes',
  open(file) {
    let buildings: XmlElement[] = [];
    let list: ReadonlyMap<string, string> | null | undefined;
    return {
      looksAt: looksAtBuildings,
      element(element) {
        if (isBuilding(element)) buildings.push(element);
      },
      member(member) {
        const found = buildings;
        buildings = [];
        if (found.length === 0) return;
        const lookAt = (known: ReadonlyMap<string, string> | null) => {
          list = known;
          for (const building of found) look(building, known, member, file);
        };
        return list === undefined ? file.package.codeList(LIST, file.path).then(lookAt) : lookAt(list);
      },
    };
  },
});

function look(
  building: XmlElement,
  list: ReadonlyMap<string, string> | null,
  { line }: Member,
  file: FileContext,
): void {
  const needed = file.spec === 4 ? 'BuildingDetailAttribute' : 'BuildingIDAttribute';
  if (attributesOf(building, needed).length === 0) return;
  const code = textOf(attributesOf(building, 'BuildingIDAttribute')[0], 'city');
  const error = errorOf(code, list);
  if (error === null) return;
  const id = idOf(building);
  file.report({
    id,
    line,
    type: building.name,
    message: error,
    row: { gml_id: id ?? '', 'Feature Type': building.name, 'City Code Error': error },
  });
}

/** The official words; null for a code that holds. A package without the list has another error for that. */
function errorOf(code: string | null, list: ReadonlyMap<string, string> | null): string | null {
  if (code === null || code === '') return '<未設定>';
  if (WITH_WARDS.has(code)) return `${code} ${list?.get(code) ?? ''}:要修正（区のコードとする）`;
  return list === null || list.has(code) ? null : `${code}: コードリストに該当なし`;
}
