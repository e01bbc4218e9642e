/** The layers of the sample's MVT packages, their fields named as real ones are: `:` becomes `_`. */

import type { LayerFeature } from '../tiles/write/vector-tiles.ts';
import { editionBuildings } from './citygml-package.ts';
import { AUTHORITIES, labelOf } from './code-lists.ts';
import type { Edition } from './edition.ts';
import type { FloodScale, Parcel, River } from './ground.ts';
import { floodsOf, landUseOf, roadsOf, zoningOf } from './ground.ts';
import { latOf, lngOf, type Point2 } from './place.ts';

/** A feature of a layer in metres around the sample city; each ring without its closing point, the outside first. */
export interface LocalFeature {
  polygons: ReadonlyArray<ReadonlyArray<readonly Point2[]>>;
  /** The same keys for every feature of a layer. */
  properties: Record<string, string | number>;
}

/** The feature in degrees. */
export function inDegrees({ polygons, properties }: LocalFeature): LayerFeature {
  const placed = polygons.map((rings) =>
    rings.map((ring) => ring.map(([east, north]) => [lngOf(east), latOf(north)] as const)),
  );
  return { polygons: placed, properties };
}

interface Common {
  id: string;
  mesh: string;
  areaCode: string;
}

function common(featureType: string, { id, mesh, areaCode }: Common): Record<string, string> {
  const cityName = AUTHORITIES.find(([code]) => code === areaCode)![1];
  return { meshcode: mesh, feature_type: featureType, city_code: areaCode, city_name: cityName, gml_id: id };
}

/** Footprints of the buildings, LOD0. */
export function buildingLayer(edition: Edition): LocalFeature[] {
  return edition.blocks
    .flatMap((block) => editionBuildings(edition, block))
    .map((building) => ({
      polygons: building.bodies.map(({ footprint }) => [footprint.outer, ...footprint.holes]),
      properties: {
        ...common('bldg:Building', building),
        gml_name: building.name ?? '',
        bldg_usage: labelOf('Building_usage', building.usageCode),
        bldg_measuredHeight: building.measuredHeight,
        bldg_storeysAboveGround: building.storeysAbove,
      },
    }));
}

export function roadLayer(edition: Edition): LocalFeature[] {
  return edition.blocks
    .flatMap((block) => roadsOf(block, edition.seed))
    .map((road) => ({
      polygons: [[road.outline]],
      properties: {
        ...common('tran:Road', road),
        tran_class: labelOf('Road_class', '1040'),
        tran_function: labelOf('Road_function', '4'),
        uro_RoadStructureAttribute_uro_width: 12,
      },
    }));
}

export function landUseLayer(edition: Edition): LocalFeature[] {
  return parcels(
    'luse:LandUse',
    edition.blocks.flatMap((block) => landUseOf(block, edition.seed)),
    (code) => ({ luse_class: labelOf('Common_landUseType', code) }),
  );
}

export function zoningLayer(edition: Edition): LocalFeature[] {
  return parcels(
    'urf:UseDistrict',
    edition.blocks.map((block) => zoningOf(block, edition.seed)),
    (code) => ({ urf_function: labelOf('Common_districtsAndZonesType', code) }),
  );
}

function parcels(
  type: string,
  list: Parcel[],
  more: (code: string) => Record<string, string>,
): LocalFeature[] {
  return list.map((parcel) => ({
    polygons: [[parcel.ring]],
    properties: { ...common(type, parcel), ...more(parcel.code), area: parcel.squareMetres },
  }));
}

export function floodLayer(edition: Edition, river: River, scale: FloodScale): LocalFeature[] {
  return floodsOf(river, scale, edition.seed).map((flood) => ({
    polygons: flood.triangles.map((triangle) => [triangle.map(([east, north]) => [east, north] as const)]),
    properties: {
      ...common('wtr:WaterBody', { id: flood.id, mesh: flood.mesh, areaCode: edition.cityCode }),
      gml_name: river.name,
      uro_RiverFloodingRiskAttribute_uro_rank: labelOf('RiverFloodingRiskAttribute_rank', flood.rank),
      uro_RiverFloodingRiskAttribute_uro_rank_code: Number(flood.rank),
    },
  }));
}
