/** Made by scripts/portal-types.ts from docs/openapi.json. */

export interface Error {
  /** One of the fixed texts, for programs. */
  error: string;
  /** A sentence for people: what is wrong and what the server accepts. */
  reason?: string;
  /** The URL that the error is about. */
  url?: string;
}

/** An area with what there is of it and of the areas below it. */
export interface AreaRow {
  /** 2 digits of a prefecture, or 5 of a municipality or ward. */
  code: string;
  /** Name. */
  name: string;
  /** Name in hiragana; null where unknown. */
  kana: string | null;
  /** Name in Latin letters, such as `osaka-shi`; null where unknown. */
  romaji: string | null;
  type: 'prefecture' | 'city' | 'ward';
  /** Code of the area around it; null for a prefecture. */
  parent_code: string | null;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Codes of the feature types that exist as tiles or in CityGML. */
  feature_types: string[];
  /** Formats of tiles. */
  formats: ('3D Tiles' | 'MVT')[];
  /** Fiscal years of production, newest first. */
  years: number[];
  /** Number of datasets. Formats, LODs and textures of one dataset count once. */
  datasets: number;
  /** Whether there is CityGML. */
  citygml: boolean;
}

export interface Areas {
  areas: AreaRow[];
}

/** All five arrays, or those that `fields` names. */
export interface Catalogue {
  datasets?: Dataset[];
  composite_tilesets?: CompositeTileset[];
  citygml?: CityGmlRow[];
  latest_datasets?: LatestDataset[];
  latest_citygml?: LatestCityGml[];
}

/** CityGML of a municipality: one zip with all feature types. */
export interface CityGmlRow {
  /** The municipality code; with `all_years`, `{code}_{year}` for older years. */
  id: string;
  /** Prefecture name. */
  pref: string;
  /**
   * 2-digit prefecture code.
   * @pattern ^\d{2}$
   */
  pref_code: string;
  /** Municipality name. */
  city: string;
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  city_code: string;
  /**
   * The zip.
   * @format uri
   */
  url: string;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  file_size: number;
  /** A lasting address that redirects to the zip. */
  composite_url: string | null;
  feature_types: string[];
  /**
   * Fiscal year of production.
   * @min 1900
   * @max 2999
   */
  year: number;
  /**
   * Fiscal year of registration.
   * @min 1900
   * @max 2999
   */
  registration_year: number;
  /** Version of the product specification that the source CityGML follows. */
  spec: string;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Ward name; only where data is of one ward. */
  ward?: string | null;
  /** 5-digit ward code; only where data is of one ward. */
  ward_code?: string | null;
  /** Licence, where the metadata names one. */
  license?: string;
}

/** A composite of many municipalities. */
export interface CompositeTileset {
  /** The spec. */
  id: string;
  /**
   * The composite tileset.json.
   * @format uri
   */
  url: string;
  area: 'all' | 'pref';
  /** Japanese name of the feature type. */
  type: string;
  /**
   * Feature-type code such as bldg.
   * @pattern ^[a-z][a-z0-9]*$
   */
  type_en: string;
  /** LOD. */
  lod: number;
  /** Null: textured preferred, else untextured; true: textured only; false: untextured only. */
  texture: boolean | null;
  /**
   * 4-digit year, or `latest`.
   * @pattern ^(\d{4}|latest)$
   */
  year: string;
  format_version: '1.0' | '1.1';
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** 2-digit prefecture code. */
  pref_code?: string | null;
  /** Prefecture name. */
  pref?: string | null;
  /** True for indoor models. */
  interior?: boolean | null;
}

export interface Coverage {
  /** How many digits the mesh codes have. */
  digits: number;
  /** What the values of a row are. */
  columns: string[];
  /** One row for each mesh: code, highest LOD, number of feature types, newest year, files, features. */
  rows: (string | number)[][];
}

