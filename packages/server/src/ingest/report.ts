/** What an ingestion tells: for the operator as a table, for programs as JSON (`--json`). */
import type { Issue, IssueCount } from '@citymodel/base';
import type { InspectReport } from '@citymodel/inspect';
import type { PackageKind, PackageRow } from '@citymodel/store';
import { factsOfCheck, inspectedOf } from '../quality/kept-report.ts';

/**
 * `published`: new in the catalogue. `replaced`: took the place of another revision. `unchanged`: was there already.
 * `refused`: did not go in; the store is as before. `failed`: the same, for a reason that is not the package's, such as
 * a full disk. `understood`: a dry run has read all of it. `named`: only names were looked at.
 */
export type IngestOutcome =
  | 'published'
  | 'replaced'
  | 'unchanged'
  | 'refused'
  | 'failed'
  | 'understood'
  | 'named';

export interface IngestReport {
  /** Path that was given. */
  upload: string;
  outcome: IngestOutcome;
  package: PackageSummary | null;
  /** Fields of the package that were guessed. */
  guessed: string[];
  issues: Issue[];
  issueCounts: { error: number; warning: number; info: number };
  /** The same by code, where `issues` are not all: in results of jobs. */
  issueCodes?: IssueCount[];
  /** What the checks of quality found that look while CityGML is read; absent where nothing was read. */
  quality?: IngestQuality | null;
  /** Mesh codes of its GML files, some hundreds at most, in a dry run: where the package would be. */
  meshes?: string[];
  /** Why it was refused, or failed. */
  refusal: { code: string; reason: string } | null;
  /** Uncompressed bytes read. */
  bytes: number;
  seconds: number;
}

/** Where the way of an upload ended, and what is reported of the package there. */
export type Ending = Pick<IngestReport, 'outcome' | 'package' | 'guessed'> &
  Partial<Pick<IngestReport, 'issues' | 'issueCounts' | 'bytes' | 'quality' | 'meshes'>>;

/** Findings of an ingestion, in short. */
export interface IngestQuality {
  /** Product specification: 4 or 6. */
  spec: number;
  errors: number;
  warnings: number;
  /** Checks that found something, in the order of reports. */
  checks: Array<{
    code: string;
    /** Official name. */
    name: string;
    severity: string;
    title: { ja: string; en: string };
    errors: number;
    /** The first places. */
    places: FoundPlace[];
  }>;
}

/** A place where a check found something. */
export interface FoundPlace {
  file: string | null;
  id: string | null;
  line: number | null;
  message: string;
  /** Longitude and latitude, degrees; null where the finding has no position. */
  place: [lng: number, lat: number] | null;
  /** Text from that line on, in a dry run. */
  sample?: string;
}

/** Places of a check that a report of an ingestion has. */
const SHOWN_PLACES = 3;

/** A report of quality in short. */
export function qualityOf(report: InspectReport | null): IngestQuality | null {
  if (report === null) return null;
  const { spec, errors, warnings } = inspectedOf(report, '').quality;
  const checks = report.checks.filter((check) => check.errors > 0);
  return {
    spec,
    errors,
    warnings,
    checks: checks.map(({ code, name, severity, errors: found, items }) => ({
      code,
      name,
      severity,
      title: factsOfCheck(code)?.title ?? { ja: name, en: name },
      errors: found,
      places: items.slice(0, SHOWN_PLACES).map(({ file, id, line, message, position }) => ({
        ...{ file, id, line, message },
        place: position?.every(Number.isFinite) ? [position[0], position[1]] : null,
      })),
    })),
  };
}

export interface PackageSummary {
  id: string | null;
  name: string;
  kind: PackageKind;
  pref: string;
  city: string;
  cityCode: string;
  ward: string | null;
  wardCode: string | null;
  provider: string;
  year: number;
  registrationYear: number;
  spec: string;
  revision: string;
  types: string[];
  lod: number | null;
  texture: boolean | null;
  license: string | null;
  /** GML files, or tiles. */
  files: number;
  features: number;
  /** Bytes of the archive; null when nothing was written. */
  archiveSize: number | null;
}

/** A package as reports tell it; id and size are null while it has none. */
export function summaryOf(
  pkg: Omit<PackageSummary, 'lod' | 'texture'> & Pick<PackageRow, 'dataset'>,
): PackageSummary {
  return {
    id: pkg.id,
    name: pkg.name,
    kind: pkg.kind,
    pref: pkg.pref,
    city: pkg.city,
    cityCode: pkg.cityCode,
    ward: pkg.ward,
    wardCode: pkg.wardCode,
    provider: pkg.provider,
    year: pkg.year,
    registrationYear: pkg.registrationYear,
    spec: pkg.spec,
    revision: pkg.revision,
    types: pkg.types,
    lod: pkg.dataset?.lod ?? null,
    texture: pkg.dataset?.texture ?? null,
    license: pkg.license,
    files: pkg.files,
    features: pkg.features,
    archiveSize: pkg.archiveSize,
  };
}
