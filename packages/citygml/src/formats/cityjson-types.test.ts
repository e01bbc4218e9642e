import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityJsonType, geometryKinds, isPartOfObject, semanticType } from './cityjson-types.ts';

/** Kinds beside surfaces, which every type may have (OGC 20-072r5, clause 8). */
const kindsOf = (type: string) =>
  Object.entries(geometryKinds(type))
    .filter(([, isAllowed]) => isAllowed)
    .map(([kind]) => kind);

test('solids, lines and points are for the types that CityJSON allows them for', () => {
  for (const [types, kinds] of [
    ['Building BuildingPart BuildingRoom BuildingStorey BuildingUnit', ['solids']],
    ['Bridge BridgePart BridgeRoom Tunnel TunnelPart TunnelHollowSpace', ['solids']],
    ['OtherConstruction PlantCover', ['solids']],
    ['BuildingInstallation BridgeConstructiveElement TunnelFurniture', ['solids', 'lines', 'points']],
    ['CityFurniture GenericCityObject SolitaryVegetationObject', ['solids', 'lines', 'points']],
    ['SomethingOfTomorrow', ['solids', 'lines', 'points']],
    ['LandUse TINRelief', []],
    ['Road Railway TransportSquare Waterway', ['lines']],
    ['WaterBody', ['solids', 'lines']],
  ] as const) {
    for (const type of types.split(' ')) assert.deepEqual(kindsOf(type), kinds, type);
  }
});

test('what CityJSON has below a building only stands alone as what is like it', () => {
  for (const [name, below, alone] of [
    ['bldg:BuildingPart', 'BuildingPart', 'Building'],
    ['brid:BridgePart', 'BridgePart', 'Bridge'],
    ['bldg:IntBuildingInstallation', 'BuildingInstallation', 'GenericCityObject'],
    ['tun:HollowSpace', 'TunnelHollowSpace', 'GenericCityObject'],
    ['uro:Manhole', 'CityFurniture', 'CityFurniture'],
    ['tran:Track', 'Road', 'Road'],
    ['x:constructor', 'GenericCityObject', 'GenericCityObject'],
  ] as const) {
    assert.deepEqual([cityJsonType(name, true), cityJsonType(name, false)], [below, alone], name);
  }
});

test('surfaces have a meaning, and spaces of transportation belong to what is around them', () => {
  for (const [name, type] of [
    ['bldg:WallSurface', 'WallSurface'],
    ['con:WindowSurface', 'Window'],
    ['con:DoorSurface', 'Door'],
    ['bldg:Door', 'Door'],
    ['tran:HoleSurface', 'TransportationHole'],
    ['tran:Marking', 'TransportationMarking'],
    ['bldg:Room', null],
  ] as const) {
    assert.equal(semanticType(name), type, name);
  }
  for (const name of ['tran:TrafficSpace', 'tran:Section', 'tran:Hole', 'dem:TINRelief']) {
    assert.equal(isPartOfObject(name), true, name);
  }
  for (const name of ['tran:TrafficArea', 'bldg:Room', 'tran:HoleSurface']) {
    assert.equal(isPartOfObject(name), false, name);
  }
});