/** A tile package of any year. */
export interface Dataset {
  /** Stable id, unique in its array. */
  id: string;
  /** `{type}（{ward or city}）`, with the name of its part for rivers and zones. */
  name: string;
  /** Prefecture name. */
  pref: string;
  /**
   * 2-digit prefecture code.
   * @pattern ^\d{2}$
   */
  pref_code: string;
  /** Municipality name. */
  city: string;
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  city_code: string;
  /** Japanese name of the feature type. */
  type: string;
  /**
   * Feature-type code such as bldg.
   * @pattern ^[a-z][a-z0-9]*$
   */
  type_en: string;
  /**
   * tileset.json of 3D Tiles; for MVT a template with `{z}`, `{x}` and `{y}`.
   * @pattern ^https?://
   */
  url: string;
  /** MVT layer names; null for 3D Tiles. */
  layers: string[] | null;
  /**
   * Fiscal year of production.
   * @min 1900
   * @max 2999
   */
  year: number;
  /**
   * Fiscal year of registration.
   * @min 1900
   * @max 2999
   */
  registration_year: number;
  /** Version of the product specification that the source CityGML follows. */
  spec: string;
  format: '3D Tiles' | 'MVT';
  /**
   * LOD.
   * @pattern ^\d$
   */
  lod: string;
  /** True for textured 3D Tiles. */
  texture: boolean;
  /** This dataset alone: a composite tileset.json, or TileJSON; null where a spec cannot name it. */
  composite_url: string | null;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  file_size: number;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Ward name; only where data is of one ward. */
  ward?: string | null;
  /** 5-digit ward code; only where data is of one ward. */
  ward_code?: string | null;
  /** Version of 3D Tiles. */
  format_version?: '1.0' | '1.1' | null;
  /** True for indoor models. */
  interior?: boolean | null;
  /** Licence, where the metadata names one. */
  license?: string;
}

export interface DatasetPage {
  /** How many datasets pass the filters. */
  total: number;
  /** How many of them come before the page. */
  offset: number;
  /** By filter: its values, each with how many datasets have it, and the name of an area. */
  facets: Record<string, (string | number)[][]>;
  datasets: Dataset[];
}

export interface FileCounts {
  /** One entry for each package, newest year first. */
  cities: {
    /**
     * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
     * @pattern ^(\d{5}|\d{2})$
     */
    cityCode: string;
    /** Municipality name. */
    cityName: string;
    /**
     * Fiscal year of production.
     * @min 1900
     * @max 2999
     */
    year: number;
    /** Feature-type code → sums. */
    types: Record<
      string,
      {
        /** Files. */
        files: number;
        /** Top-level features. */
        features: number;
        /**
         * Bytes.
         * @format int64
         * @min 0
         */
        bytes: number;
        /** Highest LOD. */
        max_lod: number;
        /** Bytes in the zip of a pack, as an estimate. */
        zip_bytes: number;
      }
    >;
  }[];
}

/** The newest CityGML of a municipality. */
export interface LatestCityGml {
  /** Stable id, unique in its array. */
  id: string;
  /** Prefecture name. */
  pref: string;
  /**
   * 2-digit prefecture code.
   * @pattern ^\d{2}$
   */
  pref_code: string;
  /** Municipality name. */
  city: string;
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  city_code: string;
  /**
   * A lasting address that redirects to the newest zip.
   * @format uri
   */
  url: string;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  file_size: number;
  feature_types: string[];
  year: 'latest';
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Ward name; only where data is of one ward. */
  ward?: string | null;
  /** 5-digit ward code; only where data is of one ward. */
  ward_code?: string | null;
  /** Licence, where the metadata names one. */
  license?: string;
}

/** The newest of each municipality or ward, type, part, LOD, format and texture. */
export interface LatestDataset {
  /** Stable id, unique in its array. */
  id: string;
  /** The same as in `Dataset`. */
  name: string;
  /** Prefecture name. */
  pref: string;
  /**
   * 2-digit prefecture code.
   * @pattern ^\d{2}$
   */
  pref_code: string;
  /** Japanese name of the feature type. */
  type: string;
  /**
   * Feature-type code such as bldg.
   * @pattern ^[a-z][a-z0-9]*$
   */
  type_en: string;
  /**
   * A lasting address of the newest data: composite tileset.json, or TileJSON.
   * @format uri
   */
  url: string;
  /** MVT layer names; null for 3D Tiles. */
  layers: string[] | null;
  year: 'latest';
  format: '3D Tiles' | 'MVT';
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Municipality name. */
  city?: string | null;
  /** 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits. */
  city_code?: string | null;
  /** Ward name; only where data is of one ward. */
  ward?: string | null;
  /** 5-digit ward code; only where data is of one ward. */
  ward_code?: string | null;
  /** Version of 3D Tiles. */
  format_version?: '1.0' | '1.1' | null;
  /** LOD. */
  lod?: string | null;
  /** True for indoor models. */
  interior?: boolean | null;
  texture?: boolean | null;
  /** Licence, where the metadata names one. */
  license?: string;
}

