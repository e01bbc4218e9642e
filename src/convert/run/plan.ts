/** What is made of a package: which file goes to which maker, under which hash, and which packages come out. */
import { readingsOf } from '../../catalogue/names/area-readings.ts';
import type { HeightGrid } from '../heights/height-grid.ts';
import { type ConvertOptions, type OutputKey, outputSuffix, type PartOutput } from '../part-maker.ts';
import { MAKERS } from './makers.ts';
import { companionDigests, gmlFilesOf, type PackageSource } from './package-source.ts';
import { partHash } from './part-store.ts';
import type { JoinTask, PartTask } from './work.ts';

export interface ConversionPlan {
  parts: PartTask[];
  /** Outputs that may come of it, by what names of files tell; with files and bytes of text. */
  outputs: Array<{ key: OutputKey; files: number; bytes: number }>;
}

/** Changes when parts of the same ingredients would have another form. */
const FORM = 2;

/** Plans a conversion: parts in the order of paths. `types`: only these feature types; null for all. */
export function planConversion(
  source: PackageSource,
  options: ConvertOptions,
  types: readonly string[] | null,
  grid: HeightGrid | null,
): ConversionPlan {
  const files = gmlFilesOf(source).filter(({ type }) => types === null || types.includes(type));
  const companions = companionDigests(source, files);
  const { cityCode, cityName, wards, year } = source.package;
  const gridFacts = grid === null ? null : { ...grid, metres: digestOfGrid(grid) };
  const parts: PartTask[] = [];
  const outputs = new Map<string, ConversionPlan['outputs'][number]>();
  for (const gml of files) {
    for (const maker of MAKERS) {
      const keys = maker.plan(gml, options);
      if (keys.length === 0) continue;
      const hash = partHash([
        FORM,
        [maker.name, maker.version],
        [cityCode, cityName, wards, year],
        [gml.path, source.stat(gml.path)?.stamp, companions.get(gml.path)],
        maker.partOptions.map((name) => options[name]),
        maker.partOptions.includes('heights') ? gridFacts : null,
      ]);
      parts.push({ kind: 'part', maker: maker.name, gml, hash });
      for (const key of keys) {
        const suffix = outputSuffix(key);
        const output = outputs.get(suffix) ?? { key, files: 0, bytes: 0 };
        output.files++;
        output.bytes += gml.size;
        outputs.set(suffix, output);
      }
    }
  }
  return { parts, outputs: [...outputs.values()] };
}

/** A few numbers of a grid tell it from another of the same shape. */
function digestOfGrid({ metres }: HeightGrid): string {
  let sum = 0;
  for (let i = 0; i < metres.length; i++) {
    const height = metres[i]!;
    if (!Number.isNaN(height)) sum = (Math.imul(sum, 31) + Math.round(height * 1_000)) | 0;
  }
  return String(sum);
}

/** What came of a part. */
export interface MadePart {
  task: PartTask;
  outputs: readonly PartOutput[];
}

/** A package that is to be joined. */
export type PlannedJoin = Omit<JoinTask, 'target' | 'provenance'> & { features: number; bytes: number };

/** The packages that parts become, by name. */
export function planJoins(packageName: string, made: readonly MadePart[]): PlannedJoin[] {
  const joins = new Map<string, PlannedJoin>();
  for (const { task, outputs } of made) {
    for (const { key } of outputs) {
      const suffix = outputSuffix(key);
      if (joins.has(suffix)) continue;
      const parts = made.filter((part) => part.task.maker === task.maker && part.task.gml.type === key.type);
      joins.set(suffix, {
        kind: 'join',
        maker: task.maker,
        key,
        name: `${packageName}_${outputSuffix(key, wardName(key.wardCode))}`,
        parts: parts.map(({ task: { gml, hash } }) => ({ gml, hash })),
        features: featuresOf(parts, suffix),
        bytes: parts.reduce((sum, part) => sum + part.task.gml.size, 0),
      });
    }
  }
  return [...joins.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function featuresOf(parts: readonly MadePart[], suffix: string): number {
  let features = 0;
  for (const { outputs } of parts) {
    for (const output of outputs) if (outputSuffix(output.key) === suffix) features += output.features;
  }
  return features;
}

/** Romanised, as names of packages have it: `chiyoda-ku`; the code for a ward that the table lacks. */
function wardName(code: string | null): string | null {
  return code === null ? null : (readingsOf(code)?.romaji ?? code);
}
