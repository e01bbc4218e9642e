/** The entry of one feature out of its text, where reading it from the index would take one more round trip. */

import { FeatureIndex } from '../index/feature-index.ts';
import type { FeatureEntry } from '../index/feature-index-format.ts';
import { GmlScanner } from './scanner.ts';

/** From so many characters on the index has only the beginning of a srsName. */
const MAX_SRS_NAME = 200;
/** Prefixes that no file declares, so that the wrapping hides nothing of what the feature uses. */
const CORE = 'entry-of-text-core';
const GML = 'entry-of-text-gml';
const NAMESPACES = {
  [CORE]: 'http://www.opengis.net/citygml/2.0',
  [GML]: 'http://www.opengis.net/gml',
};

/** What holds for all features of a file, as its index has it. */
export interface EntryContext {
  /** Start tag of the root element. */
  rootTag: Uint8Array;
  /** What holds where a feature states none; '' where unknown. */
  crs: { srsName: string; srsDimension: string };
}

/**
 * What the index of the file has of the feature with this text: the scanner that made the index reads a file with this
 * feature alone. Without footprint; places count from the start of `text`. Null where the text is no whole feature, or
 * the context does not suffice.
 */
export function entryOfText(text: Uint8Array, { rootTag, crs }: EntryContext): FeatureEntry | null {
  if (crs.srsName.length >= MAX_SRS_NAME) return null;
  const tag = Buffer.from(rootTag.buffer, rootTag.byteOffset, rootTag.byteLength);
  const name = /^<([^\s/>]+)/.exec(tag.toString())?.[1] ?? '';
  const declared = Object.entries(NAMESPACES).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  const before = `<${CORE}:cityObjectMember ${declared[0]}>`;
  const parts = [
    tag,
    // A file that names no system is read as the usual one, which an empty name would not be.
    Buffer.from(crs.srsName === '' ? before : envelope(crs, declared[1]!) + before),
    text,
    Buffer.from(`</${CORE}:cityObjectMember></${name}>`),
  ];
  const scanner = new GmlScanner({ member: '', onIssue: () => {} });
  for (const part of parts) scanner.push(part);
  // Of what is not well formed the index is empty.
  const index = FeatureIndex.open(scanner.end().featureIndex);
  if (index.size !== 1) return null;
  const start = parts[0]!.length + parts[1]!.length;
  const entry = index.feature(0);
  if (entry.start !== start || entry.end !== start + text.length) return null;
  return { ...entry, start: 0, end: text.length };
}

function envelope({ srsName, srsDimension }: EntryContext['crs'], declaration: string): string {
  const tag = `${GML}:Envelope srsName="${escaped(srsName)}" srsDimension="${escaped(srsDimension)}"`;
  return `<${GML}:boundedBy ${declaration}><${tag}></${GML}:Envelope></${GML}:boundedBy>`;
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
