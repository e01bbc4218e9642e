import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { after, before, test } from 'node:test';
import { LANDMARK_ADDRESS, LANDMARKS, SAMPLE_CITY, SAMPLE_GML_FEATURES, SAMPLE_TOWN } from './facts.ts';
import { all, descendants, parseXml, positions, type XmlNode } from './testing/parse-gml.ts';
import { makeSample, type WrittenSample } from './testing/read-sample.ts';

let sample: WrittenSample;
/** Package → path → root element of every GML file. */
const gml = new Map<string, Map<string, XmlNode>>();
const packages = new Map<string, Map<string, Buffer>>();

before(async () => {
  sample = await makeSample();
  for (const name of Object.keys(SAMPLE_GML_FEATURES)) {
    const members = await sample.members(name);
    packages.set(name, members);
    const files = [...members].filter(([path]) => path.endsWith('.gml'));
    gml.set(name, new Map(files.map(([path, bytes]) => [path, parseXml(bytes.toString())])));
  }
});
after(() => sample.remove());

function* allFiles(): Generator<[name: string, path: string, root: XmlNode]> {
  for (const [name, files] of gml) for (const [path, root] of files) yield [name, path, root];
}

test('every file has the features that the facts say', () => {
  for (const [name, files] of gml) {
    const counts = [...files].map(([path, root]) => [path, all(root, 'core:cityObjectMember').length]);
    assert.deepEqual(Object.fromEntries(counts), SAMPLE_GML_FEATURES[name]);
  }
});

test('every XML member is well formed, and every id occurs once in its package', () => {
  for (const [name, members] of packages) {
    const ids = new Set<string>();
    for (const [path, bytes] of members) {
      if (!/\.(xml|xsd|gml)$/.test(path)) continue;
      const root = gml.get(name)!.get(path) ?? parseXml(bytes.toString());
      if (!path.endsWith('.gml')) continue;
      for (const { attributes } of descendants(root)) {
        const id = attributes['gml:id'];
        if (id === undefined) continue;
        assert.ok(!ids.has(id), `${id} occurs twice in ${name}`);
        assert.match(id, /^[a-z][\w.-]*$/);
        ids.add(id);
      }
    }
  }
});

test('every reference resolves: code lists with their codes, schemas, pictures, local links', () => {
  for (const [name, path, root] of allFiles()) {
    const members = packages.get(name)!;
    const member = (reference: string) => members.get(posix.join(posix.dirname(path), reference));
    const ids = new Set([...descendants(root)].map(({ attributes }) => attributes['gml:id']));
    for (const node of descendants(root)) {
      const { codeSpace, uri, ring, 'xlink:href': href, 'xsi:schemaLocation': schemas } = node.attributes;
      if (codeSpace !== undefined) {
        const list = member(codeSpace);
        assert.ok(list, `${codeSpace} in ${path}`);
        assert.ok(
          list.toString().includes(`<gml:name>${node.text}</gml:name>`),
          `${node.text} of ${codeSpace}`,
        );
      }
      for (const local of [uri, ring, href])
        if (local !== undefined) assert.ok(ids.has(local.slice(1)), local);
      for (const location of schemas?.split(/\s+/).filter((_, i) => i % 2 === 1) ?? []) {
        if (!location.startsWith('http')) assert.ok(member(location), location);
      }
      if (node.name === 'app:imageURI') {
        const image = member(node.text);
        assert.equal(image?.subarray(0, 3).toString('hex'), 'ffd8ff', node.text);
      }
    }
  }
});

test('texture coordinates have a pair for each point of their ring', () => {
  for (const [, , root] of allFiles()) {
    const points = new Map(
      all(root, 'gml:LinearRing').map((ring) => [
        ring.attributes['gml:id'],
        positions(ring.children[0]!).length,
      ]),
    );
    for (const coordinates of all(root, 'app:textureCoordinates')) {
      const count = coordinates.text.split(' ').length / 2;
      assert.equal(count, points.get(coordinates.attributes.ring!.slice(1)));
    }
  }
});

