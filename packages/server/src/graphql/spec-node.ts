/** Editions of the product specification, and the types of datasets in each. */
import { isDisasterType, typeName, typeOrder } from '@citymodel/citygml';

/** A major edition. */
export class SpecNode {
  readonly __typename = 'PlateauSpec';
  readonly id: string;
  readonly majorVersion: number;
  /** Fiscal year of the oldest data that follows it. */
  year = Number.POSITIVE_INFINITY;
  datasetTypes: DatasetTypeNode[] = [];
  minorVersions: SpecMinorNode[] = [];

  constructor(majorVersion: number) {
    this.id = `ps_${majorVersion}`;
    this.majorVersion = majorVersion;
  }
}

/** An edition as the data names it. */
export class SpecMinorNode {
  readonly __typename = 'PlateauSpecMinor';
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly parent: SpecNode;
  /** Fiscal year of the oldest data that follows it. */
  year = Number.POSITIVE_INFINITY;

  constructor(version: string, parent: SpecNode) {
    // One without a second number would have the id of its major edition.
    this.id = `ps_${withNumber(version)}`;
    this.name = `第${version}版`;
    this.version = version;
    this.parent = parent;
  }

  get majorVersion(): number {
    return this.parent.majorVersion;
  }

  get parentId(): string {
    return this.parent.id;
  }
}

/** A feature type in one major edition. */
export class DatasetTypeNode {
  readonly __typename = 'PlateauDatasetType';
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly category = 'PLATEAU';
  readonly plateauSpec: SpecNode;
  readonly order: number;
  readonly flood: boolean;

  constructor(code: string, plateauSpec: SpecNode) {
    this.id = `dt_${code}_${plateauSpec.majorVersion}`;
    this.code = code;
    this.name = typeName(code);
    this.plateauSpec = plateauSpec;
    this.order = typeOrder(code) + 1;
    this.flood = isDisasterType(code);
  }

  get plateauSpecId(): string {
    return this.plateauSpec.id;
  }

  get year(): number {
    return this.plateauSpec.year;
  }
}

/** The number before the first dot of a version; 0 for what has none. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10) || 0;
}

/** An edition with its second number, by which those of callers are compared: `6.0` for `6`. */
export function withNumber(version: string): string {
  return version.includes('.') ? version : `${version}.0`;
}
