/** Trees, lamps, bridges and waters of the island as CityGML, with the colours that they have. */
import type { Face } from '../building.ts';
import { polygonId } from '../building-gml.ts';
import { CREATED, coded, multiSurface, surfaceMember } from '../gml.ts';
import type { Point2, Point3 } from '../place.ts';
import type { Bridge } from './bridges.ts';
import type { Lamp, Tree } from './greens.ts';
import { round } from './lot.ts';
import { mm } from './shape.ts';
import { crown, prism } from './solids.ts';

const UP = '../../';
const T = '\t\t\t';
const created = `${T}<core:creationDate>${CREATED['3.1']}</core:creationDate>\n`;

/** Red, green and blue, 0 to 1, of the surfaces that `targets` names. */
export interface Paint {
  colour: readonly [red: number, green: number, blue: number];
  targets: string[];
}

/** One `app:X3DMaterial` for each colour. */
export function materialsXml(paints: readonly Paint[]): string {
  const surfaces = paints.map(
    ({ colour, targets }) =>
      `\t\t\t<app:surfaceDataMember>\n\t\t\t\t<app:X3DMaterial>\n\t\t\t\t\t<app:diffuseColor>${colour.join(' ')}` +
      `</app:diffuseColor>\n${targets.map((id) => `\t\t\t\t\t<app:target>#${id}</app:target>\n`).join('')}` +
      `\t\t\t\t</app:X3DMaterial>\n\t\t\t</app:surfaceDataMember>\n`,
  );
  return (
    `\t<app:appearanceMember>\n\t\t<app:Appearance>\n\t\t\t<app:theme>rgbTexture</app:theme>\n${surfaces.join('')}` +
    '\t\t</app:Appearance>\n\t</app:appearanceMember>\n'
  );
}

/** Surface to paint of a feature's nth part. */
const paintedId = (id: string, part: number) => `surf_${id.slice(id.indexOf('_') + 1)}_${part}`;

/** Ids of the surfaces of a tree: its trunk and its crown. */
export const treeParts = ({ id }: Tree) => [paintedId(id, 0), paintedId(id, 1)] as const;

/** A `veg:SolitaryVegetationObject`, LOD 2. */
export function treeGml(tree: Tree): string {
  const { foot, height, ring } = tree;
  const trunkTop = mm(foot + height * (tree.isConifer ? 0.22 : 0.36));
  const trunk = prism(round(tree.at, Math.max(0.12, height * 0.02), 4), foot, trunkTop).slice(2);
  const top = mm(foot + height);
  const leaves = tree.isConifer
    ? prism(ring, mm(trunkTop - 0.3), top, 0)
    : crown(ring, mm(trunkTop - height * 0.1), top);
  return (
    `\t\t<veg:SolitaryVegetationObject gml:id="${tree.id}">\n${created}` +
    coded('veg:class', 'SolitaryVegetationObject_class', '1', UP, T) +
    coded('veg:function', 'SolitaryVegetationObject_function', tree.isConifer ? '11' : '22', UP, T) +
    `${T}<veg:height uom="m">${tree.height}</veg:height>\n` +
    `${T}<veg:crownDiameter uom="m">${tree.crown}</veg:crownDiameter>\n` +
    painted('veg:lod2Geometry', treeParts(tree), [trunk, leaves], T) +
    '\t\t</veg:SolitaryVegetationObject>\n'
  );
}

/** Ids of the surfaces of a lamp: its pole and its head. */
export const lampParts = ({ id }: Lamp) => [paintedId(id, 0), paintedId(id, 1)] as const;

/** A `frn:CityFurniture`, LOD 2. */
export function lampGml(lamp: Lamp): string {
  const top = mm(lamp.foot + lamp.height);
  const pole = prism(round(lamp.at, 0.09, 4), lamp.foot, mm(top - 0.35)).slice(2);
  const head = prism(round(lamp.at, 0.3, 6), mm(top - 0.4), top, 0.6);
  return (
    `\t\t<frn:CityFurniture gml:id="${lamp.id}">\n${created}` +
    coded('frn:class', 'CityFurniture_class', '1000', UP, T) +
    coded('frn:function', 'CityFurniture_function', '4200', UP, T) +
    painted('frn:lod2Geometry', lampParts(lamp), [pole, head], T) +
    '\t\t</frn:CityFurniture>\n'
  );
}

