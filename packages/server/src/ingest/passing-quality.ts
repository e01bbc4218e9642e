/** The checks of quality that look at GML while it is read for the archive, over an upload. */
import { isGmlPath } from '@citymodel/citygml';
import { type InspectReport, type InspectSource, PassingPackage } from '@citymodel/inspect';
import { MemberDamaged } from '@citymodel/zip';
import { KEPT_PLACES } from '../quality/kept-report.ts';
import type { MemberLookup } from './member-lookup.ts';
import type { FileObserver, ObservedFile } from './scan-observer.ts';
import type { Upload } from './upload.ts';

export class PassingQuality {
  readonly #package: PassingPackage;

  /** `every`: attributes are looked at in every so many features of a file. */
  constructor(name: string, upload: Upload, lookup: MemberLookup, every: number) {
    this.#package = new PassingPackage(sourceOf(name, upload, lookup), { places: KEPT_PLACES, every });
  }

  /** Null for a file that no check looks at. */
  open(file: ObservedFile): FileObserver | null {
    if (!isGmlPath(file.path)) return null;
    const open = this.#package.open(file);
    if (open === null) return null;
    return {
      text: (chunk, state) => open.text(chunk, state),
      feature: (feature) => open.feature(feature),
      settled: () => open.settled(),
      end: ({ wellFormed }, state) => open.end(wellFormed, state),
    };
  }

  report(): InspectReport | null {
    return this.#package.report();
  }
}

/** The upload as checks ask for it beside the text that goes by. */
function sourceOf(name: string, upload: Upload, lookup: MemberLookup): InspectSource {
  return {
    name,
    files: [],
    text: (path) => upload.read(upload.member(lookup.find(path))),
    has: (path) => lookup.has(path),
    async member(path, limit) {
      const number = lookup.find(path);
      if (number < 0) return null;
      const member = upload.member(number);
      if (member.size > limit) return null;
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of upload.read(member)) chunks.push(chunk);
      } catch (error) {
        // The ingestion reports it when its turn comes.
        if (error instanceof MemberDamaged) return null;
        throw error;
      }
      return Buffer.concat(chunks);
    },
  };
}