export interface Summary {
  cities: SummaryCity[];
  prefectures: {
    /**
     * 2-digit prefecture code.
     * @pattern ^\d{2}$
     */
    code: string;
    /** Name. */
    name: string;
    /** Name in hiragana; null where unknown. */
    kana: string | null;
    /** Name in Latin letters, such as `osaka-shi`; null where unknown. */
    romaji: string | null;
  }[];
  totals: {
    /** Municipalities that have data. */
    cities: number;
    /** Packages. */
    packages: number;
    /** Tile packages. */
    datasets: number;
    /** Top-level features of the newest CityGML of each municipality. */
    features: number;
    /**
     * Bytes.
     * @format int64
     * @min 0
     */
    bytes: number;
    /** Newest fiscal year of production. */
    newest_year: number | null;
    /** Licences, the most used first. */
    licences: string[];
  };
}

/** What there is of a municipality, in short. */
export interface SummaryCity {
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  code: string;
  /** Name. */
  name: string;
  /** Name in hiragana; null where unknown. */
  kana: string | null;
  /** Name in Latin letters, such as `osaka-shi`; null where unknown. */
  romaji: string | null;
  /**
   * 2-digit prefecture code.
   * @pattern ^\d{2}$
   */
  pref_code: string;
  /** Prefecture name. */
  pref: string;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
  /** Codes of feature types. */
  types: string[];
  /** Formats of tiles, and `CityGML`. */
  formats: string[];
  /** Fiscal years of production, newest first. */
  years: number[];
  /** Highest LOD of 3D Tiles and CityGML; null where nothing tells. */
  max_lod: number | null;
  /** Whether there are textured 3D Tiles. */
  textured: boolean;
  /** Number of tile packages. */
  datasets: number;
  /** Top-level features of the newest CityGML. */
  features: number;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  bytes: number;
}

/** TileJSON 3.0.0. */
export interface TileJson {
  tilejson: '3.0.0';
  /** Name of the dataset. */
  name: string;
  /** @minItems 1 */
  tiles: string[];
  vector_layers: {
    /** Name of the layer in the tiles. */
    id: string;
    /** Attribute → type. */
    fields: Record<string, string>;
    description?: string;
    minzoom?: number;
    maxzoom?: number;
  }[];
  /** Lowest zoom. */
  minzoom: number;
  /** Highest zoom. */
  maxzoom: number;
  /**
   * @maxItems 4
   * @minItems 4
   */
  bounds: number[];
  /**
   * @maxItems 3
   * @minItems 3
   */
  center: number[];
  attribution?: string;
  scheme?: 'xyz' | 'tms';
  description?: string;
}

/** 3D Tiles 1.1. */
export interface Tileset {
  asset: {
    version: '1.0' | '1.1';
  };
  /** Metres. */
  geometricError: number;
  root: {
    /** 3D Tiles 1.1, section 6.7.2.2. */
    boundingVolume: {
      /**
       * West, south, east, north in radians, then lowest and highest in metres.
       * @maxItems 6
       * @minItems 6
       */
      region?: number[];
      /**
       * @maxItems 12
       * @minItems 12
       */
      box?: number[];
      /**
       * @maxItems 4
       * @minItems 4
       */
      sphere?: number[];
    };
    geometricError: number;
    refine?: 'ADD' | 'REPLACE';
    children?: {
      /** 3D Tiles 1.1, section 6.7.2.2. */
      boundingVolume: {
        /**
         * West, south, east, north in radians, then lowest and highest in metres.
         * @maxItems 6
         * @minItems 6
         */
        region?: number[];
        /**
         * @maxItems 12
         * @minItems 12
         */
        box?: number[];
        /**
         * @maxItems 4
         * @minItems 4
         */
        sphere?: number[];
      };
      geometricError: number;
      content: {
        /**
         * A municipality's or ward's own tileset.json.
         * @pattern ^https?://
         */
        uri: string;
      };
      refine?: 'ADD' | 'REPLACE';
      extras?: Record<string, unknown>;
    }[];
  };
}

