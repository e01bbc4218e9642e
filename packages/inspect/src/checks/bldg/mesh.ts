/** Buildings are in the file of the mesh that most of them lies in. */
import { crsOf, localName, type XmlElement } from '@citymodel/citygml';
import { meshBounds, meshesIn } from '@citymodel/geo';
import { defineCheck, type FileContext } from '../../check.ts';
import { hasPositions, numbersIn } from '../../coordinates.ts';
import { elementsOf, idOf } from '../../elements.ts';
import { isPassedOver, lodGeometries, polygonsBelow } from '../../geometry/lod-geometry.ts';

/** Meshes that one building is compared with; a surface that covers more is no building. */
const MOST_MESHES = 400;

type Place = readonly [lng: number, lat: number];

export const MESH = defineCheck({
  code: 'bldg.mesh',
  name: '図郭不正',
  title: { ja: '図郭の不正', en: 'Buildings in the file of another mesh' },
  rule: {
    ja: '建物の LOD0 の面が最も大きな面積で属する3次メッシュが、ファイル名の図郭と一致すること。',
    en: 'The 1 km mesh that has most of the area of a building at LOD 0 is that of its file’s name.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: ['bldg'],
  table: {
    file: '02_建築物_図郭不正',
    columns: ['gml_id', 'feature_type', 'lod', 'meshcode', 'meshcount', 'mesh2area', 'filename'],
  },
  summary: null,
  open(file) {
    const fileName = file.path.slice(file.path.lastIndexOf('/') + 1);
    const crs = () => (file.envelope.srsName === null ? null : crsOf(file.envelope.srsName));
    return {
      member(member) {
        if (isPassedOver(member, file, 'bldg.mesh')) return;
        // The first surface of a building counts: footprint and edge of the roof are mostly in one mesh.
        const seen = new Set<XmlElement>();
        for (const { lod, holder, property } of lodGeometries(member)) {
          if (lod !== 0 || localName(holder.name) !== 'Building' || seen.has(holder)) continue;
          seen.add(holder);
          const polygon = polygonsBelow(property, member)[0];
          const areas = polygon === undefined ? [] : meshAreas(ringOf(polygon, crs()), file);
          const largest = areas.reduce((best, one) => (one.area > best.area ? one : best), {
            mesh: '',
            area: 0,
          });
          if (largest.mesh === '' || fileName.startsWith(largest.mesh)) continue;
          const id = idOf(holder);
          const mesh2area = JSON.stringify(
            areas.map(({ mesh, area }) => ({ mesh_code: Number(mesh), area })),
          );
          file.report({
            id,
            ref: largest.mesh,
            line: member.line,
            type: holder.name,
            lod,
            message: `Most of the building lies in the mesh ${largest.mesh}.`,
            row: {
              gml_id: id ?? '',
              feature_type: holder.name,
              lod,
              meshcode: largest.mesh,
              meshcount: areas.length,
              mesh2area,
            },
          });
        }
      },
    };
  },
});

/** The exterior of a polygon in degrees. */
function ringOf(polygon: XmlElement, crs: ReturnType<typeof crsOf>): Place[] {
  const exterior = polygon.children.find(({ name }) => name === 'gml:exterior');
  const places: Place[] = [];
  for (const element of exterior === undefined ? [] : elementsOf(exterior)) {
    if (!hasPositions(element)) continue;
    const numbers = numbersIn(element);
    for (let i = 0; i + 2 < numbers.length; i += 3) {
      const [first, second] = [numbers[i]!, numbers[i + 1]!];
      places.push(crs === null ? [second, first] : crs.toLngLat(first, second));
    }
  }
  return places;
}

/** Area in each mesh in square metres to four digits, by mesh code. */
function meshAreas(ring: readonly Place[], file: FileContext): Array<{ mesh: string; area: number }> {
  if (ring.length < 4 || !ring.flat().every(Number.isFinite)) return [];
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)];
  const bounds = {
    west: Math.min(...lngs),
    east: Math.max(...lngs),
    south: Math.min(...lats),
    north: Math.max(...lats),
  };
  const areas: Array<{ mesh: string; area: number }> = [];
  let seen = 0;
  for (const mesh of meshesIn(bounds, 8)) {
    if (++seen > MOST_MESHES) break;
    const area = areaOf(clipped(ring, meshBounds(mesh)), file);
    if (area > 0) areas.push({ mesh, area: Math.round(area * 1e4) / 1e4 });
  }
  return areas.sort((a, b) => (a.mesh < b.mesh ? -1 : 1));
}

/**
 * The part of a ring within bounds, cut side by side (Sutherland and Hodgman, 1974): edges of no width do not count in
 * areas.
 */
function clipped(
  ring: readonly Place[],
  { west, east, south, north }: { west: number; east: number; south: number; north: number },
): Place[] {
  const sides: ReadonlyArray<readonly [axis: 0 | 1, limit: number, sign: 1 | -1]> = [
    [0, west, 1],
    [0, east, -1],
    [1, south, 1],
    [1, north, -1],
  ];
  let places = ring.slice(0, -1);
  for (const [axis, limit, sign] of sides) {
    const kept: Place[] = [];
    places.forEach((to, i) => {
      const from = places[(i + places.length - 1) % places.length]!;
      const [fromInside, toInside] = [from, to].map((place) => (place[axis] - limit) * sign >= 0);
      if (fromInside !== toInside) {
        const share = (limit - from[axis]) / (to[axis] - from[axis]);
        kept.push([from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]);
      }
      if (toInside) kept.push(to);
    });
    places = kept;
  }
  return places;
}

function areaOf(places: readonly Place[], file: FileContext): number {
  const plane = places.map(([lng, lat]) => file.package.toPlane(lng, lat));
  let twice = 0;
  plane.forEach(([x, y], i) => {
    const [nextX, nextY] = plane[(i + 1) % plane.length]!;
    const [originX, originY] = plane[0]!;
    twice += (x - originX) * (nextY - originY) - (nextX - originX) * (y - originY);
  });
  return Math.abs(twice) / 2;
}
