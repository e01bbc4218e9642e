/** L06: features lie within the envelope of their file. */
import { defineCheck, IN_FILE } from '../../check.ts';
import { hasPositions, numbersIn } from '../../coordinates.ts';
import { idOf } from '../../elements.ts';

const AXES = ['Latitude', 'Longitude', 'Elevation'] as const;

export const ENVELOPE = defineCheck({
  code: 'L06',
  name: 'L06エラー',
  title: { ja: '空間範囲の外にある地物', en: 'Features outside of the envelope of their file' },
  rule: {
    ja: '地物のすべての座標が、ファイルの gml:Envelope の範囲内にあること（許容誤差なし、高さを含む）。',
    en: 'All positions of a feature lie within the gml:Envelope of its file, heights included; there is no tolerance.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: {
    file: '01_共通_L06エラー',
    columns: [
      ...IN_FILE,
      'gml:id',
      ...AXES.flatMap((axis) => [`Min ${axis}`, `Max ${axis}`, `Lower ${axis}`, `Upper ${axis}`]),
    ],
  },
  summary: 'common',
  inPassing: 'extent',
  open(file) {
    // Plain arrays: of a package of small files, typed ones would be most of the work.
    const least = [Infinity, Infinity, Infinity];
    const most = [-Infinity, -Infinity, -Infinity];
    return {
      looksAt: (name) => hasPositions({ name }),
      element(element) {
        if (!hasPositions(element)) return;
        const numbers = numbersIn(element);
        for (let i = 0; i < numbers.length; i++) {
          const value = numbers[i]!;
          const axis = i % 3;
          if (value < least[axis]!) least[axis] = value;
          if (value > most[axis]!) most[axis] = value;
        }
      },
      member({ feature, line, extent }) {
        if (extent != null) {
          [least[1], least[0], least[2]] = [extent[0]!, extent[1]!, extent[4]!];
          [most[1], most[0], most[2]] = [extent[2]!, extent[3]!, extent[5]!];
        }
        const { lower, upper } = file.envelope;
        if (lower !== null && upper !== null) {
          const isOutside = lower.some((value, axis) => least[axis]! < value || most[axis]! > upper[axis]!);
          if (isOutside) {
            const id = idOf(feature);
            const columns = AXES.flatMap((axis, i) => [
              [`Min ${axis}`, least[i]!],
              [`Max ${axis}`, most[i]!],
              [`Lower ${axis}`, lower[i] ?? ''],
              [`Upper ${axis}`, upper[i] ?? ''],
            ]);
            file.report({
              id,
              line,
              type: feature.name,
              message: 'The feature reaches beyond the envelope of its file.',
              position: [(least[1]! + most[1]!) / 2, (least[0]! + most[0]!) / 2, least[2]!],
              row: { 'gml:id': id ?? '', ...Object.fromEntries(columns) },
            });
          }
        }
        least.fill(Infinity);
        most.fill(-Infinity);
      },
    };
  },
});
