/** A package with one large feature, all of whose rings cross themselves: cutting and writing it costs most. */
import { GML, gml, type Members } from '../../test/support/packages.ts';

export const CROSSING_PACKAGE = '47201_naha-shi_city_2023_citygml_1_op';
export const CROSSING_ID = 'bldg_crossing';
/** Corners of a ring, and rings: some 2.9 MB of text. */
const CORNERS = 2_000;
const RINGS = 40;
const LAT = 26.21;
const LNG = 127.68;

/** The members of the package. */
export function crossingMembers(): Members {
  const surfaces = Array.from({ length: RINGS }, (_, k) => {
    const positions = Array.from({ length: CORNERS + 1 }, (_, i) => {
      // Each corner lies opposite to the one before, so that all edges cross.
      const angle = (i % CORNERS) * (Math.PI - Math.PI / CORNERS);
      const lat = (LAT + k * 1e-5 + 1e-4 * Math.sin(angle)).toFixed(9);
      return `${lat} ${(LNG + 1e-4 * Math.cos(angle)).toFixed(9)} ${k}.123`;
    });
    return (
      '<gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>' +
      `${positions.join(' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>`
    );
  });
  const tail =
    `<core:cityObjectMember><bldg:Building gml:id="${CROSSING_ID}"><bldg:lod1MultiSurface><gml:MultiSurface>` +
    `${surfaces.join('')}</gml:MultiSurface></bldg:lod1MultiSurface></bldg:Building></core:cityObjectMember>`;
  return { [GML]: gml(3, { tail }) };
}
