/** What one feature's geometry comes to; its arrays are overwritten by the next feature. */
export interface FeatureGeometry {
  /** Bit n: there is geometry at LOD n. */
  lods: number;
  /**
   * `[west, south, east, north, minAlt, maxAlt]` of the geometry that stands for the feature; null when it has none.
   */
  box: Float64Array | null;
  /** The same of everything at any LOD. */
  extent: Float64Array | null;
  hasAltitude: boolean;
  solid: boolean;
  /** Encoded footprint; null when it must be read from the text. */
  footprint: Uint8Array | null;
}
