/** What the names of a package and of its files say of it, without a byte of them: a fast look before an ingestion. */
import { compareTypes, isGmlPath, parseGmlName } from '@citymodel/citygml';
import { specOfYear } from './describe.ts';
import { fiscalYear } from './fiscal-year.ts';
import { type Identity, nameAreas, type Overrides } from './identify.ts';
import type { PackageLayout } from './layout.ts';
import { type IngestReport, summaryOf } from './report.ts';
import type { Upload } from './upload.ts';

/**
 * Sums up a package by its names. Features are 0, files those that would be read (GML) or served (tiles). Everything
 * that only the content of files tells stands in `guessed`, unless the operator says it.
 */
export function lookAtNames(
  upload: Upload,
  layout: PackageLayout,
  identity: Identity,
  { overrides, now }: { overrides: Overrides; now: Date },
): Pick<IngestReport, 'package' | 'guessed'> {
  const areas = nameAreas(identity, new Map(), overrides, () => {});
  const types = new Set<string>();
  let files = 0;
  for (const { name } of upload.members()) {
    if (!name.startsWith(layout.root)) continue;
    const path = name.slice(layout.root.length);
    if (identity.kind === 'citygml') {
      if (!isGmlPath(path)) continue;
      types.add(parseGmlName(path).type);
    }
    files++;
  }
  const { tiles } = identity;
  if (tiles !== null) types.add(tiles.type ?? 'gen');
  const unsaid = (
    [
      ['registrationYear', overrides.registrationYear],
      ['spec', overrides.spec],
      ['license', overrides.license],
      ...(tiles === null
        ? []
        : ([
            ['type', tiles.type],
            ['lod', tiles.lod],
            ['texture', overrides.texture],
          ] as const)),
    ] as const
  ).flatMap(([field, value]) => (value === undefined || value === null ? [field] : []));
  return {
    package: {
      ...summaryOf({
        ...identity,
        ...areas,
        id: null,
        registrationYear: overrides.registrationYear ?? fiscalYear(now),
        spec: overrides.spec ?? specOfYear(identity.year),
        license: overrides.license ?? null,
        types: [...types].sort(compareTypes),
        files,
        features: 0,
        archiveSize: null,
        dataset: null,
      }),
      lod: tiles?.lod ?? null,
      texture: overrides.texture ?? null,
    },
    guessed: [...identity.guessed, ...areas.guessed, ...unsaid],
  };
}
