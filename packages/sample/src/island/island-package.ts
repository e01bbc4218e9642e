/** Members of the island's packages. Each text is written when it is asked for, one file at a time. */
import { appearanceXml } from '../appearance.ts';
import type { Building } from '../building.ts';
import { lod1Faces, lod2Faces } from '../building.ts';
import { buildingGml } from '../building-gml.ts';
import { codeListXml } from '../code-lists.ts';
import { envelopeOf, GML_TAIL, gmlHead, gmlMember, MORE_MODULES } from '../gml.ts';
import { floodGml, landUseGml, terrainGml } from '../ground-gml.ts';
import {
  type Bounds,
  metadataXml,
  type PaperFacts,
  readmeText,
  schemaXml,
  specificationText,
} from '../package-papers.ts';
import type { Point2, Point3 } from '../place.ts';
import { Random } from '../random.ts';
import type { ZipFileMember } from '../zip-file.ts';
import { bridgesOf } from './bridges.ts';
import { buildingsOn, type Year } from './buildings.ts';
import { ISLAND_CODE_LISTS } from './code-lists.ts';
import { RIVER, type Scale } from './flood.ts';
import { lampsOf, treesOf } from './greens.ts';
import { type Block, blocksOf } from './grid.ts';
import { parcelsOf, riverRing, seaRings, terrainTriangles } from './land.ts';
import { CITY, round, YEARS } from './lot.ts';
import {
  bridgeGml,
  bridgeParts,
  lampGml,
  lampParts,
  materialsXml,
  treeGml,
  treeParts,
  waterGml,
} from './nature-gml.ts';
import { passageBelow } from './passage.ts';
import { ISLAND_PICTURES, pictures } from './pictures.ts';
import { mm } from './shape.ts';
import { roadGml, squareGml } from './street-gml.ts';
import { roadsOf, squareOf } from './streets.ts';
import { floodsOf } from './waters.ts';

const UP = '../../';
/** The second mesh of the whole island. */
const SECOND_MESH = '382965';
/** Buildings of these zones have pictures: the middle of the town, where visitors look first. */
const PICTURED: ReadonlySet<Block['zone']> = new Set(['centre', 'commercial', 'flats']);
/** And so have all houses within so many columns of the river. */
const PICTURED_COLUMNS = 2;

const LEAVES = [
  [0.36, 0.52, 0.27],
  [0.45, 0.58, 0.31],
] as const;
const NEEDLES = [0.21, 0.38, 0.26] as const;
const [BARK, METAL, LIGHT, DECK, STONE] = [
  [0.38, 0.3, 0.24],
  [0.32, 0.36, 0.4],
  [0.97, 0.93, 0.8],
  [0.46, 0.47, 0.49],
  [0.78, 0.74, 0.68],
] as const;

/** Name of the package of a year, without `.zip`. */
export function islandPackageName(year: Year): string {
  return `${CITY.code}_${CITY.romanName}_city_${year}_citygml_1_op`;
}

/** All members of the package of a year, the GML files first. */
export function* islandMembers(seed: number, year: Year): Generator<ZipFileMember> {
  const encoder = new TextEncoder();
  const member = (path: string, text: string): ZipFileMember => ({ path, bytes: encoder.encode(text) });
  const blocks = blocksOf(seed);
  const isNewer = year === YEARS.newer;

  for (const [mesh, buildings] of byMesh(blocks.flatMap((block) => dressed(block, seed, year)))) {
    const folder = `${mesh}_bldg_6697_appearance`;
    const appearance = isNewer ? appearanceXml(buildings, folder, ISLAND_PICTURES) : '';
    yield member(`udx/bldg/${mesh}_bldg_6697_op.gml`, buildingsFile(buildings, appearance));
    if (appearance === '') continue;
    for (const { file, bytes } of pictures()) {
      if (appearance.includes(`/${file}<`)) yield { path: `udx/bldg/${folder}/${file}`, bytes };
    }
  }
  if (isNewer) yield* surroundings(member, seed, blocks);
  yield* papers(member, year);
}

type Member = (path: string, text: string) => ZipFileMember;

