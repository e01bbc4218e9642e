/** What a request about features counts, complains about and refuses. */
import { quoted } from '@citymodel/base';
import { type FeatureEntry, MAX_DEPTH, MAX_KEPT } from '@citymodel/citygml';
import type { PackageRow } from '@citymodel/store';
import { ServiceError } from '../base/errors.ts';
import type { WorkLimits } from './feature-work.ts';
import type { FeatureFault } from './present-features.ts';

/** What a request counts and complains about. */
export interface QueryProgress {
  readonly source: PackageRow | null;
  warnings: Set<string>;
  cost: { features: number; files: number };
  /**
   * True where features are named by their ids: one that is too large is an error then; else it is left out with a
   * warning.
   */
  refusesLarge: boolean;
}

/** `source`: the package that was named, of which the answer is alone. */
export function newProgress(source: PackageRow | null, refusesLarge = false): QueryProgress {
  return { source, warnings: new Set(), cost: { features: 0, files: 0 }, refusesLarge };
}

/** Header values are ASCII, and the path is the caller's to read. */
export function faultOf(path: string): string {
  return `${encodeURI(path)} is not well formed: only what stands before the fault is known`;
}

/** A warning: features that nest too deep are left out. */
export function tooDeep(path: string): string {
  return `${encodeURI(path)} has features that are left out: their elements nest deeper than ${MAX_DEPTH}`;
}

/** A warning: features that are too large are left out. */
export function leftOut(path: string): string {
  return (
    `${encodeURI(path)} has features that are left out: their text without geometry has more than ${MAX_KEPT} ` +
    `bytes`
  );
}

/** A warning: features without their geometry. */
export function geometryLeftOut(path: string, { maxGeometryBytes }: WorkLimits): string {
  return `${encodeURI(path)} has features of more than ${maxGeometryBytes} bytes: their geometry is left out`;
}

/** The error of a feature that was asked for by its id and is too large. */
export function tooLarge({ id }: FeatureEntry, { message }: FeatureFault): ServiceError {
  return new ServiceError(413, 'request too large', {
    reason: `The feature ${quoted(id ?? '')} is too large to be answered: ${message}. Ask for the others without it.`,
  });
}

/** The error of a URL that names no hosted file. */
export function notFound(url: string): ServiceError {
  return new ServiceError(400, 'cannot fetch', { reason: 'No hosted file has this URL.', url });
}

/** The error of a URL that names a file which is no CityGML. */
export function noGml(url: string): ServiceError {
  return new ServiceError(400, 'invalid url', {
    reason: 'The URL does not name a CityGML file; expected one ending in .gml below udx/.',
    url,
  });
}
