/** Checks of land use, plans, areas, and areas at risk of landslides: surfaces alone. */
import type { Check } from '../../check.ts';
import { orientationCheck, surfaceCheck } from '../geometry/factories.ts';
import { COUNTED, factsOf, selecting } from './rows.ts';

const PREFIXES: Record<string, string> = {
  luse: '05_土地利用',
  urf: '05_都市計画決定情報',
  area: '05_区域',
  lsld: '07_土砂災害警戒区域',
};

const all = selecting(() => true);

export const AREA_CHECKS: readonly Check[] = Object.entries(PREFIXES).flatMap(([folder, prefix]) => [
  surfaceCheck(
    factsOf(folder, 'surface', '面のエラー', `${prefix}_面のエラー`, [...COUNTED, 'エラー内容']),
    all,
  ),
  orientationCheck(
    factsOf(folder, 'orientation', '面の向き不正', `${prefix}_面の向き不正`, [...COUNTED, '面の向き']),
    all,
  ),
]);
