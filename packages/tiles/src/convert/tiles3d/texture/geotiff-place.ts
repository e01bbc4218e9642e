/** Where an image lies by what a GeoTIFF says inside of itself (OGC 19-008r4, section 7). */
import type { GmlSource } from '../../part-maker.ts';
import type { Affine } from './affine.ts';

export interface GeoTiffPlace {
  affine: Affine;
  /** `EPSG:` and a code; null where the file names no code, or one of its own. */
  srsName: string | null;
}

/** Bytes of an image file, as of those that are shown. */
const MAX_FILE = 64 << 20;
/** `GTRasterTypeGeoKey`: the origin is the centre of the first pixel, not its corner. */
const PIXEL_IS_POINT = 2;
/** The code of a system that is defined in the file itself. */
const OWN_SYSTEM = 32_767;

/** Null for an image that is no TIFF, or does not say where it lies. */
export async function geoTiffPlace(path: string, gml: GmlSource): Promise<GeoTiffPlace | null> {
  if (!/\.tiff?$/i.test(path)) return null;
  const bytes = await gml.member(path, MAX_FILE);
  if (bytes === null) return null;
  // The library is loaded only for such images, and throws at what is no TIFF.
  const { fromArrayBuffer } = await import('geotiff');
  try {
    const tiff = await fromArrayBuffer(Uint8Array.from(bytes).buffer);
    const { fileDirectory: tags } = await tiff.getImage();
    const keys = tags.parseGeoKeyDirectory() ?? {};
    const scale = tags.getValue('ModelPixelScale');
    const tie = tags.getValue('ModelTiepoint');
    const matrix = tags.getValue('ModelTransformation');
    const corner =
      matrix !== undefined
        ? fromMatrix(matrix)
        : scale !== undefined && tie !== undefined
          ? fromTiepoint(tie, scale)
          : null;
    if (corner === null || !corner.every(Number.isFinite)) return null;
    const code = Number(keys.ProjectedCSTypeGeoKey ?? keys.GeographicTypeGeoKey ?? OWN_SYSTEM);
    return {
      affine: keys.GTRasterTypeGeoKey === PIXEL_IS_POINT ? corner : atCentres(corner),
      srsName: code === OWN_SYSTEM ? null : `EPSG:${code}`,
    };
  } catch {
    return null;
  }
}

/** 4 rows of 4 numbers, from column, row and height to easting, northing and height. */
function fromMatrix(m: ArrayLike<number>): Affine {
  return [m[0]!, m[1]!, m[3]!, m[4]!, m[5]!, m[7]!];
}

/** One pixel (column, row, height) with its place, and the size of pixels; rows go south. */
function fromTiepoint(tie: ArrayLike<number>, scale: ArrayLike<number>): Affine {
  const [column, row, , east, north] = Array.from(tie) as [number, number, number, number, number];
  const [width, height] = [scale[0]!, scale[1]!];
  return [width, 0, east - column * width, 0, -height, north + row * height];
}

/** Pixels counted from the corner of the first one become pixels counted from its centre. */
function atCentres([a, b, c, d, e, f]: Affine): Affine {
  return [a, b, c + (a + b) / 2, d, e, f + (d + e) / 2];
}
