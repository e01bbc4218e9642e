/** The sample's 3D Tiles: buildings of a ward or city, the streets of one, the floods of a river. */

import type { GlbMaterial } from '../tiles/write/glb.ts';
import type { Patch, TileItem } from '../tiles/write/mesh.ts';
import type { Building, Face } from './building.ts';
import { lod1Faces, lod2Faces, mastFaces } from './building.ts';
import { editionBuildings } from './citygml-package.ts';
import { AUTHORITIES, labelOf } from './code-lists.ts';
import type { Edition } from './edition.ts';
import type { FloodScale, Ring2, River } from './ground.ts';
import { floodsOf, roadsOf } from './ground.ts';
import type { Point3 } from './place.ts';
import { geodeticOf, groundAltitude } from './place.ts';
import { materialOf, TEXTURES, textureUv } from './textures.ts';

type LocalPatch = Patch<Point3>;
/** A feature in metres around the sample city. */
export type LocalItem = TileItem<Point3>;

const WHITE: GlbMaterial = { name: 'plain', color: [0.86, 0.86, 0.84], image: null };
const ASPHALT: GlbMaterial = { name: 'carriageway', color: [0.22, 0.22, 0.24], image: null };
const PAVING: GlbMaterial = { name: 'pavement', color: [0.55, 0.53, 0.5], image: null };
const WATER: GlbMaterial = { name: 'water', color: [0.2, 0.42, 0.75], image: null };
const PICTURED = new Map(
  TEXTURES.map((texture): [string, GlbMaterial] => [
    texture.material,
    { name: texture.material, color: [1, 1, 1], image: Buffer.from(texture.base64, 'base64') },
  ]),
);

/** The item at its place on the Earth. */
export function onEarth({ patches, properties }: LocalItem): TileItem {
  const placed = patches.map((patch) => ({
    ...patch,
    rings: patch.rings.map((ring) => ring.map(geodeticOf)),
  }));
  return { patches: placed, properties };
}

const cityName = (code: string) => AUTHORITIES.find(([entryCode]) => entryCode === code)![1];

/** The buildings of an area (a ward's code, or the city's own) at a LOD; LOD2 leaves out those that have none. */
export function buildingItems(
  edition: Edition,
  areaCode: string,
  lod: 1 | 2,
  textured: boolean,
): LocalItem[] {
  return edition.blocks
    .filter((block) => block.district.code === areaCode)
    .flatMap((block) => editionBuildings(edition, block))
    .filter((building) => lod === 1 || building.hasLod2)
    .map((building) => buildingItem(building, lod, textured));
}

function buildingItem(building: Building, lod: 1 | 2, textured: boolean): LocalItem {
  const faces = building.bodies.flatMap((body) => (lod === 1 ? lod1Faces(body) : lod2Faces(body)));
  if (lod === 2 && building.mast !== null) faces.push(...mastFaces(building.mast));
  return {
    patches: faces.map((face) => facePatch(building, face, textured)),
    properties: {
      meshcode: building.mesh,
      feature_type: 'bldg:Building',
      city_code: building.areaCode,
      city_name: cityName(building.areaCode),
      gml_id: building.id,
      'gml:name': building.name ?? '',
      'bldg:class': labelOf('Building_class', building.classCode),
      'bldg:usage': labelOf('Building_usage', building.usageCode),
      'bldg:yearOfConstruction': building.yearOfConstruction,
      'bldg:measuredHeight': building.measuredHeight,
      'bldg:storeysAboveGround': building.storeysAbove,
      'bldg:storeysBelowGround': building.storeysBelow,
      'bldg:address': building.town,
      'uro:BuildingDetailAttribute_uro:buildingStructureType': labelOf(
        'BuildingDetailAttribute_buildingStructureType',
        building.structureCode,
      ),
      'uro:BuildingIDAttribute_uro:buildingID': `${building.cityCode}-bldg-${building.serial}`,
    },
  };
}

function facePatch(building: Building, face: Face, textured: boolean): LocalPatch {
  const faceMaterial = materialOf(building, face);
  const material = textured && faceMaterial !== null ? PICTURED.get(faceMaterial)! : WHITE;
  return { rings: face.rings, uvs: material.image === null ? null : textureUv(face), material };
}

/** The streets of a city with carriageway and pavements, laid on the ground. */
export function roadItems(edition: Edition): LocalItem[] {
  return edition.blocks
    .flatMap((block) => roadsOf(block, edition.seed))
    .map((road) => ({
      patches: [
        ...draped(road.carriageway, ASPHALT),
        ...road.pavements.flatMap((pavement) => draped(pavement, PAVING)),
      ],
      properties: {
        meshcode: road.mesh,
        feature_type: 'tran:Road',
        city_code: road.areaCode,
        city_name: cityName(road.areaCode),
        gml_id: road.id,
        'tran:class': labelOf('Road_class', '1040'),
        'tran:function': labelOf('Road_function', '4'),
        'uro:RoadStructureAttribute_uro:width': 12,
        'uro:RoadStructureAttribute_uro:numberOfLanes': 2,
      },
    }));
}

/** The water of a flood: one item for each mesh and depth class. */
export function floodItems(edition: Edition, river: River, scale: FloodScale): LocalItem[] {
  return floodsOf(river, scale, edition.seed).map((flood) => ({
    patches: flood.triangles.map((ring) => ({ rings: [ring], uvs: null, material: WATER })),
    properties: {
      meshcode: flood.mesh,
      feature_type: 'wtr:WaterBody',
      city_code: edition.cityCode,
      city_name: cityName(edition.cityCode),
      gml_id: flood.id,
      'uro:RiverFloodingRiskAttribute_uro:description': river.name,
      'uro:RiverFloodingRiskAttribute_uro:rank': labelOf('RiverFloodingRiskAttribute_rank', flood.rank),
      'uro:RiverFloodingRiskAttribute_uro:scale': labelOf('RiverFloodingRiskAttribute_scale', scale.slice(1)),
    },
  }));
}

/** A rectangle as slices of about 20 m along its longer side, a hand above the ground. */
function draped([southWest, , northEast]: Ring2, material: GlbMaterial): LocalPatch[] {
  const [[west, south], [east, north]] = [southWest!, northEast!];
  const alongEast = east - west > north - south;
  const count = Math.ceil(Math.max(east - west, north - south) / 20);
  const at = (e: number, n: number): Point3 => [e, n, groundAltitude(e, n) + 0.1];
  const part = (i: number) => i / count;
  return Array.from({ length: count }, (_, i) => {
    const [w, e] = alongEast
      ? [west + (east - west) * part(i), west + (east - west) * part(i + 1)]
      : [west, east];
    const [s, n] = alongEast
      ? [south, north]
      : [south + (north - south) * part(i), south + (north - south) * part(i + 1)];
    return { rings: [[at(w, s), at(e, s), at(e, n), at(w, n)]], uvs: null, material };
  });
}
