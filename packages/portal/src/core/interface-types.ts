/** Made by scripts/portal-types.ts from docs/openapi.json. */

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
  /**
   * A light picture, 600 by 315 pixels; docs/pictures.md has the others.
   * @format uri
   */
  picture_url?: string;
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
  /** 3rd meshes (8 digits) that have files. A file that is named by a larger mesh counts for none. */
  meshes: number;
  /** Square kilometres of these meshes. */
  meshes_km2: number;
  /** Only for a place name: the places that it stands for. */
  places?: {
    /** Name, from the largest area down. */
    name: string;
    /** Codes of the prefecture, municipality or ward whose files are meant; none where the box says what is meant. */
    codes: string[];
    /** West, south, east, north in degrees; null where unknown. */
    bbox: number[] | null;
  }[];
}

export interface QualityReport {
  /** Name of the package. */
  package: string;
  /** Null for a package that was not inspected. */
  quality: {
    /** Product specification: 4 or 6. */
    spec: number;
    /** Errors. */
    errors: number;
    /** Warnings, which do not decide. */
    warnings: number;
    /** True when nothing was passed over. */
    complete: boolean;
    /**
     * When the package was inspected.
     * @format date-time
     */
    checkedAt: string;
    /** `ingestion`: only the checks that need no geometry have looked, while the package was read. `inspection`: all that were asked for. Absent in what earlier versions found. */
    scope?: 'ingestion' | 'inspection';
  } | null;
  /** Every check that concerns the package, also with 0 errors. */
  checks: {
    /** Code of the check, such as `L04`. */
    code: string;
    /** Its official name. */
    name: string;
    severity: 'error' | 'warning' | 'count';
    /** What it found. */
    errors: number;
    /** Findings that are counted and not listed. */
    left: number;
    /** In Japanese and English; null for a check that this version does not know. */
    title: {
      ja: string;
      en: string;
    } | null;
    /** In Japanese and English; null for a check that this version does not know. */
    rule: {
      ja: string;
      en: string;
    } | null;
  }[];
  /** What was not looked at. */
  skipped: {
    /** Path of the file; null for the package. */
    file: string | null;
    /** Why. */
    reason: string;
    /** How often. */
    count: number;
  }[];
  /** A page of places. */
  places: {
    /** Order in the report. */
    position: number;
    /** Code of the check. */
    code: string;
    /** Path of the GML file; null for the package. */
    file: string | null;
    /** gml:id. */
    id: string | null;
    /** A second id, or the value that is wrong. */
    ref: string | null;
    /** Line of the feature in its file. */
    line: number | null;
    /** Name of the element. */
    type: string | null;
    /** LOD. */
    lod: number | null;
    /** What is wrong. */
    message: string;
    /** Longitude and latitude in degrees, height in metres as in the file. */
    place: number[] | null;
  }[];
  /** `after` of the next page; null after the last. */
  next: number | null;
  /** EPSG code of the plane in which areas and lengths were measured. */
  plane?: number;
  /** The object list; null when there was none. */
  objects?: string | null;
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
    /** The licence that all packages state; null where they differ, or one states none. */
    licence_of_all: string | null;
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
  /** Highest LOD by feature type, of types with 3D Tiles or CityGML. */
  max_lods: Record<string, number>;
  /** Whether there are textured 3D Tiles. */
  textured: boolean;
  /** Codes of wards with packages of their own, or that those of the city cover. */
  wards: string[];
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

/** A CityGML file. */
export interface CityGmlFile {
  /**
   * Mesh code; empty outside of the meshes of Japan.
   * @pattern ^\d*$
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

export interface PackAccepted {
  /**
   * Pack id: the same files are the same pack.
   * @pattern ^[0-9a-f]{64}$
   */
  id: string;
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

export interface FeatureStatistics {
  /** As it was asked for. */
  area: string;
  /** Feature-type codes and element names. */
  type: string[];
  /** The conditions. */
  where: string | null;
  /** Features of all groups together. */
  features: number;
  /** The largest first. */
  groups: {
    /** By name: the value that the features have; null for none, a list for several. */
    by: Record<string, (string | null) | number | boolean | (string | number | boolean)[]>;
    /** How many features. */
    count: number;
    /** By name: what the numbers of these features add up to. */
    of: Record<
      string,
      {
        /** How many numbers there are. */
        values: number;
        /** Their sum; null beyond the range of a double. */
        sum: number | null;
        /** Null where there is no number, as `max` and `mean` are. */
        min: number | null;
        max: number | null;
        mean: number | null;
        /** Values that stand for what is not known, such as -9999. They are in no sum. */
        unknown: number;
        /** Values that are no numbers. */
        other: number;
      }
    >;
  }[];
  /** CityGML packages that hold the features. */
  packages: number;
  /** What is not counted, because it has no table yet. */
  without_table: {
    /** How many of these packages lack a table of a type. */
    packages: number;
    /** How many features of the types they have; none is counted. */
    features: number;
    /** The first 50 of them. */
    names: string[];
  };
  /** Features of the tables that cannot be read, so that no search answers them. */
  left_out: number;
  /** Attributes that the features have, which `by` and `of` take; at most 300. */
  attributes: string[];
}

/** What two editions of a municipality differ in, in one feature type. */
export interface Changes {
  /**
   * 5-digit municipality code; of a prefecture's own package the prefecture's 2 digits.
   * @pattern ^(\d{5}|\d{2})$
   */
  city_code: string;
  /**
   * Feature-type code such as bldg.
   * @pattern ^[a-z][a-z0-9]*$
   */
  type: string;
  from: {
    /** Name of the package. */
    package: string;
    /**
     * Fiscal year of production.
     * @min 1900
     * @max 2999
     */
    year: number;
  };
  to: {
    /** Name of the package. */
    package: string;
    /**
     * Fiscal year of production.
     * @min 1900
     * @max 2999
     */
    year: number;
  };
  state: 'comparing' | 'compared';
  /** Bytes of text that were read, while the editions are being compared. */
  progress: {
    done: number;
    total: number;
    [key: string]: unknown;
  } | null;
  /** Null while the editions are being compared. */
  summary: {
    features: {
      /** In the older edition. */
      from: number;
      /** In the newer edition. */
      to: number;
    };
    /** Features of the newer edition alone. */
    added: number;
    /** Features of the older edition alone. */
    removed: number;
    /** Features of both that differ. */
    changed: number;
    /** Features of both that are the same, but for ids. */
    unchanged: number;
    /** Features with other attributes. */
    changedAttributes: number;
    /** Features with another geometry. */
    changedGeometry: number;
    /** Features that are higher now. */
    higher: number;
    /** Features that are lower now. */
    lower: number;
    matchedBy: {
      /** Features that were found by their gml:id. */
      id: number;
      /** By the id of i-UR that stays. */
      stableId: number;
      /** By their footprint. */
      footprint: number;
    };
    /** In how many features each attribute differs. */
    byAttribute: Record<string, number>;
    /** Differences in attributes that `byAttribute` or the features do not list. */
    otherAttributes: number;
    notCompared: {
      from: {
        /** Features with more text than is compared. */
        tooLarge: number;
        /** Features that cannot be read. */
        broken: number;
        /** Files that are no XML from some place on. */
        brokenFiles: number;
      };
      to: {
        /** Features with more text than is compared. */
        tooLarge: number;
        /** Features that cannot be read. */
        broken: number;
        /** Files that are no XML from some place on. */
        brokenFiles: number;
      };
    };
  } | null;
  /** A page of features. */
  differences: (
    | {
        /** Order in the list. */
        position: number;
        /** Qualified element name such as `bldg:Building`. */
        type: string;
        /** gml:id, of the newer edition where it has the feature. */
        id: string | null;
        /** West, south, east, north, degrees. */
        bounds: number[] | null;
        /** Longitude and latitude of the middle of the footprint, degrees. */
        centre: number[] | null;
        /** Footprint as a geometry of GeoJSON; null for a feature without an area. */
        outline: {
          type: 'Polygon' | 'MultiPolygon';
          coordinates: unknown[];
        } | null;
        change: 'added' | 'removed';
        /** From the lowest to the highest point, metres; null where the data does not tell it. */
        height: number | null;
        /** On the ground, square metres; null where the data does not tell it. */
        footprintArea: number | null;
        /** Of the solids, cubic metres; null where the data does not tell it. */
        volume: number | null;
        /** Levels of detail. */
        lods: number[];
      }
    | {
        /** Order in the list. */
        position: number;
        /** Qualified element name such as `bldg:Building`. */
        type: string;
        /** gml:id, of the newer edition where it has the feature. */
        id: string | null;
        /** West, south, east, north, degrees. */
        bounds: number[] | null;
        /** Longitude and latitude of the middle of the footprint, degrees. */
        centre: number[] | null;
        /** Footprint as a geometry of GeoJSON; null for a feature without an area. */
        outline: {
          type: 'Polygon' | 'MultiPolygon';
          coordinates: unknown[];
        } | null;
        change: 'changed';
        /** gml:id in the older edition. */
        fromId: string | null;
        /** How the feature was found again. */
        matchedBy: 'id' | 'stableId' | 'footprint';
        attributes: {
          /** Name of the attribute; those of nested objects are joined by `/`. */
          name: string;
          from?: {
            /** Of a code the code itself; several values in an order of their own. */
            value: unknown;
            /** The description of the code. */
            label?: string;
          };
          to?: {
            /** Of a code the code itself; several values in an order of their own. */
            value: unknown;
            /** The description of the code. */
            label?: string;
          };
        }[];
        /** Attributes that differ and are not listed. */
        attributesLeft: number;
        /** Null when the geometry is the same. */
        geometry: {
          /** Between the middles of the footprints, metres; null where the data does not tell it. */
          movedBy: number | null;
          height: {
            /** Before, metres; null where the data does not tell it. */
            from: number | null;
            /** Now, metres; null where the data does not tell it. */
            to: number | null;
          };
          footprintArea: {
            /** Before, square metres; null where the data does not tell it. */
            from: number | null;
            /** Now, square metres; null where the data does not tell it. */
            to: number | null;
          };
          volume: {
            /** Before, cubic metres; null where the data does not tell it. */
            from: number | null;
            /** Now, cubic metres; null where the data does not tell it. */
            to: number | null;
          };
          lods: {
            /** Before. */
            from: number[];
            /** Now. */
            to: number[];
          };
        } | null;
      }
  )[];
  /** `after` of the next page; null after the last. */
  next: number | null;
}