/** A geometry property with a surface to paint for each part. */
function painted(
  property: string,
  ids: readonly string[],
  parts: ReadonlyArray<readonly Point3[][]>,
  t: string,
): string {
  const surfaces = parts.map(
    (faces, i) =>
      `${t}\t\t<gml:surfaceMember>\n${t}\t\t\t<gml:CompositeSurface gml:id="${ids[i]}">\n` +
      faces.map((ring) => surfaceMember([ring], `${t}\t\t\t\t`)).join('') +
      `${t}\t\t\t</gml:CompositeSurface>\n${t}\t\t</gml:surfaceMember>\n`,
  );
  const inner = `${t}\t<gml:MultiSurface>\n${surfaces.join('')}${t}\t</gml:MultiSurface>\n`;
  return `${t}<${property}>\n${inner}${t}</${property}>\n`;
}

const SURFACES = { ground: 'GroundSurface', roof: 'RoofSurface', wall: 'WallSurface' } as const;

/** Ids of a bridge's surfaces of LOD 2: its deck first, then everything else. */
export function bridgeParts({ id, lod2, elements }: Bridge): { deck: string[]; other: string[] } {
  const ids = lod2.map((_, i) => polygonId(id, i));
  const isDeck = (i: number) => lod2[i]!.kind === 'roof';
  return {
    deck: ids.filter((_, i) => isDeck(i)),
    other: [...ids.filter((_, i) => !isDeck(i)), ...elements.map((element) => paintedId(element.id, 0))],
  };
}

/** A `brid:Bridge`: LOD 1 and 2. */
export function bridgeGml(bridge: Bridge): string {
  const polygons = bridge.lod1.map((ring) => surfaceMember([ring], `${T}\t\t\t\t`)).join('');
  const links = bridge.lod2.map(
    (_, i) => `${T}\t\t\t\t<gml:surfaceMember xlink:href="#${polygonId(bridge.id, i)}"/>\n`,
  );
  return (
    `\t\t<brid:Bridge gml:id="${bridge.id}">\n${T}<gml:name>${bridge.name}</gml:name>\n${created}` +
    coded('brid:function', 'Bridge_function', '01', UP, T) +
    `${T}<brid:yearOfConstruction>${bridge.year}</brid:yearOfConstruction>\n` +
    solid('brid:lod1Solid', polygons) +
    solid('brid:lod2Solid', links.join('')) +
    bridge.elements.map(construction).join('') +
    bridge.lod2.map((face, i) => boundary(bridge.id, face, i)).join('') +
    '\t\t</brid:Bridge>\n'
  );
}

function construction({ id, faces }: Bridge['elements'][number]): string {
  return (
    `${T}<brid:outerBridgeConstruction>\n${T}\t<brid:BridgeConstructionElement gml:id="${id}">\n` +
    coded('brid:function', 'BridgeConstructionElement_function', '01', UP, `${T}\t\t`) +
    painted('brid:lod2Geometry', [paintedId(id, 0)], [faces], `${T}\t\t`) +
    `${T}\t</brid:BridgeConstructionElement>\n${T}</brid:outerBridgeConstruction>\n`
  );
}

function boundary(id: string, face: Face, i: number): string {
  const element = `brid:${SURFACES[face.kind]}`;
  const polygon = polygonId(id, i);
  return (
    `${T}<brid:boundedBy>\n${T}\t<${element} gml:id="${polygon.replace('poly_', `${face.kind}_`)}">\n` +
    multiSurface('brid:lod2MultiSurface', [face.rings], `${T}\t\t`, polygon) +
    `${T}\t</${element}>\n${T}</brid:boundedBy>\n`
  );
}

function solid(property: string, members: string): string {
  return (
    `${T}<${property}>\n${T}\t<gml:Solid>\n${T}\t\t<gml:exterior>\n${T}\t\t\t<gml:CompositeSurface>\n${members}` +
    `${T}\t\t\t</gml:CompositeSurface>\n${T}\t\t</gml:exterior>\n${T}\t</gml:Solid>\n${T}</${property}>\n`
  );
}

/** A `wtr:WaterBody` with LOD 0, of a class of `WaterBody_class`. */
export function waterGml(
  id: string,
  name: string,
  code: string,
  rings: readonly (readonly Point2[])[],
): string {
  const flat = rings.map((ring) => ring.map(([east, north]): Point3 => [east, north, 0]));
  return (
    `\t\t<wtr:WaterBody gml:id="${id}">\n${T}<gml:name>${name}</gml:name>\n${created}` +
    coded('wtr:class', 'WaterBody_class', code, UP, T) +
    multiSurface('wtr:lod0MultiSurface', [flat], T) +
    '\t\t</wtr:WaterBody>\n'
  );
}
