/** Members of the sample's CityGML packages. Each text is made when it is asked for, one file at a time. */
import { appearanceXml } from './appearance.ts';
import type { Building } from './building.ts';
import { lod1Faces, lod2Faces } from './building.ts';
import { buildingGml } from './building-gml.ts';
import { asCityGml3 } from './citygml3.ts';
import { CODE_LISTS, codeListXml } from './code-lists.ts';
import type { Edition } from './edition.ts';
import { envelopeOf, GML_TAIL, gmlHead, gmlMember } from './gml.ts';
import type { Flood, Road } from './ground.ts';
import { floodsOf, landUseOf, RIVERS, roadsOf, terrainTriangles, zoningOf } from './ground.ts';
import { floodGml, landUseGml, roadGml, terrainGml, zoningGml } from './ground-gml.ts';
import { type Bounds, metadataXml, readmeText, schemaXml, specificationText } from './package-papers.ts';
import type { Point3 } from './place.ts';
import { ORIGIN_MESH } from './place.ts';
import { Random } from './random.ts';
import { TEXTURES } from './textures.ts';
import { type Block, buildingsOn, PITCH, STREET } from './town.ts';

export interface SampleMember {
  path: string;
  bytes: Uint8Array;
}

/** Name of the edition's package, without `.zip`. */
export function packageName(edition: Edition): string {
  return `${edition.cityCode}_${edition.romanName}_city_${edition.year}_citygml_1_op`;
}

/** The buildings of a block as the edition has them. */
function editionBuildings(edition: Edition, block: Block): Building[] {
  const buildings = buildingsOn(block, edition.seed).filter((building) => edition.includes(building));
  return edition.lod2
    ? buildings
    : buildings.map((building) => ({ ...building, hasLod2: false, mast: null }));
}

/** All members of the package, the GML files first. */
export function* packageMembers(edition: Edition): Generator<SampleMember> {
  const encoder = new TextEncoder();
  const member = (path: string, text: string): SampleMember => {
    const isUpgraded = edition.citygml === 3 && path.endsWith('.gml');
    return { path, bytes: encoder.encode(isUpgraded ? asCityGml3(text) : text) };
  };
  const types = ['bldg', 'tran', ...edition.types];

  for (const [mesh, blocks] of blocksByMesh(edition, (block) =>
    editionBuildings(edition, block).map((building) => building.mesh),
  )) {
    const buildings = blocks
      .flatMap((block) => editionBuildings(edition, block))
      .filter((other) => other.mesh === mesh);
    const folder = `${mesh}_bldg_6697_appearance`;
    const appearance = appearanceXml(buildings, folder);
    yield member(`udx/bldg/${mesh}_bldg_6697_op.gml`, buildingsFile(edition, buildings, appearance));
    if (appearance === '') continue;
    for (const texture of TEXTURES) {
      yield { path: `udx/bldg/${folder}/${texture.file}`, bytes: Buffer.from(texture.base64, 'base64') };
    }
  }
  for (const [mesh, blocks] of blocksByMesh(edition, (block) =>
    roadsOf(block, edition.seed).map((road) => road.mesh),
  )) {
    const roads = blocks
      .flatMap((block) => roadsOf(block, edition.seed))
      .filter((road) => road.mesh === mesh);
    yield member(`udx/tran/${mesh}_tran_6697_op.gml`, roadsFile(edition, roads));
  }
  const second = ORIGIN_MESH.slice(0, 6);
  const flat = (rings: Array<ReadonlyArray<readonly [number, number]>>): Point3[] =>
    rings.flat().map(([east, north]) => [east, north, 0]);
  if (edition.types.includes('luse')) {
    const parcels = edition.blocks.flatMap((block) => landUseOf(block, edition.seed));
    const head = gmlHead(edition.iur, '../../', envelopeOf(flat(parcels.map(({ ring }) => ring))));
    const text = parcels.map((parcel) => gmlMember(landUseGml(parcel))).join('');
    yield member(`udx/luse/${second}_luse_6668_op.gml`, head + text + GML_TAIL);
  }
  if (edition.types.includes('urf')) {
    const parcels = edition.blocks.map((block) => zoningOf(block, edition.seed));
    const head = gmlHead(edition.iur, '../../', envelopeOf(flat(parcels.map(({ ring }) => ring))));
    const text = parcels.map((parcel) => gmlMember(zoningGml(parcel, edition.cityName))).join('');
    yield member(`udx/urf/${second}_urf_6668_op.gml`, head + text + GML_TAIL);
  }
  if (edition.types.includes('fld')) {
    for (const { path, floods } of floodFiles(edition.seed)) {
      const head = gmlHead(
        edition.iur,
        '../../../../',
        envelopeOf(floods.flatMap(({ triangles }) => triangles.flat())),
      );
      yield member(path, head + floods.map((flood) => gmlMember(floodGml(flood))).join('') + GML_TAIL);
    }
  }
  if (edition.types.includes('dem')) {
    const triangles = terrainTriangles();
    const random = new Random(`${edition.seed}/dem`);
    const ids = { relief: `dem_${random.uuid()}`, tin: `dem_${random.uuid()}` };
    const head = gmlHead(edition.iur, '../../', envelopeOf(triangles.flat()));
    yield member(
      `udx/dem/${second}_dem_6697_op.gml`,
      head + gmlMember(terrainGml(ids, second, triangles)) + GML_TAIL,
    );
  }

  for (const [name, entries] of Object.entries(CODE_LISTS)) {
    yield member(`codelists/${name}.xml`, codeListXml(name, entries));
  }
  const { cityCode, year, iur } = edition;
  yield member(`metadata/udx_${cityCode}_${year}_op.xml`, metadataXml(edition, types, boundsOf(edition)));
  if (edition.citygml === 2) {
    yield member(`schemas/iur/uro/${iur}/urbanObject.xsd`, schemaXml('uro', iur));
    yield member(`schemas/iur/urf/${iur}/urbanFunction.xsd`, schemaXml('urf', iur));
  }
  yield member(`specification/${cityCode}_${year}_objectlist_op.txt`, specificationText(edition, types));
  yield member('README.md', readmeText(edition, types));
}

