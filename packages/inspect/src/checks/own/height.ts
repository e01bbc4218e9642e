/** Heights that nothing in Japan has. */
import { localName } from '@citymodel/citygml';
import { defineCheck } from '../../check.ts';
import { hasPositions, numbersIn } from '../../coordinates.ts';
import { idOf } from '../../elements.ts';
import { firstPosition } from '../../geometry/plane-polygon.ts';
import { OWN } from './facts.ts';

/** Metres: Mount Fuji has 3,776; the deepest sea floor that a city borders on is above this. */
const [LOWEST, HIGHEST] = [-1_000, 4_000];
/** Metres: the highest building has 634. */
const TALLEST = 700;
/** What stands for a height that nobody knows. */
const UNKNOWN = -9999;

export const HEIGHT = defineCheck({
  ...OWN,
  code: 'own.height',
  name: '高さの異常',
  title: { ja: '高さの異常', en: 'Heights beyond reason' },
  rule: {
    ja: '高さが -1,000 m から 4,000 m の間、bldg:measuredHeight が 0 m 超 700 m 以下（不明の -9999 を除く）であること。',
    en: 'Heights lie between -1,000 and 4,000 m; a bldg:measuredHeight is above 0 and at most 700 m, or is -9999.',
  },
  open(file) {
    let wrong: { height: number; position: ReturnType<typeof firstPosition> } | null = null;
    return {
      looksAt: (name) => hasPositions({ name }) || localName(name) === 'measuredHeight',
      element(element, _, { feature, line }) {
        if (hasPositions(element)) {
          const numbers = numbersIn(element);
          for (let i = 2; i < numbers.length; i += 3) {
            const height = numbers[i]!;
            if (height >= LOWEST && height <= HIGHEST) continue;
            wrong ??= { height, position: firstPosition(element) };
          }
          return;
        }
        const height = Number(element.text);
        if (element.text.trim() === '' || !Number.isFinite(height) || height === UNKNOWN) return;
        if (height > 0 && height <= TALLEST) return;
        file.report({
          id: idOf(feature),
          ref: element.text,
          line,
          type: feature.name,
          message: `The measured height is ${element.text} m.`,
        });
      },
      member({ feature, line }) {
        if (wrong === null) return;
        const { height, position } = wrong;
        wrong = null;
        file.report({
          id: idOf(feature),
          ref: String(height),
          line,
          type: feature.name,
          message: `The feature has a height of ${height} m.`,
          position,
        });
      },
    };
  },
});
