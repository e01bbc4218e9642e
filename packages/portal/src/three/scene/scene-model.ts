import type { Bounds } from '@citymodel/geo';
import type { Part } from '../focus.ts';

/** A tileset that was asked for, with the region of its root: degrees, and metres above the ellipsoid. */
export interface SceneModel {
  /** Its name in the address bar. */
  id: string;
  url: string;
  /** Feature-type code; null where it is not known. */
  type: string | null;
  bounds: Bounds;
  low: number;
  high: number;
  /** Where to look at first, when the whole is too large for one look. */
  focus?: Part | undefined;
}
