import type { Building } from './building.ts';
import type { IurVersion } from './gml.ts';
import type { Block } from './town.ts';

/** Version of CityGML, without its `.0`. */
export type CityGmlVersion = 2 | 3;

/** One edition of one city's data. */
export interface Edition {
  cityCode: string;
  /** Name for people and as it is in package names. */
  cityName: string;
  romanName: string;
  year: number;
  iur: IurVersion;
  /** 3 for files of CityGML 3.0 with i-UR 4.0, made of those of 2.0 with `iur`. */
  citygml: CityGmlVersion;
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
