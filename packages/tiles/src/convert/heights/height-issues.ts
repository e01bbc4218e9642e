/** What a part tells of heights that its models did not know. */
import type { ConvertIssue, HeightModel, PlacesOf } from '../part-maker.ts';

/** Issues of a file, after its heights were raised. */
export function heightIssues(file: string, heights: HeightModel): ConvertIssue[] {
  const { name, outside, unrevised, otherGrid } = heights;
  const issues: ConvertIssue[] = [
    {
      code: 'GEOID_OUTSIDE',
      severity: 'warning',
      file,
      id: null,
      count: outside,
      message: `Positions lie outside of the geoid ${name}.`,
      remedy: 'EGM96 gave their heights, to about a metre. Name the geoid of the place in the setting GEOID.',
    },
    {
      code: 'HEIGHT_UNREVISED',
      severity: 'warning',
      file,
      id: null,
      count: unrevised.count,
      message: `The correction between heights of JGD2011 and JGD2024 is unknown, first at ${placeOf(unrevised)}.`,
      remedy: 'These heights are passed on without it. They may be off by some decimetres.',
    },
    {
      code: 'HEIGHT_OTHER_GRID',
      severity: 'warning',
      file,
      id: null,
      count: otherGrid.count,
      message: `The authority corrects heights by another grid here, first at ${placeOf(otherGrid)}.`,
      remedy: 'The grid of benchmarks is used, which differs by some centimetres.',
    },
  ];
  return issues.filter(({ count }) => count > 0);
}

/** `35.680000, 139.770000`: latitude first, as maps have it. */
function placeOf({ first }: PlacesOf): string {
  return first === null ? '' : `${first[1].toFixed(6)}, ${first[0].toFixed(6)}`;
}