/** A CityGML file. */
export interface CityGmlFile {
  /**
   * Mesh code.
   * @pattern ^\d+$
   */
  code: string;
  /** Highest LOD in the file. */
  maxLod: number;
  /**
   * The file.
   * @format uri
   */
  url: string;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  fileSize: number;
  /** Features in the file. */
  features: number;
  /** Features with geometry at this LOD; null where unknown. */
  lod0: number | null;
  /** Features with geometry at this LOD; null where unknown. */
  lod1: number | null;
  /** Features with geometry at this LOD; null where unknown. */
  lod2: number | null;
  /** Features with geometry at this LOD; null where unknown. */
  lod3: number | null;
  /** Features with geometry at this LOD; null where unknown. */
  lod4: number | null;
  /**
   * SHA-256 of the file.
   * @pattern ^[0-9a-f]{64}$
   */
  sha256: string;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: number[] | null;
}

/** Files of one package. */
export interface FileList {
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  cityCode: string;
  /** Municipality name. */
  cityName: string;
  /**
   * Fiscal year of production.
   * @min 1900
   * @max 2999
   */
  year: number;
  /**
   * Fiscal year of registration.
   * @min 1900
   * @max 2999
   */
  registrationYear: number;
  /** Version of the product specification. */
  spec: string;
  /**
   * The zip that the files are from.
   * @format uri
   */
  url: string;
  metadataZipUrls: string[];
  /** Feature-type code → name; the same keys as `files`. */
  featureTypes: Record<
    string,
    {
      /** Japanese name. */
      name: string;
    }
  >;
  /** Feature-type code → files. */
  files: Record<string, CityGmlFile[]>;
}

/** All files that were found. The names are those of the municipality with the most files. `cities` lists the files by package. */
export interface FileListResult {
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  cityCode: string;
  /** Municipality name. */
  cityName: string;
  /**
   * Fiscal year of production.
   * @min 1900
   * @max 2999
   */
  year: number;
  /**
   * Fiscal year of registration.
   * @min 1900
   * @max 2999
   */
  registrationYear: number;
  /** Version of the product specification. */
  spec: string;
  /**
   * The zip that the files are from.
   * @format uri
   */
  url: string;
  metadataZipUrls: string[];
  /** Feature-type code → name; the same keys as `files`. */
  featureTypes: Record<
    string,
    {
      /** Japanese name. */
      name: string;
    }
  >;
  /** Feature-type code → files. */
  files: Record<string, CityGmlFile[]>;
  /** Files by package, newest year first. */
  cities: FileList[];
}

export interface PackAccepted {
  /**
   * Pack id: the same files are the same pack.
   * @pattern ^[0-9a-f]{64}$
   */
  id: string;
}

export interface PackNotDone {
  error: string;
  status: 'accepted' | 'processing' | 'failed';
  reason?: string;
}

/** Give `urls` or `conditions`, not both. `types` and `latest` go with `conditions` only. */
export interface PackRequest {
  /** GML files and metadata zips, as the file search lists them. */
  urls?: string[];
  /** Instead of `urls`: conditions of the file search, such as `m:53394509`. */
  conditions?: string;
  /** With `conditions`: feature-type codes. */
  types?: string[] | string;
  /** With `conditions`: is accepted and has no effect. A pack has the newest year of each municipality and feature type. */
  latest?: boolean;
}

export interface PackStatus {
  /**
   * Pack id: the same files are the same pack.
   * @pattern ^[0-9a-f]{64}$
   */
  id: string;
  status: 'accepted' | 'processing' | 'succeeded' | 'failed';
  /**
   * Never decreases; 1 exactly when succeeded.
   * @min 0
   * @max 1
   */
  progress: number;
  /**
   * When processing started. Before that, when the server accepted the pack.
   * @format date-time
   */
  startedAt: string;
  /**
   * Address of the zip.
   * @format uri
   */
  url: string;
  /**
   * When the server deletes a finished pack.
   * @format date-time
   */
  expiresAt?: string;
  /**
   * Bytes.
   * @format int64
   * @min 0
   */
  size?: number;
  /** Members of the zip. */
  files?: number;
  /** The first 1,000 paths that the files refer to and their packages lack. */
  missing?: string[];
  /** Number of all such paths. */
  missingCount?: number;
  /** Why the pack failed. */
  reason?: string;
}

