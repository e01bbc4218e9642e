/** Surfaces and solids of buildings, bridges, tunnels and underground buildings by level of detail. */
import { localName } from '@citymodel/citygml';
import type { Check, Spec } from '../../check.ts';
import { isBoundarySurface, type LodGeometry } from '../../geometry/lod-geometry.ts';
import {
  closedCheck,
  orientationCheck,
  type Selection,
  solidCheck,
  surfaceCheck,
} from '../geometry/factories.ts';

/** What differs between the types. */
interface BuildingLike {
  folder: string;
  /** Beginning of the names of official tables: `02_建築物`. */
  prefix: string;
  specs: readonly Spec[];
  /** Local names of features whose own geometry counts. */
  features: readonly string[];
  /** Boundary surfaces only, or all geometry, from LOD 2 on. */
  surfacesOnly: boolean;
}

export const BUILDING_LIKE: readonly BuildingLike[] = [
  {
    folder: 'bldg',
    prefix: '02_建築物',
    specs: [4, 6],
    features: ['Building', 'BuildingPart'],
    surfacesOnly: true,
  },
  {
    folder: 'brid',
    prefix: '09_橋梁',
    specs: [4],
    features: ['Bridge', 'BridgePart'],
    surfacesOnly: false,
  },
  {
    folder: 'tun',
    prefix: '09_トンネル',
    specs: [4],
    features: ['Tunnel', 'TunnelPart'],
    surfacesOnly: false,
  },
  {
    folder: 'ubld',
    prefix: '09_地下街',
    specs: [4],
    features: ['UndergroundBuilding', 'BuildingPart'],
    surfacesOnly: false,
  },
];

const COLUMNS = ['gml_id', 'feature_type', 'lod', 'issue', 'filename'];

export const BUILDING_GEOMETRY: readonly Check[] = BUILDING_LIKE.flatMap(checksOf);

function checksOf({ folder, prefix, specs, features, surfacesOnly }: BuildingLike): Check[] {
  const ofFeature = ({ holder }: LodGeometry) => features.includes(localName(holder.name));
  const facts = (what: string, name: string, table: string) => ({
    code: `${folder}.${what}`,
    name,
    specs: name.startsWith('LOD4') ? specs.filter((spec) => spec === 4) : specs,
    folders: [folder],
    table: { file: `${prefix}_${table}`, columns: COLUMNS },
    summary: folder,
  });
  const select = (takes: Selection['takes']): Selection => ({ takes, row: rowOf });
  const lod0 = select((geometry) => geometry.lod === 0 && ofFeature(geometry));
  const checks = [
    surfaceCheck(facts('lod0.surface', 'LOD0 面のエラー', 'LOD0面のエラー'), lod0),
    orientationCheck(facts('lod0.orientation', 'LOD0 面の向きエラー', 'LOD0面の向きエラー'), lod0),
  ];
  for (const lod of [1, 2, 3, 4]) {
    const boundary = select((geometry) => {
      if (geometry.lod !== lod) return false;
      if (lod === 1) return ofFeature(geometry);
      return surfacesOnly ? isBoundarySurface(geometry.holder) : true;
    });
    const solids = select((geometry) => geometry.lod === lod && ofFeature(geometry));
    const table = lod === 1 ? 'LOD1境界面のエラー' : 'LOD2以上境界面のエラー';
    checks.push(
      surfaceCheck(facts(`lod${lod}.boundary`, `LOD${lod} 境界面のエラー`, table), boundary),
      closedCheck(facts(`lod${lod}.closed`, `LOD${lod} 非水密立体`, '非水密体'), solids),
      solidCheck(facts(`lod${lod}.solid`, `LOD${lod} 立体のエラー`, '立体のエラー'), solids),
    );
  }
  return checks;
}

function rowOf({ holder, lod }: LodGeometry, issue: string): Record<string, string | number> {
  return { gml_id: holder.attributes['gml:id'] ?? '', feature_type: holder.name, lod, issue };
}