/** Everything that only the newer edition has. */
function* surroundings(member: Member, seed: number, blocks: readonly Block[]): Generator<ZipFileMember> {
  const roads = roadsOf(seed);
  for (const [mesh, some] of byMesh(roads)) {
    const points = some.flatMap(({ outline }) => level(outline));
    yield member(`udx/tran/${mesh}_tran_6697_op.gml`, file(points, some.map(roadGml)));
  }
  const square = blocks.find(({ zone }) => zone === 'square')!;
  const [place, passage] = [squareOf(square, seed), passageBelow(square, seed)];
  yield member(
    `udx/squr/${place.mesh}_squr_6697_op.gml`,
    file(level(place.outline), [squareGml(place, '瑠璃橋広場')]),
  );
  yield member(
    `udx/ubld/${passage.mesh}_ubld_6697_op.gml`,
    buildingsFile([passage], '', 'uro:UndergroundBuilding'),
  );

  const parcels = parcelsOf(blocks, seed);
  yield member(
    `udx/luse/${SECOND_MESH}_luse_6668_op.gml`,
    file(
      parcels.flatMap(({ ring }) => level(ring)),
      parcels.map((parcel) =>
        landUseGml({ ...parcel, mesh: SECOND_MESH, areaCode: CITY.code, cityCode: CITY.code }),
      ),
    ),
  );
  const random = new Random(`${seed}/island/wtr`);
  const sea = seaRings();
  yield member(
    `udx/wtr/${SECOND_MESH}_wtr_6697_op.gml`,
    file(level(sea[0]), [
      waterGml(`wtr_${random.uuid()}`, '澪島の海', '1000', sea),
      waterGml(`wtr_${random.uuid()}`, '瑠璃川', '1030', [riverRing()]),
    ]),
  );
  for (const scale of ['l1', 'l2'] satisfies Scale[]) {
    for (const [mesh, areas] of byMesh(floodsOf(scale, seed))) {
      const texts = areas.map((area) => floodGml({ ...area, river: { name: RIVER.name, admin: 'natl' } }));
      const points = areas.flatMap(({ triangles }) => triangles.flat());
      yield member(
        `udx/fld/natl/${RIVER.code}/${mesh}_fld_6697_${scale}_op.gml`,
        file(points, texts, '../../../../'),
      );
    }
  }
  const triangles = terrainTriangles();
  const ids = { relief: `dem_${random.uuid()}`, tin: `dem_${random.uuid()}` };
  yield member(
    `udx/dem/${SECOND_MESH}_dem_6697_op.gml`,
    file(triangles.flat(), [terrainGml(ids, SECOND_MESH, triangles)]),
  );
  yield* furnishings(member, seed, blocks);
}

/** Trees, lamps and bridges. */
function* furnishings(member: Member, seed: number, blocks: readonly Block[]): Generator<ZipFileMember> {
  for (const [mesh, trees] of byMesh(treesOf(blocks, seed))) {
    const crowns = (wanted: (tree: (typeof trees)[number], i: number) => boolean) =>
      trees.filter(wanted).map((tree) => treeParts(tree)[1]);
    const paints = [
      { colour: BARK, targets: trees.map((tree) => treeParts(tree)[0]) },
      { colour: NEEDLES, targets: crowns(({ isConifer }) => isConifer) },
      ...LEAVES.map((colour, k) => ({
        colour,
        targets: crowns(({ isConifer }, i) => !isConifer && i % 2 === k),
      })),
    ];
    const points = trees.flatMap(({ ring, foot, height }) => [
      ...level(ring, foot),
      ...level(ring, mm(foot + height)),
    ]);
    const text = file(
      points,
      trees.map(treeGml),
      UP,
      materialsXml(paints.filter(({ targets }) => targets.length > 0)),
    );
    yield member(`udx/veg/${mesh}_veg_6697_op.gml`, text);
  }
  for (const [mesh, lamps] of byMesh(lampsOf(seed))) {
    const paints = [METAL, LIGHT].map((colour, i) => ({
      colour,
      targets: lamps.map((lamp) => lampParts(lamp)[i]!),
    }));
    const points = lamps.flatMap(({ at, foot, height }) => {
      const ring = round(at, 0.3, 6);
      return [...level(ring, foot), ...level(ring, mm(foot + height))];
    });
    yield member(
      `udx/frn/${mesh}_frn_6697_op.gml`,
      file(points, lamps.map(lampGml), UP, materialsXml(paints)),
    );
  }
  for (const [mesh, bridges] of byMesh(bridgesOf(seed))) {
    const parts = bridges.map(bridgeParts);
    const paints = [
      { colour: DECK, targets: parts.flatMap(({ deck }) => deck) },
      { colour: STONE, targets: parts.flatMap(({ other }) => other) },
    ];
    const points = bridges.flatMap(({ lod1, elements }) =>
      [...lod1, ...elements.flatMap(({ faces }) => faces)].flat(),
    );
    yield member(
      `udx/brid/${mesh}_brid_6697_op.gml`,
      file(points, bridges.map(bridgeGml), UP, materialsXml(paints)),
    );
  }
}

