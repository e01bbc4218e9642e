/** What a dry run shows of an upload before it is published: where its files lie, and lines in which checks found faults. */
import type { PackageFiles } from '@citymodel/base';
import { isMeshCode } from '@citymodel/geo';
import type { FoundPlace, IngestQuality } from './report.ts';

/** Bytes of a file that is read for its lines; lines of larger ones are told by their numbers alone. */
const LARGEST = 32_000_000;
/** Files that are read. */
const MOST_FILES = 20;
/** Letters of a sample. */
const LONGEST = 200;
const MOST_MESHES = 400;
const NEWLINE = 10;

/** Adds the text from the lines on in which findings are. */
export async function addSamples(quality: IngestQuality | null, files: PackageFiles): Promise<void> {
  const places = (quality?.checks ?? []).flatMap((check) => check.places);
  const byFile = Map.groupBy(places, ({ file, line }) => (line === null ? null : file));
  byFile.delete(null);
  for (const [file, found] of [...byFile].slice(0, MOST_FILES)) {
    if ((files.size(file!) ?? Number.POSITIVE_INFINITY) > LARGEST) continue;
    const bytes = await files.read(file!);
    if (bytes !== null) addLines(found, bytes);
  }
}

function addLines(places: readonly FoundPlace[], bytes: Uint8Array): void {
  let [number, from] = [1, 0];
  for (const place of places.toSorted((a, b) => a.line! - b.line!)) {
    for (; number < place.line!; number++) {
      const end = bytes.indexOf(NEWLINE, from);
      if (end === -1) return;
      from = end + 1;
    }
    // A letter has four bytes at most; one that is cut is left away with the rest. Lines that follow say what a line is
    // of, where it is an element of few letters.
    const text = new TextDecoder().decode(bytes.subarray(from, from + 8 * LONGEST));
    place.sample = text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST);
  }
}

/** Mesh codes in the names of GML files: `53394509` of `udx/bldg/53394509_bldg_6697_op.gml`. */
export function meshesOf(files: PackageFiles): string[] {
  const meshes = new Set<string>();
  for (const path of files.paths()) {
    const code = /\/(\d{6,10})_[^/]*\.gml$/.exec(path)?.[1];
    if (code !== undefined && isMeshCode(code)) meshes.add(code);
  }
  return [...meshes].sort().slice(0, MOST_MESHES);
}
