/** Odd things about one GML file, told once for each kind with their number and the first feature. */
import type { IssueSeverity } from '@citymodel/base';
import type { ConvertIssue } from '../part-maker.ts';

interface IssueText {
  severity: IssueSeverity;
  /** What was found; `%` stands for a detail. */
  message: string;
  remedy: string;
}

/** Texts by code; docs/issues.md lists them too. */
const ISSUE_TEXTS = {
  FEATURE_TOO_LARGE: {
    severity: 'warning',
    message: 'A feature has more than 16 MB of text, and %.',
    remedy: 'It is left out. Split it into smaller features.',
  },
  FEATURE_LARGE: {
    severity: 'warning',
    message: 'A feature has more than 16 MB of text.',
    remedy: 'It is read in pieces, each of which has a row in 3D Tiles, without textures.',
  },
  CRS_UNKNOWN: {
    severity: 'error',
    message: 'The coordinate reference system % is not known.',
    remedy: 'Features and geometry in it are left out. Transform the data to a known system.',
  },
  AXES_TURNED: {
    severity: 'warning',
    message:
      'Positions have their first two numbers in the other order than the coordinate reference system %.',
    remedy: 'They are read so. Write them in the order of their system.',
  },
  VERTICAL_SYSTEM_REFUSED: {
    severity: 'error',
    message: 'The geometry of a feature has heights that the program cannot bring to the ellipsoid. %',
    remedy: 'The feature is left out.',
  },
  HEIGHTS_MIXED: {
    severity: 'error',
    message: 'Some heights of a feature are elevations, and some are heights above the ellipsoid.',
    remedy: 'The feature is left out. Give all of its geometry one coordinate reference system.',
  },
  POLYGON_BROKEN: {
    severity: 'warning',
    message: 'A polygon has fewer than three different positions, or coordinates that are no places.',
    remedy: 'It is left out. Correct the geometry.',
  },
  HEIGHT_IMPLAUSIBLE: {
    severity: 'warning',
    message: 'A polygon has a height of more than 12 km above or below 0.',
    remedy: 'It is left out. Correct the height.',
  },
  GEOMETRY_FAR_OFF: {
    severity: 'warning',
    message:
      'Polygons, lines or points lie far outside of the mesh that their file is named after: 50 km, or 10 km for ' +
      'what stands in one place.',
    remedy: 'They are left out. Correct their positions, or the name of the file.',
  },
  FEATURE_TOO_WIDE: {
    severity: 'warning',
    message: 'A feature is wider than 50 km; a position is probably wrong.',
    remedy: 'Its shape is left out. Correct its positions, or divide it.',
  },
  POLYGON_TOO_LARGE: {
    severity: 'warning',
    message: 'A polygon has more than 10,000 positions, 500 positions that repeat, or 1,000 holes.',
    remedy: 'It is left out of 3D Tiles. Divide it.',
  },
  POLYGON_TINY: {
    severity: 'warning',
    message: 'A polygon has no area, or is part of a surface of less than 1 square centimetre.',
    remedy: 'It is left out.',
  },
  POLYGON_BENT: {
    severity: 'info',
    message: 'Positions of a polygon lie more than 10 cm away from its plane.',
    remedy: 'It is cut into triangles all the same, which may look folded. Correct the geometry.',
  },
  POLYGON_CROSSED: {
    severity: 'warning',
    message: 'Rings of a polygon cross each other, or themselves.',
    remedy: 'It is drawn as far as it can be cut into triangles, or left out. Correct the geometry.',
  },
  REFERENCE_UNRESOLVED: {
    severity: 'warning',
    message: 'Geometry refers to something in % that is not there.',
    remedy: 'That geometry is left out. Add what is referred to, or correct the reference.',
  },
  REFERENCES_TOO_MANY: {
    severity: 'warning',
    message: 'Geometry that features refer to, or templates at all their places, come to more than is read.',
    remedy: 'The rest is left out. Divide the file.',
  },
  TEMPLATE_UNREAD: {
    severity: 'warning',
    message: 'The template of an implicit geometry is the file %, which is not read.',
    remedy: 'It is left out. Put the template into the GML as core:relativeGMLGeometry.',
  },
  TEMPLATE_UNPLACED: {
    severity: 'warning',
    message: 'An implicit geometry has no template, or nothing says where it stands.',
    remedy: 'It is left out. Give it a template, a core:referencePoint, and a matrix of 16 numbers.',
  },
  RELIEF_UNCONVERTED: {
    severity: 'warning',
    message: 'Terrain is given as %, which no tiles are made of.',
    remedy: 'It is left out. Give it as triangles (dem:TINRelief), too.',
  },
  FLAT_DATA: {
    severity: 'warning',
    message: 'Geometry of a feature has no heights.',
    remedy: 'It is left out of 3D Tiles; vector tiles have it.',
  },
  ID_TWICE: {
    severity: 'warning',
    message: 'Two features have the same gml:id.',
    remedy: 'The later one gets #2, #3 and so on behind its id in tiles. Give it an id of its own.',
  },
  ID_MISSING: {
    severity: 'info',
    message: 'A feature has no gml:id.',
    remedy: 'Tiles name it by its file and its number there. Give it an id.',
  },
  IMAGE_MISSING: {
    severity: 'warning',
    message: 'The package does not have the image %, or it cannot be read.',
    remedy: 'Surfaces with it have no texture. Add the image, or correct the reference.',
  },
  IMAGE_FORMAT_UNKNOWN: {
    severity: 'warning',
    message: 'The image % is none of JPEG, PNG, TIFF and WebP by its first bytes.',
    remedy: 'It is not read, and surfaces with it have no texture. Save it in one of these formats.',
  },
  IMAGE_TOO_LARGE: {
    severity: 'warning',
    message: 'The image % has more than 67 megapixels.',
    remedy: 'It is not read, and surfaces with it have no texture. Make it smaller, or divide it.',
  },
  IMAGE_UNUSED: {
    severity: 'warning',
    message: 'No surface that is drawn has the image %.',
    remedy: 'It is in no tile. See whether the appearance names the right surfaces.',
  },
  APPEARANCE_UNREAD: {
    severity: 'warning',
    message: 'An image is for a surface whose texture coordinates are not there.',
    remedy: 'The surface has no texture. Give the appearance its coordinates (app:TextureAssociation).',
  },
  IMAGES_UNREADABLE: {
    severity: 'warning',
    message: 'Images cannot be read here, because the optional library sharp is not installed.',
    remedy: 'Surfaces have no textures. Install the program with its optional dependencies.',
  },
  TEXTURE_MISFITS: {
    severity: 'warning',
    message: 'A ring has another number of texture coordinates than of positions.',
    remedy: 'The surface has no texture. Correct the appearance.',
  },
  TEXTURE_UNPLACED: {
    severity: 'warning',
    message: 'The image % is laid over surfaces, but nothing says where it lies.',
    remedy:
      'The surfaces have no texture. Add app:referencePoint and app:orientation, a world file beside the image, or ' +
      'a GeoTIFF with its place.',
  },
  TEXTURE_OUTSIDE: {
    severity: 'warning',
    message: 'A surface reaches beyond the image that is laid over it.',
    remedy: 'The surface has no texture.',
  },
  TILE_UNCOMPRESSED: {
    severity: 'info',
    message: 'The encoder of meshes refused a tile.',
    remedy: 'The tile is written without compression, and is larger. Nothing need be done.',
  },
  GEOMETRY_UNCONVERTED: {
    severity: 'warning',
    message: 'Features have geometry that no tiles are made of: %.',
    remedy: 'It is left out; other geometry of these features is converted.',
  },
  FEATURE_WITHOUT_OUTPUT: {
    severity: 'warning',
    message: 'Features are in no package of tiles, because they have no geometry that tiles are made of: %.',
    remedy: 'They are left out. Give them geometry of a level of detail that is converted.',
  },
  FILE_EMPTY: {
    severity: 'warning',
    message: 'No feature was found in the file.',
    remedy: 'Nothing is made of it. See whether it is CityGML.',
  },
  UNACCOUNTED: {
    severity: 'error',
    message: 'The conversion does not know what became of %.',
    remedy: 'Look at the tiles before they are published, and report it; this is a fault of the program.',
  },
  TILES_TOO_MANY: {
    severity: 'warning',
    message: 'The features of a file reach over more vector tiles than its text accounts for.',
    remedy: 'The feature is left out of zooms where that is so. Correct its positions, or divide the file.',
  },
  SHAPE_TOO_SMALL: {
    severity: 'warning',
    message: 'A feature has no area or length that a vector tile can show: less than about 10 cm.',
    remedy: 'It is left out of vector tiles. Nothing need be done.',
  },
  CITY_OUTSIDE: {
    severity: 'warning',
    message: 'A building belongs to municipality %, which is not that of the package.',
    remedy: 'It is left out, because the package of its own municipality has it.',
  },
} as const satisfies Record<string, IssueText>;