/** Attributes under their qualified names. A coded value `k` has its code in `k_code`; a measure its unit in `k_uom`. */
export interface Feature {
  /** Feature id. */
  'gml:id': string;
  /** Qualified element name such as `bldg:Building`. */
  _type: string;
  /** Bounding box; absent without geometry. */
  _bbox?: {
    min: {
      /**
       * Longitude, degrees.
       * @format double
       */
      lng: number;
      /**
       * Latitude, degrees.
       * @format double
       */
      lat: number;
      /**
       * Altitude, metres above sea level.
       * @format double
       */
      alt: number;
    };
    max: {
      /**
       * Longitude, degrees.
       * @format double
       */
      lng: number;
      /**
       * Latitude, degrees.
       * @format double
       */
      lat: number;
      /**
       * Altitude, metres above sea level.
       * @format double
       */
      alt: number;
    };
    center: {
      /**
       * Longitude, degrees.
       * @format double
       */
      lng: number;
      /**
       * Latitude, degrees.
       * @format double
       */
      lat: number;
      /**
       * Altitude, metres above sea level.
       * @format double
       */
      alt: number;
    };
  };
  [key: string]: unknown;
}

/** GeoJSON (RFC 7946). */
export interface FeatureCollection {
  type: 'FeatureCollection';
  features: {
    type: 'Feature';
    [key: string]: unknown;
  }[];
}

export interface FeatureIds {
  /** gml:ids. */
  featureIds: string[];
}

export interface GeoidHeight {
  /** Latitude as it was given, degrees. */
  lat: number;
  /** Longitude as it was given, degrees. */
  lng: number;
  /** Height of the geoid above the ellipsoid, metres. */
  geoid_height: number;
  /** The same as text with three decimals. */
  geoid: string;
}

/** A JSON-RPC message of the Model Context Protocol. */
export interface McpMessage {
  jsonrpc: '2.0';
  [key: string]: unknown;
}

export interface SdkDatasets {
  data: {
    /** Prefecture code. */
    id: string;
    /** Name of the prefecture. */
    title: string;
    data: {
      /** Municipality code. */
      id: string;
      /** Name of the municipality. */
      title: string;
      /** Name, year and licence. */
      description: string;
      /** Feature types of the newest package. */
      featureTypes: string[] | null;
    }[];
  }[];
}

/** GML files by feature type. */
export type SdkFiles = Record<
  string,
  {
    /** Mesh code. */
    code: string;
    /** Highest LOD in the file. */
    maxLod: number;
    /** @format uri */
    url: string;
  }[]
>;

export interface GraphqlError {
  /** What is wrong. */
  message: string;
  locations?: {
    line: number;
    column: number;
  }[];
  path?: (string | number)[];
  extensions?: Record<string, unknown>;
}

/** The request has no query. The object has the error of this service and that of GraphQL. */
export interface GraphqlRefusal {
  error: string;
  reason: string;
  errors: GraphqlError[];
}

export interface GraphqlRequest {
  /**
   * The query.
   * @minLength 1
   * @pattern \S
   */
  query: string;
  /** Values of its variables. */
  variables?: Record<string, unknown> | null;
  /** Which of several operations. */
  operationName?: string | null;
}

/** `errors` lists everything that is wrong with a query. The status is 200. */
export interface GraphqlResponse {
  data?: Record<string, unknown> | null;
  errors?: GraphqlError[];
}

export interface Live {
  status: 'ok';
  /** Version of the program. */
  version: string;
}

export interface NotReady {
  error: string;
  reason: string;
  checks: Record<string, string>;
}

export interface Ready {
  status: 'ok';
  /** For each part `ok`, or why it does not answer. */
  checks: Record<string, string>;
}
