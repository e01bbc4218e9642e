/**
 * What a conversion leaves out as a whole: files that are not asked for, or too large, and packages without geometry.
 */
import { addTo, type ConvertIssue } from '@citymodel/tiles';
import { type AccountBook, NOT_ASKED } from './conversion-account.ts';
import { gmlFilesOf, type PackageSource } from './package-source.ts';
import type { PartTask } from './work.ts';

/** Files of the package that no part is made of, because nobody asked for their type or their levels of detail. */
export function noteUnplanned(source: PackageSource, parts: readonly PartTask[], book: AccountBook): void {
  const planned = new Set(parts.map(({ gml }) => gml.path));
  for (const gml of gmlFilesOf(source)) {
    if (planned.has(gml.path)) continue;
    book.files.in++;
    addTo(book.files.rest, NOT_ASKED, 1);
  }
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
