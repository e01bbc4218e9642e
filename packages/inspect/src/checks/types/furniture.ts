/** Checks of city furniture and vegetation (04_都市設備, 04_植生). */
import { localName } from '@citymodel/citygml';
import { type Check, IN_FILE } from '../../check.ts';
import type { LodGeometry } from '../../geometry/lod-geometry.ts';
import { closedCheck, solidCheck, surfaceCheck } from '../geometry/factories.ts';
import { geometryKindCheck, holds } from './geometry-kinds.ts';
import { factsOf, selecting } from './rows.ts';

const PREFIXES: Record<string, string> = { frn: '04_都市設備', veg: '04_植生' };
const COLUMNS = [...IN_FILE, 'FeatureType', 'gml_id', 'エラー数', 'エラー内容'];

const isLevel = ({ lod }: LodGeometry) => lod >= 1 && lod <= 3;

function isSurface(geometry: LodGeometry): boolean {
  if (!isLevel(geometry)) return false;
  const property = localName(geometry.property.name);
  return /MultiSurface$/.test(property) || (/Geometry$/.test(property) && holds(geometry, ['MultiSurface']));
}

function isSolid(geometry: LodGeometry): boolean {
  if (!isLevel(geometry)) return false;
  const property = localName(geometry.property.name);
  return /MultiSolid$/.test(property) || (/Geometry$/.test(property) && holds(geometry, ['Solid']));
}

export const FURNITURE_CHECKS: readonly Check[] = Object.entries(PREFIXES).flatMap(([folder, prefix]) => {
  const solids = selecting(isSolid);
  return [
    surfaceCheck(
      factsOf(folder, 'surface', '面のエラー', `${prefix}_面のエラー`, COLUMNS),
      selecting((geometry) => isSurface(geometry) || isSolid(geometry)),
    ),
    closedCheck(factsOf(folder, 'closed', '非水密体', `${prefix}_非水密体`, COLUMNS), solids),
    solidCheck(factsOf(folder, 'solid', '立体のエラー', `${prefix}_立体のエラー`, COLUMNS), solids),
    geometryKindCheck(
      folder,
      `${prefix}_不正なジオメトリ型`,
      '不正なジオメトリ型',
      'ジオメトリ型',
      (geometry) => isLevel(geometry) && !/ImplicitRepresentation$/.test(geometry.property.name),
      (geometry) => isSurface(geometry) || isSolid(geometry),
    ),
  ];
});
