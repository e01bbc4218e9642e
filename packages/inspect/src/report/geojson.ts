/** The places of a report as GeoJSON (RFC 7946): longitude, latitude in degrees, height in metres as in the data. */
import type { FeatureCollection, Point } from 'geojson';
import type { InspectReport } from './report.ts';

export function placesOf(report: InspectReport): FeatureCollection<Point> {
  return {
    type: 'FeatureCollection',
    features: report.checks.flatMap(({ code, name, severity, items }) =>
      items.flatMap(({ position, file, id, ref, line, type, lod, message }) =>
        position === null || position === undefined || !position.every(Number.isFinite)
          ? []
          : [
              {
                type: 'Feature' as const,
                geometry: { type: 'Point' as const, coordinates: position },
                properties: { code, name, severity, file, id, ref, line, type, lod, message },
              },
            ],
      ),
    ),
  };
}