test('solids are closed and face outwards', () => {
  let solids = 0;
  for (const [, , root] of allFiles()) {
    const polygons = new Map(
      all(root, 'gml:Polygon').map((polygon) => [polygon.attributes['gml:id'], polygon]),
    );
    for (const solid of all(root, 'gml:Solid')) {
      const edges = new Map<string, number>();
      let volume = 0;
      for (const member of all(solid, 'gml:surfaceMember')) {
        const href = member.attributes['xlink:href'];
        const polygon = href === undefined ? member.children[0]! : polygons.get(href.slice(1))!;
        for (const posList of all(polygon, 'gml:posList')) {
          const points = positions(posList);
          assert.deepEqual(points[0], points.at(-1));
          for (let i = 0; i + 1 < points.length; i++) {
            const [a, b] = [points[i]!.join(), points[i + 1]!.join()];
            edges.set(`${a}/${b}`, (edges.get(`${a}/${b}`) ?? 0) + 1);
          }
          volume += ringVolume(points);
        }
      }
      for (const [edge, count] of edges) {
        assert.equal(count, 1);
        assert.equal(edges.get(edge.split('/').reverse().join('/')), 1, 'an edge has no partner');
      }
      assert.ok(volume > 1, `volume ${volume}`);
      solids++;
    }
  }
  assert.ok(solids > 600);
});