/** The buildings of a block; those away from the middle of the town have no pictures. */
function dressed(block: Block, seed: number, year: Year): Building[] {
  const away = block.column >= 0 ? block.column : -1 - block.column;
  const isPictured = PICTURED.has(block.zone) || away < PICTURED_COLUMNS;
  const buildings = buildingsOn(block, seed, year);
  if (year === YEARS.older) return buildings.map((building) => ({ ...building, hasLod2: false, mast: null }));
  return isPictured ? buildings : buildings.map((building) => ({ ...building, pictures: null }));
}

function* papers(member: Member, year: Year): Generator<ZipFileMember> {
  const types =
    year === YEARS.newer
      ? ['bldg', 'tran', 'squr', 'ubld', 'luse', 'wtr', 'fld', 'dem', 'veg', 'frn', 'brid']
      : ['bldg'];
  for (const [name, entries] of Object.entries(ISLAND_CODE_LISTS)) {
    yield member(`codelists/${name}.xml`, codeListXml(name, entries));
  }
  const facts: PaperFacts = {
    ...{
      cityCode: CITY.code,
      cityName: CITY.name,
      year,
      spec: '4.1',
      iur: '3.1',
      citygml: 2,
      lod2: year === YEARS.newer,
    },
  };
  const points = seaRings()[1];
  const [xs, ys] = [points.map(([e]) => e), points.map(([, n]) => n)];
  const bounds: Bounds = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  yield member(`metadata/udx_${CITY.code}_${year}_op.xml`, metadataXml(facts, types, bounds));
  yield member('schemas/iur/uro/3.1/urbanObject.xsd', schemaXml('uro', '3.1', UNDERGROUND));
  yield member('schemas/iur/urf/3.1/urbanFunction.xsd', schemaXml('urf', '3.1'));
  yield member(`specification/${CITY.code}_${year}_objectlist_op.txt`, specificationText(facts, types));
  yield member('README.md', readmeText(facts, types));
}

const UNDERGROUND =
  '\t<xs:element name="UndergroundBuilding" type="bldg:BuildingType" substitutionGroup="bldg:_AbstractBuilding"/>\n';

function buildingsFile(buildings: Building[], appearance: string, element?: string): string {
  const points = buildings.flatMap(({ bodies, mast }) => [
    ...bodies.flatMap((body) => [
      ...level(body.footprint.outer),
      ...[...lod1Faces(body), ...lod2Faces(body)].flatMap(({ rings }) => rings.flat()),
    ]),
    ...(mast === null ? [] : [[...mast.at, mast.tip] as const]),
  ]);
  const form = element === undefined ? {} : { element };
  const members = buildings.map((building) => buildingGml(building, '3.1', form));
  return file(points, members, UP, appearance);
}

/** A whole GML file of features, with an appearance before them. */
function file(points: Iterable<Point3>, features: readonly string[], up = UP, appearance = ''): string {
  const head = gmlHead('3.1', up, envelopeOf(points), MORE_MODULES);
  return head + appearance + features.map(gmlMember).join('') + GML_TAIL;
}

function level(ring: readonly Point2[], altitude = 0): Point3[] {
  return ring.map(([east, north]) => [east, north, altitude]);
}

/** Third mesh → what lies there, ordered by mesh code. */
function byMesh<T extends { mesh: string }>(list: readonly T[]): Array<[string, T[]]> {
  return [...Map.groupBy(list, ({ mesh }) => mesh)].sort(([a], [b]) => (a < b ? -1 : 1));
}
