/**
 * The kinds of packages that are made of CityGML. One row is a kind, with every word that some place has for it. A new
 * kind begins with its row: the compiler then names each table of the program that does something of its own for each
 * kind.
 */

/** What is the same about a kind of output wherever it occurs. */
export interface OutputKindFacts {
  /** Its word in catalogue rows, in the parameter `format`, and in the rows of the database. */
  readonly format: string;
  /** Its value in the enumeration `DatasetFormat` of GraphQL. */
  readonly graphql: string;
  /** What people call it, in the languages of the portal. */
  readonly label: { readonly ja: string; readonly en: string };
  /** Document behind a spec, `/datacatalog/{kind}/{spec}/{document}`. */
  readonly document: string;
  /** What a package of it is known by, as refusals say it. */
  readonly sign: string;
  /**
   * Files that it alone has, by the ending of their names: the registered type, and whether one names further files.
   */
  readonly files: Readonly<Record<string, { readonly type: string; readonly namesOthers: boolean }>>;
  /** End of a dataset's id where a dataset of another kind has the same one; '' keeps the plain id. */
  readonly idSuffix: string;
  /** Packages of it may be textured, and there are two of one thing: with textures and without. */
  readonly isTextured: boolean;
  /** Catalogue rows of it say `format_version`. */
  readonly hasVersion: boolean;
  /** Catalogue rows of it say `layers`. */
  readonly hasLayers: boolean;
  /** A dataset of it has a bounding volume, so that composites of many municipalities have it as a child. */
  readonly isComposed: boolean;
  /** Its LOD is the LOD of what is modelled; otherwise it only says what was drawn from. */
  readonly showsLod: boolean;
  /** View of the portal that shows a dataset of it. */
  readonly view: '3d' | 'map';
}

const OCTETS = 'application/octet-stream';
const VECTOR_TILE = 'application/vnd.mapbox-vector-tile';

/**
 * Every kind by its word, which stands in names of packages, in paths, and in the rows of the database; in the order of
 * lists.
 */
export const OUTPUT_KINDS = {
  '3dtiles': {
    format: '3D Tiles',
    graphql: 'CESIUM3DTILES',
    label: { ja: '3D Tiles', en: '3D Tiles' },
    document: 'tileset.json',
    sign: 'tileset.json',
    files: {
      b3dm: { type: OCTETS, namesOthers: false },
      i3dm: { type: OCTETS, namesOthers: true },
      pnts: { type: OCTETS, namesOthers: false },
      cmpt: { type: OCTETS, namesOthers: true },
      subtree: { type: OCTETS, namesOthers: false },
      glb: { type: 'model/gltf-binary', namesOthers: false },
      gltf: { type: 'model/gltf+json', namesOthers: true },
    },
    idSuffix: '',
    isTextured: true,
    hasVersion: true,
    hasLayers: false,
    isComposed: true,
    showsLod: true,
    view: '3d',
  },
  mvt: {
    format: 'MVT',
    graphql: 'MVT',
    label: { ja: 'MVT', en: 'MVT' },
    document: 'tilejson.json',
    sign: '{z}/{x}/{y}.mvt',
    files: {
      mvt: { type: VECTOR_TILE, namesOthers: false },
      pbf: { type: VECTOR_TILE, namesOthers: false },
    },
    idSuffix: '_mvt',
    isTextured: false,
    hasVersion: false,
    hasLayers: true,
    isComposed: false,
    showsLod: false,
    view: 'map',
  },
} as const satisfies Record<string, OutputKindFacts>;

export type OutputKind = keyof typeof OUTPUT_KINDS;

/** The word of a kind in catalogue rows. */
export type TileFormat = (typeof OUTPUT_KINDS)[OutputKind]['format'];

/** What a package holds: the source, or something that is made of it. */
export type PackageKind = 'citygml' | OutputKind;

/** All kinds, in the order of lists. */
export const EVERY_OUTPUT_KIND = Object.keys(OUTPUT_KINDS) as readonly OutputKind[];

/** Words of all kinds in catalogue rows, in the order of lists. */
export const TILE_FORMATS: readonly TileFormat[] = EVERY_OUTPUT_KIND.map((kind) => OUTPUT_KINDS[kind].format);

const KIND_OF = Object.fromEntries(
  EVERY_OUTPUT_KIND.map((kind) => [OUTPUT_KINDS[kind].format, kind]),
) as Record<TileFormat, OutputKind>;

/** The kind whose rows have this word. */
export function kindOfFormat(format: TileFormat): OutputKind {
  return KIND_OF[format];
}

/**
 * Facts of the kind whose rows have this word, each as wide as the interface: what holds for one kind is not known of
 * all.
 */
export function factsOfFormat(format: TileFormat): OutputKindFacts {
  return OUTPUT_KINDS[KIND_OF[format]];
}

/** Files that only some kind of output has, by the ending of their names. */
export const FILES_OF_OUTPUTS = EVERY_OUTPUT_KIND.flatMap((kind) =>
  Object.entries<OutputKindFacts['files'][string]>(OUTPUT_KINDS[kind].files),
);

/** Packages of CityGML as lists name them, which no other kind is called. */
export const SOURCE_LABEL = 'CityGML';

/** What people call packages of a kind. */
export function packageKindLabel(kind: PackageKind, language: 'ja' | 'en' = 'en'): string {
  return kind === 'citygml' ? SOURCE_LABEL : OUTPUT_KINDS[kind].label[language];
}

/** The path below the service's address of the document behind a spec, `/datacatalog/3dtiles/{spec}/tileset.json`. */
export function specPath(kind: OutputKind, spec: string): string {
  return `/datacatalog/${kind}/${spec}/${OUTPUT_KINDS[kind].document}`;
}