/** Part of a solid's volume in cubic metres that a face adds, by the divergence theorem. */
function ringVolume(points: Array<[number, number, number]>): number {
  const [lat0, lng0] = [25.79, 129.69];
  const metres = points.map(
    ([lat, lng, altitude]) => [(lng - lng0) * 100_200, (lat - lat0) * 110_770, altitude] as const,
  );
  let sum = 0;
  const [a] = metres;
  for (let i = 1; i + 1 < metres.length; i++) {
    const [b, c] = [metres[i]!, metres[i + 1]!];
    sum +=
      a![0] * (b[1] * c[2] - b[2] * c[1]) +
      a![1] * (b[2] * c[0] - b[0] * c[2]) +
      a![2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

test('envelopes hold all coordinates', () => {
  for (const [, path, root] of allFiles()) {
    const [lower, upper] = ['gml:lowerCorner', 'gml:upperCorner'].map(
      (name) => positions(all(root, name)[0]!)[0]!,
    );
    for (const posList of all(root, 'gml:posList')) {
      for (const point of positions(posList)) {
        for (const i of [0, 1, 2])
          assert.ok(point[i]! >= lower![i]! && point[i]! <= upper![i]!, `${path} ${point}`);
      }
    }
  }
});

test('the schemas of a package declare the extension properties that its files use', () => {
  for (const [name, files] of gml) {
    const used = new Set<string>();
    for (const root of files.values()) {
      for (const node of descendants(root)) {
        // What stands in an attribute object extends nothing.
        if (node.name.startsWith('uro:')) continue;
        for (const { name } of node.children) {
          if (/^uro:[a-z]\w*Attribute$/.test(name)) used.add(name.slice('uro:'.length));
        }
      }
    }
    const [schema] = [...packages.get(name)!].filter(([path]) => path.endsWith('urbanObject.xsd'));
    const declared = [...schema![1].toString().matchAll(/<xs:element name="(\w+)"/g)].map(
      ([, property]) => property!,
    );
    assert.deepEqual(
      [...used].filter((property) => !declared.includes(property)),
      [],
      name,
    );
  }
});

/** Properties in the order of their schemas, as far as the sample has them. */
const ORDER: Record<string, string> = {
  'bldg:Building':
    'gml:name core:creationDate gen:* bldg:class bldg:usage bldg:yearOfConstruction bldg:roofType ' +
    'bldg:measuredHeight bldg:storeysAboveGround bldg:storeysBelowGround bldg:lod0RoofEdge bldg:lod1Solid ' +
    'bldg:lod2Solid bldg:outerBuildingInstallation bldg:boundedBy bldg:consistsOfBuildingPart bldg:address uro:*',
  'uro:BuildingDetailAttribute':
    'uro:totalFloorArea uro:buildingRoofEdgeArea uro:buildingStructureType uro:urbanPlanType ' +
    'uro:districtsAndZonesType uro:landUseType uro:specifiedBuildingCoverageRate uro:specifiedFloorAreaRate ' +
    'uro:surveyYear',
  'uro:BuildingIDAttribute': 'uro:buildingID uro:prefecture uro:city',
  'uro:RiverFloodingRiskAttribute': 'uro:description uro:rank uro:depth uro:adminType uro:scale uro:duration',
  'uro:BuildingRiverFloodingRiskAttribute':
    'uro:description uro:rank uro:depth uro:adminType uro:scale uro:duration',
  'tran:Road':
    'core:creationDate tran:class tran:function tran:trafficArea tran:auxiliaryTrafficArea tran:lod1MultiSurface ' +
    'tran:lod2MultiSurface uro:*',
  'luse:LandUse': 'core:creationDate luse:class luse:lod1MultiSurface uro:*',
  'urf:UseDistrict':
    'core:creationDate urf:function urf:validFrom urf:validFromType urf:custodian urf:notificationNumber ' +
    'urf:prefecture urf:city urf:lod1MultiSurface urf:floorAreaRate urf:buildingCoverageRate',
  'wtr:WaterBody': 'gml:name core:creationDate wtr:class wtr:function wtr:lod1MultiSurface uro:*',
  'dem:TINRelief': 'gml:name dem:lod dem:tin',
};

test('elements stand in the order that the schemas ask for', () => {
  for (const [, path, root] of allFiles()) {
    for (const node of descendants(root)) {
      const order = ORDER[node.name]?.split(' ');
      if (order === undefined) continue;
      let at = 0;
      for (const { name } of node.children) {
        const place = order.findIndex((known) => known === name || known === name.replace(/:.*/, ':*'));
        assert.ok(place >= at, `${name} in ${node.name} of ${path}`);
        at = place;
      }
    }
  }
});

test('the landmarks have the attributes that the facts say', () => {
  const name = `${SAMPLE_CITY.code}_aonagi-shi_city_2024_citygml_1_op`;
  for (const landmark of Object.values(LANDMARKS)) {
    const root = gml.get(name)!.get(`udx/bldg/${landmark.mesh}_bldg_6697_op.gml`)!;
    const building = all(root, 'bldg:Building').find(
      (element) => element.attributes['gml:id'] === landmark.id,
    )!;
    const own = (property: string) => building.children.find((child) => child.name === property)!.text;
    assert.equal(own('gml:name'), landmark.name);
    assert.equal(own('bldg:usage'), landmark.usageCode);
    assert.equal(Number(own('bldg:measuredHeight')), landmark.measuredHeight);
    assert.equal(Number(own('bldg:storeysAboveGround')), landmark.storeysAboveGround);
    assert.equal(Number(own('bldg:yearOfConstruction')), landmark.yearOfConstruction);
    assert.equal(all(building, 'uro:buildingID')[0]!.text, landmark.buildingId);
    assert.equal(all(building, 'xAL:LocalityName')[0]!.text, LANDMARK_ADDRESS);
    const points = all(building, 'bldg:lod1Solid').flatMap((solid) =>
      all(solid, 'gml:posList').flatMap(positions),
    );
    const altitudes = points.map((point) => point[2]);
    assert.deepEqual([Math.min(...altitudes), Math.max(...altitudes)], landmark.altitudes);
    const between = (value: number, axis: 0 | 1) =>
      points.some((point) => point[axis] < value) && points.some((point) => point[axis] > value);
    assert.ok(between(landmark.lat, 0) && between(landmark.lng, 1));
  }
});

test('metadata names the licence and the specification, and code lists the areas', () => {
  for (const { name, code, year, spec } of [
    { name: SAMPLE_CITY.name, code: SAMPLE_CITY.code, year: SAMPLE_CITY.year, spec: SAMPLE_CITY.spec },
    ...SAMPLE_TOWN.years.map((year) => ({ name: SAMPLE_TOWN.name, code: SAMPLE_TOWN.code, ...year })),
  ]) {
    const [, members] = [...packages].find(
      ([key]) => key.startsWith(`${code}_`) && key.includes(`_${year}_`),
    )!;
    const metadata = parseXml(members.get(`metadata/udx_${code}_${year}_op.xml`)!.toString());
    assert.equal(all(metadata, 'useLimitation')[0]!.text, 'Licensed under CC BY 4.0');
    assert.match(
      all(metadata, 'specification')[0]!.children[0]!.text,
      new RegExp(`標準製品仕様書 第${spec}版`),
    );
    const authorities = members.get('codelists/Common_localPublicAuthorities.xml')!.toString();
    assert.ok(authorities.includes(`<gml:description>沖縄県${name}</gml:description>`));
  }
});
