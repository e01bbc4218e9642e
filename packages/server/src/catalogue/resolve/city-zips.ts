/** The URLs that the spec of a municipality's zip, or of its tables, redirects to. */
import { hash } from 'node:crypto';
import { quoted } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { weakEtag } from '../../base/generated-document.ts';
import { membersOf } from '../names/areas.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type CityGmlSpec, parseCityGmlSpec } from '../specs/citygml-spec.ts';
import { quoteSpec } from '../specs/invalid-spec.ts';
import { areaLabel } from './nearest.ts';

/**
 * The package that a spec stands for: the ward's own where there is one, else its city's; undefined for none. With a
 * `type` only packages that have it count: the newest edition of a city may lack what an earlier one has.
 */
export function resolveCityGml(
  snapshot: Snapshot,
  spec: CityGmlSpec,
  type: string | null = null,
): PackageRow | undefined {
  const choose = (area: string) =>
    snapshot
      .cityGmlOf(area)
      .find(
        ({ year, types }) =>
          (spec.year === 'latest' || year === spec.year) && (type === null || types.includes(type)),
      );
  const own = choose(spec.area);
  const city = own === undefined ? snapshot.cityAround(spec.area) : null;
  return city === null ? own : choose(city);
}

/**
 * Where a spec redirects to, with a weak entity tag of that URL. Throws ServiceError 400 for a malformed
 * spec, 404 naming the years or wards that exist when nothing matches.
 */
export function cityZipFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
): { location: string; etag: string } {
  return redirectTo(urls.archive(packageOf(snapshot, text)));
}

/**
 * Where the table of a feature type of a spec is; `latest` is the newest edition that has the type. Throws as
 * `cityZipFor`, and 404 where no package has the type, or its table is not made yet.
 */
export function cityTableFor(
  snapshot: Snapshot,
  urls: AssetUrls,
  text: string,
  type: string,
): { location: string; etag: string } {
  const row = resolveCityGml(snapshot, parseCityGmlSpec(text), type) ?? packageOf(snapshot, text);
  if (row.tables?.some((table) => table.type === type)) return redirectTo(urls.table(row, type));
  throw new ServiceError(404, 'not found', {
    reason: !row.types.includes(type)
      ? `${row.name} has no ${quoted(type, 40)}; its types are ${row.types.join(', ')}.`
      : `The table of ${quoted(type, 40)} is not made yet; it is made after its package was published.`,
  });
}

/** The package that a spec stands for. */
function packageOf(snapshot: Snapshot, text: string): PackageRow {
  const spec = parseCityGmlSpec(text);
  const row = resolveCityGml(snapshot, spec);
  if (row !== undefined) return row;
  throw new ServiceError(404, 'not found', { reason: nearest(snapshot, spec, text) });
}

function redirectTo(location: string): { location: string; etag: string } {
  return { location, etag: weakEtag(hash('sha256', location, 'base64url')) };
}

function nearest(snapshot: Snapshot, spec: CityGmlSpec, text: string): string {
  const nothing = `Nothing matches ${quoteSpec(text)}.`;
  const sameArea = [
    ...snapshot.cityGmlOf(spec.area),
    ...snapshot.cityGmlOf(snapshot.cityAround(spec.area) ?? ''),
  ];
  if (sameArea.length > 0) {
    const years = [...new Set(sameArea.map((row) => row.year))];
    return `${nothing} ${areaLabel(spec.area)} is published for the years ${years.join(', ')}.`;
  }
  const wards = membersOf(spec.area).filter((ward) => snapshot.cityGmlOf(ward).length > 0);
  return wards.length > 0
    ? `${nothing} ${areaLabel(spec.area)} is published per ward; give the code of one of them: ${wards.join(', ')}.`
    : `${nothing} No CityGML is published for ${areaLabel(spec.area)}.`;
}
