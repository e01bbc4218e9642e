/** Sums of a basket of several areas. */
import type { Area } from '../core/area.ts';
import { addFeatures, type FeatureSum, featuresOf, scaled } from '../core/feature-sums.ts';
import { type FileCounts, type FoundFile, groupBy, sumOf } from '../core/files.ts';

/** An area with what the server counted in it. */
export interface AreaCounts {
  /** As the address bar holds it. */
  text: string;
  area: Area;
  /** The condition of operation 7 that finds its files, and of a polygon some around it. */
  condition: string;
  counts: FileCounts;
  /** The files that meet a polygon, where they were listed; else null. */
  files: FoundFile[] | null;
}

export interface Sum {
  files: number;
  features: number;
  /** Uncompressed bytes. */
  bytes: number;
  /** Bytes in a zip, as an estimate. */
  zip: number;
}

/** Features by type of several areas together. */
export function featuresOfAreas(areas: readonly AreaCounts[]): Map<string, FeatureSum> {
  const all = new Map<string, FeatureSum>();
  for (const area of areas) {
    const kept = typesOf([area]);
    for (const [type, { features, tables }] of featuresOf(area.counts)) {
      // Of a polygon, the files that meet it have a part of those in its box.
      const share = features === 0 ? 0 : (kept.get(type)?.features ?? 0) / features;
      addFeatures(all, type, { features: features * share, tables: scaled(tables, share) });
    }
  }
  return all;
}

/** Sums of each area, made once: a country has thousands of them. */
const sums = new WeakMap<AreaCounts, ReadonlyMap<string, Sum>>();

/** Sums by feature type, of all areas together; a file that lies in two areas counts twice. */
export function typesOf(areas: readonly AreaCounts[]): Map<string, Sum> {
  const types = new Map<string, Sum>();
  for (const area of areas) {
    let own = sums.get(area);
    if (own === undefined) {
      own = typesOfArea(area);
      sums.set(area, own);
    }
    for (const [type, sum] of own) add(types, type, sum);
  }
  return types;
}

function typesOfArea({ counts, files }: AreaCounts): Map<string, Sum> {
  const ofBox = new Map<string, Sum>();
  for (const { types } of counts.cities) {
    for (const [type, { zip_bytes: zip, ...part }] of Object.entries(types))
      add(ofBox, type, { ...part, zip });
  }
  if (files === null) return ofBox;
  const types = new Map<string, Sum>();
  for (const [type, list] of groupBy(files, (file) => file.type)) {
    const { files: count, features, bytes } = sumOf(list);
    // Compressed as well as the files of the box around them.
    const box = ofBox.get(type);
    const zip = box === undefined || box.bytes === 0 ? bytes : Math.round((bytes * box.zip) / box.bytes);
    add(types, type, { files: count, features, bytes, zip });
  }
  return types;
}

function add(types: Map<string, Sum>, type: string, part: Sum): void {
  const sum = types.get(type) ?? { files: 0, features: 0, bytes: 0, zip: 0 };
  types.set(type, {
    files: sum.files + part.files,
    features: sum.features + part.features,
    bytes: sum.bytes + part.bytes,
    zip: sum.zip + part.zip,
  });
}

/** The sum of the chosen types; null chooses all. */
export function chosenSum(areas: readonly AreaCounts[], chosen: readonly string[] | null): Sum {
  const total: Sum = { files: 0, features: 0, bytes: 0, zip: 0 };
  for (const [type, sum] of typesOf(areas)) {
    if (chosen !== null && !chosen.includes(type)) continue;
    total.files += sum.files;
    total.features += sum.features;
    total.bytes += sum.bytes;
    total.zip += sum.zip;
  }
  return total;
}

/** Municipalities and years that the areas have files of. */
export function addSums(areas: readonly AreaCounts[]): Array<{ cityCode: string; year: number }> {
  return areas.flatMap(({ counts }) => counts.cities.map(({ cityCode, year }) => ({ cityCode, year })));
}

/** From this share of a limit on the bar warns. */
const NEAR_LIMIT = 0.8;

/** How much of what one pack may hold is used, 0 to 1 and more, and what that means. */
export function limitUse(
  { files, zip }: Pick<Sum, 'files' | 'zip'>,
  most: { files: number; zip: number },
): { share: number; state: 'within' | 'near' | 'beyond' } {
  const share = Math.max(files / most.files, zip / most.zip);
  return { share, state: share > 1 ? 'beyond' : share >= NEAR_LIMIT ? 'near' : 'within' };
}
