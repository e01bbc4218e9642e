/**
 * Vertical systems of 3D Tiles. Those above the ellipsoid fit together to some decimetres, whatever geoid they were
 * made with; elevations lie 17 to 51 m below them in Japan, and those of the two datums of Japan differ by decimetres.
 */
import { compareTexts } from '@citymodel/base';
import type { DatasetSummary } from '@citymodel/store';

/** `ellipsoid` for all tiles that say nothing, as the specification of 3D Tiles wants it. */
export type VerticalSystem = 'ellipsoid' | 'elevation' | 'elevation of JGD2024' | 'elevation of both datums';

/** The system of a tileset by what it says of its heights. */
export function verticalSystemOf({ heights }: Pick<DatasetSummary, 'heights'>): VerticalSystem {
  if (heights === undefined || !/^elevation\b/.test(heights)) return 'ellipsoid';
  if (/some of/.test(heights)) return 'elevation of both datums';
  return /JGD2024/.test(heights) ? 'elevation of JGD2024' : 'elevation';
}

/** How many datasets there are of each system, the most frequent first, then by name. */
export function countSystems(
  datasets: Iterable<{ readonly summary: Pick<DatasetSummary, 'heights'> }>,
): Array<[system: VerticalSystem, count: number]> {
  const counts = new Map<VerticalSystem, number>();
  for (const { summary } of datasets) {
    const system = verticalSystemOf(summary);
    counts.set(system, (counts.get(system) ?? 0) + 1);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || compareTexts(a, b));
}

/** What a composite says of the systems of its children: the one that all have, or each with how many have it. */
export function systemsText(counts: ReadonlyArray<readonly [system: VerticalSystem, count: number]>): string {
  if (counts.length === 1) return counts[0]![0];
  return `mixed: ${counts.map(([system, count]) => `${count} of ${system}`).join(', ')}`;
}
