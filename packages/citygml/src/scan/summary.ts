import type { Bounds, Extent } from '@citymodel/geo';

/** What one pass over a GML file tells about it. */
export interface GmlSummary {
  /** Uncompressed bytes. */
  size: number;
  /** Top-level features: children of `core:cityObjectMember` (and `gml:featureMember`). */
  features: number;
  /** Features without a gml:id among them. */
  featuresWithoutId: number;
  /** Number of features that have geometry at LOD 0 to 4. */
  lods: [number, number, number, number, number];
  /** Extent of all features in longitude, latitude, metres; null when there is no geometry or an unknown CRS. */
  extent: Extent | null;
  /** `EPSG:6697` and the like: every srsName that geometry uses, most frequent first. */
  crs: string[];
  /** Qualified names (canonical prefixes) of the top-level features with their number, most frequent first. */
  elements: Array<{ name: string; count: number }>;
  /** Version of CityGML by its core namespace: `2.0`, `3.0`, or null. */
  citygmlVersion: string | null;
  /** Versions of i-UR whose namespaces are declared, e.g. `['3.1']`. */
  iurVersions: string[];
  /** References to other files as they are written, each once, in order of appearance. */
  references: {
    codeSpaces: string[];
    images: string[];
    /** `xlink:href` that does not start with `#` and is no http(s) URL. */
    hrefs: string[];
    /** Relative locations in `xsi:schemaLocation`. */
    schemas: string[];
  };
  /** 5-digit municipality codes found as coded values of `uro:city` and the like. */
  areaCodes: string[];
  /** Town and building names with where they are, for the gazetteer. */
  places: Place[];
  /** False when the text is not well formed; everything before the fault is counted. */
  wellFormed: boolean;
  /** Why the scan was broken off before the end, a full sentence: the text takes more memory than any honest one. */
  overBudget: string | null;
  /** Steps from references to what they name, in all features. */
  referenceSteps: number;
  /** Serialised feature index (see `feature-index.ts`). */
  featureIndex: Uint8Array;
}

/** A name found in the data's addresses or `gml:name`, with the bounds of the features that carry it. */
export interface Place {
  name: string;
  kind: 'town' | 'building';
  bounds: Bounds;
}
