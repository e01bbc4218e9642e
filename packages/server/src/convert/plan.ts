/** What is made of a package: which file goes to which maker, under which hash, and which packages come out. */

import { compareTexts } from '@citymodel/base';
import {
  type ConvertOptions,
  type HeightGrid,
  lookInto,
  type OutputKey,
  outputSuffix,
  type PartOutput,
} from '@citymodel/tiles';
import { readingsOf } from '../catalogue/names/area-readings.ts';
import { companionDigests } from './companions.ts';
import { MAKERS, makerOf } from './makers.ts';
import { gmlFilesOf, type PackageSource } from './package-source.ts';
import { partHash } from './part-store.ts';
import type { JoinTask, PartTask } from './work.ts';

/** A package that will come of a conversion, with its files and their bytes of text. */
export interface ForeseenOutput {
  key: OutputKey;
  name: string;
  files: number;
  bytes: number;
}

/** Romanised names by code of wards that the table of areas lacks, such as invented ones. */
export type WardNames = Readonly<Record<string, string>>;

/** Changes when parts of the same ingredients would have another form. */
const FORM = 5;

/** The parts of a conversion, in the order of paths. `types`: only these feature types; null for all. */
export async function planConversion(
  source: PackageSource,
  options: ConvertOptions,
  types: readonly string[] | null,
  grid: HeightGrid | null,
): Promise<PartTask[]> {
  const files = gmlFilesOf(source).filter(({ type }) => types === null || types.includes(type));
  const companions = await companionDigests(source, files);
  const { cityCode, cityName, wards, year } = source.package;
  const gridFacts = grid === null ? null : { ...grid, metres: digestOfGrid(grid) };
  const parts: PartTask[] = [];
  for (const gml of files) {
    const makers = MAKERS.filter((maker) => maker.plan(gml, options).length > 0);
    if (makers.length === 0) continue;
    const stamp = await source.stampOf(gml.path);
    for (const maker of makers) {
      const hash = partHash([
        FORM,
        [maker.name, maker.version],
        [cityCode, cityName, wards, year],
        [gml.path, stamp, companions.get(gml.path)],
        maker.partOptions.map((name) => options[name]),
        maker.partOptions.includes('heights') ? gridFacts : null,
      ]);
      parts.push({ kind: 'part', maker: maker.name, gml, hash });
    }
  }
  return parts;
}

/** The packages that these parts will become, by looking through the texts of their files. */
export async function foreseeOutputs(
  source: PackageSource,
  options: ConvertOptions,
  parts: readonly PartTask[],
  wardNames: WardNames,
  onText: (bytes: number) => void,
): Promise<ForeseenOutput[]> {
  const outputs = new Map<string, ForeseenOutput>();
  for (const [path, tasks] of Map.groupBy(parts, ({ gml }) => gml.path)) {
    const content = await lookInto(source.read(path), onText);
    for (const { maker, gml } of tasks) {
      for (const key of makerOf(maker).foresee(gml, options, content, source.package)) {
        const name = outputName(source.package.name, key, wardNames);
        const output = outputs.get(name) ?? { key, name, files: 0, bytes: 0 };
        output.files++;
        output.bytes += gml.size;
        outputs.set(name, output);
      }
    }
  }
  return [...outputs.values()].sort((a, b) => compareTexts(a.name, b.name));
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
export function planJoins(
  packageName: string,
  wardParts: readonly MadePart[],
  wardNames: WardNames,
): PlannedJoin[] {
  const joins = new Map<string, PlannedJoin>();
  for (const { task, outputs } of wardParts) {
    for (const { key } of outputs) {
      const suffix = outputSuffix(key);
      if (joins.has(suffix)) continue;
      const parts = wardParts.filter(
        (part) => part.task.maker === task.maker && part.task.gml.type === key.type,
      );
      joins.set(suffix, {
        kind: 'join',
        maker: task.maker,
        key,
        name: outputName(packageName, key, wardNames),
        parts: parts.map(({ task: { gml, hash } }) => ({ gml, hash })),
        features: featuresOf(parts, suffix),
        bytes: parts.reduce((sum, part) => sum + part.task.gml.size, 0),
      });
    }
  }
  return [...joins.values()].sort((a, b) => compareTexts(a.name, b.name));
}

function featuresOf(parts: readonly MadePart[], suffix: string): number {
  let features = 0;
  for (const { outputs } of parts) {
    for (const output of outputs) if (outputSuffix(output.key) === suffix) features += output.features;
  }
  return features;
}

function outputName(packageName: string, key: OutputKey, wardNames: WardNames): string {
  return `${packageName}_${outputSuffix(key, wardName(key.wardCode, wardNames))}`;
}

/** Romanised, as names of packages have it: `chiyoda-ku`; the code for a ward that nobody knows. */
function wardName(code: string | null, wardNames: WardNames): string | null {
  return code === null ? null : (readingsOf(code)?.romaji ?? wardNames[code] ?? code);
}
