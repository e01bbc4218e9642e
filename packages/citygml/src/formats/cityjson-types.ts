import { localName } from '../xml/xml-element.ts';

/** Which kinds of geometry CityJSON 2.0 allows for a type. */
export interface GeometryKinds {
  solids: boolean;
  lines: boolean;
  points: boolean;
}

const BODY: GeometryKinds = { solids: true, lines: false, points: false };
const ANY: GeometryKinds = { solids: true, lines: true, points: true };
const SURFACE: GeometryKinds = { solids: false, lines: false, points: false };
const WAY: GeometryKinds = { solids: false, lines: true, points: false };

/** Types of CityJSON 2.0 (OGC 20-072r5, clause 8) that are used here. */
const KINDS: Record<string, GeometryKinds> = {
  Building: BODY,
  BuildingPart: BODY,
  BuildingRoom: BODY,
  BuildingStorey: BODY,
  BuildingUnit: BODY,
  BuildingInstallation: ANY,
  BuildingConstructiveElement: ANY,
  BuildingFurniture: ANY,
  Bridge: BODY,
  BridgePart: BODY,
  BridgeRoom: BODY,
  BridgeInstallation: ANY,
  BridgeConstructiveElement: ANY,
  BridgeFurniture: ANY,
  Tunnel: BODY,
  TunnelPart: BODY,
  TunnelHollowSpace: BODY,
  TunnelInstallation: ANY,
  TunnelConstructiveElement: ANY,
  TunnelFurniture: ANY,
  OtherConstruction: BODY,
  CityFurniture: ANY,
  GenericCityObject: ANY,
  LandUse: SURFACE,
  PlantCover: BODY,
  SolitaryVegetationObject: ANY,
  TINRelief: SURFACE,
  Road: WAY,
  Railway: WAY,
  TransportSquare: WAY,
  Waterway: WAY,
  WaterBody: { solids: true, lines: true, points: false },
};

/** Where CityGML or i-UR name differently. */
const OTHER_NAMES: Record<string, string> = {
  'bldg:IntBuildingInstallation': 'BuildingInstallation',
  'bldg:Room': 'BuildingRoom',
  'bldg:Storey': 'BuildingStorey',
  'brid:IntBridgeInstallation': 'BridgeInstallation',
  'brid:BridgeConstructionElement': 'BridgeConstructiveElement',
  'tun:IntTunnelInstallation': 'TunnelInstallation',
  'tun:HollowSpace': 'TunnelHollowSpace',
  'tran:Square': 'TransportSquare',
  'tran:Track': 'Road',
  'tran:TransportationComplex': 'Road',
  'dem:ReliefFeature': 'TINRelief',
  'uro:UndergroundBuilding': 'Building',
  'uro:AbstractConstruction': 'OtherConstruction',
};

/** Utility networks of i-UR, which are city furniture by their schema. */
const NETWORK =
  /^uro:(?:Appurtenance|Cable|Duct|ElectricityCable|Handhole|Manhole|OilGasChemicalsPipe|Pipe|SewerPipe|TelecommunicationsCable|ThermalPipe|WaterPipe)$/;

/** Types that must have a parent, with the type that stands for them where the data gives them none. */
const SECOND_LEVEL = /^(Building|Bridge|Tunnel)[A-Z]/;

/** The CityJSON type of a feature's qualified name; `GenericCityObject` for what CityJSON does not know. */
export function cityJsonType(name: string, hasParent: boolean): string {
  const own = OTHER_NAMES[name] ?? (NETWORK.test(name) ? 'CityFurniture' : localName(name));
  const type = Object.hasOwn(KINDS, own) ? own : 'GenericCityObject';
  if (hasParent) return type;
  const main = SECOND_LEVEL.exec(type);
  return main === null ? type : type.endsWith('Part') ? main[1]! : 'GenericCityObject';
}

/** Kinds of geometry that the type allows; surfaces always are. */
export function geometryKinds(type: string): GeometryKinds {
  return KINDS[type] ?? ANY;
}

const SURFACES = new Set([
  'RoofSurface',
  'GroundSurface',
  'WallSurface',
  'ClosureSurface',
  'OuterCeilingSurface',
  'OuterFloorSurface',
  'Window',
  'Door',
  'InteriorWallSurface',
  'CeilingSurface',
  'FloorSurface',
  'WaterSurface',
  'WaterGroundSurface',
  'WaterClosureSurface',
  'TrafficArea',
  'AuxiliaryTrafficArea',
]);

/** What transportation of CityGML 3.0 has inside beside areas (OGC 20-010, section 7.9). */
const TRANSPORTATION: Readonly<Record<string, string>> = {
  'tran:HoleSurface': 'TransportationHole',
  'tran:Marking': 'TransportationMarking',
};

/**
 * Spaces of CityGML 3.0 that CityJSON has no object for: what bounds them belongs to the road or railway, as areas of
 * 2.0 do.
 */
const SPACES =
  /^tran:(?:TrafficSpace|AuxiliaryTrafficSpace|ClearanceSpace|Section|Intersection|Hole)$|^dem:|^dyn:/;

/** True for a feature inside another whose geometry is that of the object around it. */
export function isPartOfObject(name: string): boolean {
  return SPACES.test(name);
}

/** The semantic surface (CityJSON 2.0, section 3.3) that a feature inside another is; null when it is an object. */
export function semanticType(name: string): string | null {
  const transportation = TRANSPORTATION[name];
  if (transportation !== undefined) return transportation;
  const local = localName(name).replace(/^(Window|Door)Surface$/, '$1');
  return SURFACES.has(local) ? local : null;
}