/** West, south, east and north of all blocks with their streets, metres. */
function boundsOf({ blocks }: Edition): Bounds {
  const corners = blocks.map(({ corner: [x, y] }) => [x - STREET, y - STREET] as const);
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs) + PITCH[0], Math.max(...ys) + PITCH[1]];
}

/** The floods of all rivers, by the file that they are in. */
function floodFiles(seed: number): Array<{ path: string; floods: Flood[] }> {
  const files: Array<{ path: string; floods: Flood[] }> = [];
  for (const river of RIVERS) {
    for (const scale of river.scales) {
      const all = floodsOf(river, scale, seed);
      for (const mesh of new Set(all.map((flood) => flood.mesh))) {
        const path = `udx/fld/${river.admin}/${river.code}/${mesh}_fld_6697_${scale}_op.gml`;
        files.push({ path, floods: all.filter((flood) => flood.mesh === mesh) });
      }
    }
  }
  return files;
}

/** Third mesh → blocks that have something in it, ordered by mesh code. */
function blocksByMesh(edition: Edition, meshesOf: (block: Block) => string[]): Array<[string, Block[]]> {
  const byMesh = new Map<string, Block[]>();
  for (const block of edition.blocks) {
    for (const mesh of new Set(meshesOf(block))) byMesh.set(mesh, [...(byMesh.get(mesh) ?? []), block]);
  }
  return [...byMesh].sort(([a], [b]) => (a < b ? -1 : 1));
}

function buildingsFile(edition: Edition, buildings: Building[], appearance: string): string {
  const points = function* (): Generator<Point3> {
    for (const building of buildings) {
      for (const body of building.bodies) {
        // LOD0 lies at altitude 0.
        const [east, north] = body.footprint.outer[0]!;
        yield [east, north, 0];
        for (const { rings } of building.hasLod2 ? lod2Faces(body) : []) yield* rings.flat();
        for (const { rings } of lod1Faces(body)) yield* rings.flat();
      }
      if (building.mast !== null) yield [...building.mast.at, building.mast.tip] as Point3;
    }
  };
  const members = buildings.map((building) => gmlMember(buildingGml(building, edition.iur)));
  return gmlHead(edition.iur, '../../', envelopeOf(points())) + appearance + members.join('') + GML_TAIL;
}

function roadsFile(edition: Edition, roads: Road[]): string {
  const points = roads.flatMap(({ outline }) => outline.map(([east, north]): Point3 => [east, north, 0]));
  const members = roads.map((road) => gmlMember(roadGml(road, edition.iur)));
  return gmlHead(edition.iur, '../../', envelopeOf(points)) + members.join('') + GML_TAIL;
}
