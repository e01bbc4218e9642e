/**
 * The spec that finds one dataset and nothing else (interface decisions, section 3). The plainest one is taken that
 * does; each is tried on the datasets that it could find.
 */

import { kindOfFormat, type OutputKind, type Slices } from '@citymodel/base';
import { isTypeCode } from '@citymodel/citygml';
import { formatMvtSpec, type MvtSpec } from '../specs/mvt-spec.ts';
import { formatTilesSpec, type TilesSpec } from '../specs/tiles-spec.ts';
import { chooseMvt } from './choose-mvt.ts';
import { chooseTiles, inArea, inPart, packageCodes } from './choose-tiles.ts';
import type { Dataset } from './snapshot-dataset.ts';

/** Gives datasets their specs; of each city all datasets must be there. */
export async function assignSpecs(datasets: readonly Dataset[], slices: Slices): Promise<void> {
  const groups = new Map<string, Dataset[]>();
  await slices.each(datasets, (dataset) => {
    const key = `${dataset.city}/${dataset.summary.format}/${dataset.summary.type}`;
    const group = groups.get(key);
    if (group) group.push(dataset);
    else groups.set(key, [dataset]);
  });
  for (const group of groups.values()) {
    const siblings = new Siblings(group);
    await slices.each(group, (dataset) => {
      dataset.spec = specOf(dataset, siblings, dataset.package.year);
      dataset.latestSpec = specOf(dataset, siblings, 'latest');
    });
  }
}

/**
 * All datasets of one format and type in one city, wards included. A river's city has hundreds: each part is looked for
 * once.
 */
class Siblings {
  readonly all: readonly Dataset[];
  readonly #inPart = new Map<string, readonly Dataset[]>();

  constructor(all: readonly Dataset[]) {
    this.all = all;
  }

  /** Those that a spec of an area and a part can find. */
  inPart(part: { area: string; sub: string | null }): readonly Dataset[] {
    const key = `${part.area}/${part.sub ?? ''}`;
    let found = this.#inPart.get(key);
    if (found === undefined) {
      found = inPart(inArea(this.all, part.area), part);
      this.#inPart.set(key, found);
    }
    return found;
  }
}

/**
 * The spec, as text, that finds `dataset` alone among its siblings. Null when a part of the spec is missing (a
 * municipality code, a year, the volume that a composite needs), when a spec cannot say it, and when every spec finds
 * something else, too.
 */
function specOf(dataset: Dataset, siblings: Siblings, year: number | 'latest'): string | null {
  if (!isNameable(dataset, year)) return null;
  const rules = RULES[kindOfFormat(dataset.summary.format)];
  if (!rules.isServed(dataset)) return null;
  const { area, interior, summary } = dataset;
  for (const sub of partsToName(dataset, rules)) {
    const spec = { area, type: summary.type, sub, interior, year };
    const text = rules.write(dataset, siblings, spec);
    if (text !== null) return text;
  }
  return null;
}

/** What a spec says whatever the kind. */
type CommonSpec = Omit<TilesSpec, 'lod' | 'texture'> & Omit<MvtSpec, 'lod'>;

/** How specs of a kind find datasets. */
interface SpecRules {
  /** Whether there is a document behind a spec of the dataset at all. */
  isServed(dataset: Dataset): boolean;
  /**
   * True when a spec finds one dataset at most; otherwise the code of a prefecture finds those of all its
   * municipalities.
   */
  findsOne: boolean;
  /** The spec that says `common` and finds the dataset alone; null when there is none. */
  write(dataset: Dataset, siblings: Siblings, common: CommonSpec): string | null;
}

const RULES: Record<OutputKind, SpecRules> = {
  '3dtiles': { isServed: ({ volume }) => volume !== null, findsOne: false, write: tilesSpec },
  mvt: { isServed: () => true, findsOne: true, write: mvtSpec },
};

/** What may stand where a spec names a part of the type, the plainest first; the first one nearly always does. */
function* partsToName(dataset: Dataset, rules: SpecRules): Generator<string | null> {
  // A composite of a prefecture holds all its municipalities; only with a provider does the code mean its own package.
  if (rules.findsOne || dataset.area.length > 2) yield dataset.sub === '' ? null : dataset.sub;
  for (const code of packageCodes(dataset)) if (isSubNameable(code)) yield code;
}

function tilesSpec(dataset: Dataset, siblings: Siblings, common: CommonSpec): string | null {
  const { summary } = dataset;
  const lod = { max: false, value: summary.lodEx ?? dataset.lod };
  // The texture is named only where there is a choice; otherwise the rule takes the one there is.
  const candidates = siblings.inPart(common);
  const find = (texture: boolean | null) => chooseTiles(candidates, { ...common, sub: null, lod, texture });
  const texture = find(!summary.texture).length > 0 ? summary.texture : null;
  const found = find(texture);
  return found.length === 1 && found[0] === dataset ? formatTilesSpec({ ...common, lod, texture }) : null;
}

function mvtSpec(dataset: Dataset, siblings: Siblings, common: CommonSpec): string | null {
  const { summary } = dataset;
  const spec = { ...common, lod: summary.lodNamed ? (summary.lodEx ?? dataset.lod) : null };
  return chooseMvt(siblings.all, spec) === dataset ? formatMvtSpec(spec) : null;
}

/** False when a spec cannot say the area, type, part or year of a dataset so that it is read back the same. */
function isNameable(dataset: Dataset, year: number | 'latest'): boolean {
  return (
    /^(\d{2}|\d{5})$/.test(dataset.area) &&
    isTypeCode(dataset.summary.type) &&
    (dataset.sub === '' || isSubNameable(dataset.sub)) &&
    (year === 'latest' || (year >= 1000 && year <= 9999))
  );
}

function isSubNameable(sub: string): boolean {
  return /^[a-z0-9_-]+$/.test(sub) && !/-((max)?lod\d{1,2}|interior|(no)?texture)$/.test(sub);
}
