/** L-bldg-04 and L-bldg-05: uses that presuppose others. */
import { defineCheck } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { attributesOf, isBuilding, looksAtBuildings, textOf } from './attributes.ts';

/** Which attribute needs which. */
const NEEDS: ReadonlyArray<readonly [has: string, needs: string]> = [
  ['majorUsage2', 'majorUsage'],
  ['detailedUsage2', 'detailedUsage'],
  ['detailedUsage3', 'detailedUsage2'],
  ['secondFloorUsage', 'groundFloorUsage'],
  ['thirdFloorUsage', 'secondFloorUsage'],
  ['basementSecondUsage', 'basementFirstUsage'],
];

export const USAGE = defineCheck({
  code: 'L-bldg-04-05',
  name: 'L-bldg-04,05 エラー',
  title: { ja: '建物利用現況の前提', en: 'Uses without the one before' },
  rule: {
    ja: '建物利用現況の2番目・3番目の用途は、その前の用途がある場合にのみ存在すること。',
    en: 'A second or third use of a building is there only with the one before it.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_L-bldg-04,05エラー',
    columns: ['Index', 'Filename', 'gml_id', 'Feature Type', 'Building Usage Attribute Error'],
  },
  summary: 'bldg',
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: looksAtBuildings,
    element(element, _, { line }) {
      const detail = isBuilding(element) ? attributesOf(element, 'BuildingDetailAttribute')[0] : undefined;
      if (detail === undefined) return;
      const year = textOf(detail, 'surveyYear')?.slice(0, 4) ?? '';
      const errors = NEEDS.filter(
        ([has, needs]) => textOf(detail, has) !== null && textOf(detail, needs) === null,
      ).map(
        ([has, needs]) =>
          `${year}年建物利用現況: 'uro:${has}' が存在しますが 'uro:${needs}' が存在しません。`,
      );
      if (errors.length === 0) return;
      const id = idOf(element);
      const message = errors.join(', ');
      file.report({
        id,
        line,
        type: element.name,
        message,
        row: { gml_id: id ?? '', 'Feature Type': element.name, 'Building Usage Attribute Error': message },
      });
    },
  }),
});
