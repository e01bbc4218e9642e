import type { Building } from './building.ts';
import type { IurVersion } from './gml.ts';
import type { Block } from './town.ts';

/** One edition of one city's data. */
export interface Edition {
  cityCode: string;
  /** Name for people and as it is in package names. */
  cityName: string;
  romanName: string;
  year: number;
  iur: IurVersion;
  /** Version of the standard product specification. */
  spec: string;
  blocks: Block[];
  seed: number;
  /** The building exists in this edition. */
  includes(building: Building): boolean;
  /** False for an edition that has LOD1 only. */
  lod2: boolean;
  /** Types beside bldg and tran. */
  types: Array<'dem' | 'fld' | 'luse' | 'urf'>;
}