export type IssueCode = keyof typeof ISSUE_TEXTS;

/** Details of one code that are told apart. */
const MAX_DETAILS = 20;
/** Behind the message of the first of the rest. */
const OTHERS = ' Others are counted with it.';

interface Found {
  code: IssueCode;
  detail: string;
  id: string | null;
  count: number;
  /** Stands for details beyond those that are told apart, of which `detail` is the first. */
  isRest: boolean;
}

export class IssueCounter {
  readonly #file: string;
  readonly #sink: (issue: ConvertIssue) => void;
  readonly #found = new Map<string, Found>();
  readonly #details = new Map<IssueCode, number>();

  constructor(file: string, sink: (issue: ConvertIssue) => void) {
    this.#file = file;
    this.#sink = sink;
  }

  /** Counts one more, or `times`; `detail` takes the place of `%` in the message. */
  count(code: IssueCode, id: string | null, detail = '', times = 1): void {
    let key = `${code}\0${detail}`;
    if (!this.#found.has(key)) {
      const details = (this.#details.get(code) ?? 0) + 1;
      this.#details.set(code, details);
      if (details > MAX_DETAILS) key = code;
    }
    const found = this.#found.get(key);
    if (found === undefined) this.#found.set(key, { code, detail, id, count: times, isRest: key === code });
    else found.count += times;
  }

  /** Tells what was counted, in the order in which it was found first. */
  tell(): void {
    for (const { code, detail, id, count, isRest } of this.#found.values()) {
      const { severity, message, remedy } = ISSUE_TEXTS[code];
      this.#sink({
        code,
        severity,
        file: this.#file,
        id,
        count,
        message: message.replace('%', () => detail) + (isRest && count > 1 ? OTHERS : ''),
        remedy,
      });
    }
    this.#found.clear();
  }
}
