/**
 * What a conversion leaves out as a whole: files without tiles, files that are too large, packages without geometry.
 */
import { addTo, type ConvertIssue, type ConvertOptions, IssueCounter } from '@citymodel/tiles';
import { type AccountBook, NOT_ASKED } from './conversion-account.ts';
import { MAKERS } from './makers.ts';
import { gmlFilesOf, type PackageSource } from './package-source.ts';
import type { PartTask } from './work.ts';

/** Files of the package that no part is made of: not asked for, or of a type without tiles, which is an issue. */
export function noteUnplanned(
  source: PackageSource,
  options: ConvertOptions,
  types: readonly string[] | null,
  parts: readonly PartTask[],
  book: AccountBook,
  issues: ConvertIssue[],
): void {
  const planned = new Set(parts.map(({ gml }) => gml.path));
  const byType = new Map<string, IssueCounter>();
  for (const gml of gmlFilesOf(source)) {
    if (planned.has(gml.path)) continue;
    book.files.in++;
    const isAsked = types === null || types.includes(gml.type);
    const hasTiles = MAKERS.some((maker) => maker.plan(gml, { ...options, lods: null }).length > 0);
    addTo(book.files.rest, isAsked && !hasTiles ? 'TYPE_UNCONVERTED' : NOT_ASKED, 1);
    if (!isAsked || hasTiles) continue;
    const counter = byType.get(gml.type) ?? new IssueCounter(gml.path, (issue) => issues.push(issue));
    byType.set(gml.type, counter);
    counter.count('TYPE_UNCONVERTED', null, gml.type);
  }
  for (const counter of byType.values()) counter.tell();
}

/** Issue of a file whose part takes too much memory. */
export function tooLarge(path: string): ConvertIssue {
  return {
    code: 'PART_TOO_LARGE',
    severity: 'error',
    file: path,
    id: null,
    count: 1,
    message: 'The file needs more memory than a conversion may take, even by itself.',
    remedy: 'It is left out. Divide it, or convert with --jobs 0, which sets no limit.',
  };
}

/** Issue of a package of which no tiles come. */
export function withoutTiles(name: string): ConvertIssue {
  return {
    code: 'PACKAGE_EMPTY',
    severity: 'warning',
    file: name,
    id: null,
    count: 1,
    message: 'The package has no geometry that tiles can be made of.',
    remedy:
      'No tiles are made of it. Look at the other issues, and at the types and levels of detail that it has.',
  };
}
