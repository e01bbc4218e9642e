/** Features that lie far outside of the mesh that their file is named after. */
import { type Bounds, isMeshCode, meshBounds } from '@citymodel/geo';
import { defineCheck } from '../../check.ts';
import { hasPositions, numbersIn } from '../../coordinates.ts';
import { idOf } from '../../elements.ts';
import { OWN } from './facts.ts';

/** Degrees beyond the mesh up to which a feature may lie as a whole: about a kilometre. */
const MARGIN = 0.01;

export const PLACE = defineCheck({
  ...OWN,
  code: 'own.place',
  name: '図郭から離れた地物',
  title: { ja: '図郭から離れた地物', en: 'Features far outside of their mesh' },
  rule: {
    ja: '地物の全体が、ファイル名の図郭から 0.01 度（約 1 km）を超えて離れていないこと。',
    en: 'No feature lies as a whole more than 0.01 degrees, about 1 km, outside of the mesh of its file’s name.',
  },
  inPassing: 'extent',
  open(file) {
    const bounds = boundsOfName(file.path.slice(file.path.lastIndexOf('/') + 1));
    if (bounds === null) return null;
    const least: [number, number] = [Infinity, Infinity];
    const most: [number, number] = [-Infinity, -Infinity];
    return {
      looksAt: (name) => hasPositions({ name }),
      element(element) {
        const numbers = numbersIn(element);
        for (let i = 0; i + 2 < numbers.length; i += 3) {
          for (const axis of [0, 1] as const) {
            least[axis] = Math.min(least[axis]!, numbers[i + axis]!);
            most[axis] = Math.max(most[axis]!, numbers[i + axis]!);
          }
        }
      },
      member({ feature, line, extent }) {
        const [south, west] = extent == null ? least : [extent[1]!, extent[0]!];
        const [north, east] = extent == null ? most : [extent[3]!, extent[2]!];
        least.fill(Infinity);
        most.fill(-Infinity);
        // Positions on a plane are no degrees.
        if (!(Number.isFinite(south) && south >= -90 && north <= 90 && west >= -180 && east <= 180)) return;
        const isFar =
          south > bounds.north + MARGIN ||
          north < bounds.south - MARGIN ||
          west > bounds.east + MARGIN ||
          east < bounds.west - MARGIN;
        if (!isFar) return;
        file.report({
          id: idOf(feature),
          line,
          type: feature.name,
          message: 'The feature lies more than 1 km outside of the mesh of its file.',
          position: [(west + east) / 2, (south + north) / 2, 0],
        });
      },
    };
  },
});

/** The bounds of the mesh code that a file name begins with; null for none. */
function boundsOfName(name: string): Bounds | null {
  const code = /^(\d{6,11})_/.exec(name)?.[1];
  return code !== undefined && isMeshCode(code) ? meshBounds(code) : null;
}
