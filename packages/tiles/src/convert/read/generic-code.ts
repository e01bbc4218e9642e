/** Which package generic objects go into, as published: that of the code of their gml:name. */
import { localName, parseGmlName, type XmlElement } from '@citymodel/citygml';
import type { GmlFacts } from '../part-maker.ts';

/** What names of packages may hold. */
const NAMEABLE = /^[A-Za-z0-9-]{1,32}$/;

/**
 * The part of `gen` that a feature belongs to, of packages and layers: `20` for `<gml:name
 * codeSpace="….xml">20</gml:name>`; without such a code what the name of the file says behind the system (`13` of
 * `53394525_gen_6697_13_op.gml`). Null for neither, and for other types.
 */
export function genericCode(
  nameCode: string | null,
  { path, type }: Pick<GmlFacts, 'path' | 'type'>,
): string | null {
  if (type !== 'gen') return null;
  return nameCode !== null && NAMEABLE.test(nameCode) ? nameCode : parseGmlName(path).extra;
}

/** The code of a feature's gml:name; null when it has none. */
export function nameCodeOf(feature: XmlElement): string | null {
  const name = feature.children.find(
    (child) => localName(child.name) === 'name' && /\.xml/i.test(child.attributes.codeSpace ?? ''),
  );
  return name?.text.trim() || null;
}
