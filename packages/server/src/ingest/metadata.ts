/**
 * What a package says about itself outside its GML: licence and specification version in the metadata XML
 * (JMP 2.0), municipality names in its code list of local public authorities.
 */

import type { PackageFiles } from '@citymodel/base';
import { specEdition } from '@citymodel/citygml';
import { SaxesParser } from 'saxes';
import { compareVersions } from '../base/compare-versions.ts';

const METADATA_LIMIT = 8 << 20;
/** Characters of a licence, and of an area's name, that are kept. */
const MAX_LICENSE = 2_000;
const MAX_AREA_NAME = 100;

export interface PackageMetadata {
  /** Text of the licence or use limitation; null when nothing says. */
  license: string | null;
  /** Version of the standard product specification that is named, e.g. `2.3`; the highest where there are several. */
  spec: string | null;
  /** Code → name of prefectures, municipalities and wards, as the package's own code list has them. */
  authorities: Map<string, string>;
}

const SPEC_NAME = /標準製品仕様[^第標]{0,21}第\s{0,9}(\d{1,3}(?:\.\d{1,3})?)\s{0,9}版/gu;
const LICENCE_MARK =
  /CC[\s-]*BY|クリエイティブ・?コモンズ|Creative\s*Commons|ODbL|ODC|政府標準利用規約|公共データ利用規約|パブリック・?ドメイン|CC0|MIT License|Apache/iu;

/**
 * Reads the metadata of the package below `root` ('' or a directory with `/` at its end). Broken XML is taken as far as
 * it goes.
 */
export async function readPackageMetadata(files: PackageFiles): Promise<PackageMetadata> {
  const result: PackageMetadata = { license: null, spec: null, authorities: new Map() };
  let limitation: string | null = null;
  const papers: string[] = [];
  let list: string | undefined;
  for (const path of files.paths()) {
    if (/^metadata\/[^/]+\.xml$/i.test(path)) papers.push(path);
    else if (/^codelists\/Common_localPublicAuthorities\.xml$/i.test(path)) list ??= path;
  }
  for (const path of papers.sort()) {
    const bytes = await files.read(path, METADATA_LIMIT).catch(() => null);
    if (bytes === null) continue;
    const text = new TextDecoder().decode(bytes);
    for (const match of text.matchAll(SPEC_NAME)) {
      const version = specEdition(match[1]!);
      if (result.spec === null || compareVersions(version, result.spec) > 0) result.spec = version;
    }
    collectText(text, ({ name, parents, value }) => {
      if (name !== 'useLimitation' && name !== 'otherConstraints' && !parents.includes('otherConstraints'))
        return;
      if (LICENCE_MARK.test(value)) result.license ??= value.slice(0, MAX_LICENSE);
      else limitation ??= value.slice(0, MAX_LICENSE);
    });
  }
  result.license ??= limitation;
  if (list !== undefined) {
    const bytes = await files.read(list, METADATA_LIMIT).catch(() => null);
    if (bytes !== null) readAuthorities(new TextDecoder().decode(bytes), result.authorities);
  }
  return result;
}

function readAuthorities(text: string, authorities: Map<string, string>): void {
  let description: string | null = null;
  let code: string | null = null;
  collectText(
    text,
    ({ name, parents, value }) => {
      if (parents.at(-1) !== 'Definition') return;
      if (name === 'description') description = value;
      if (name === 'name') code = value;
    },
    (name) => {
      if (name !== 'Definition') return;
      if (code !== null && description !== null && /^\d{2}(\d{3})?$/.test(code)) {
        authorities.set(code, description.slice(0, MAX_AREA_NAME));
      }
      code = null;
      description = null;
    },
  );
}

interface TextFound {
  /** Local name of the element that holds the text. */
  name: string;
  /** Local names of the elements around it, outermost first. */
  parents: string[];
  value: string;
}

/** Walks small XML and reports each element's own text; stops quietly at the first fault. */
function collectText(
  text: string,
  onText: (found: TextFound) => void,
  onClose?: (name: string) => void,
): void {
  const parser = new SaxesParser({ xmlns: false });
  const names: string[] = [];
  const texts: string[] = [];
  let failed = false;
  parser.on('error', () => {
    failed = true;
  });
  parser.on('opentag', (tag) => {
    names.push(tag.name.slice(tag.name.indexOf(':') + 1));
    texts.push('');
  });
  const add = (value: string) => {
    if (texts.length > 0) texts[texts.length - 1] += value;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    const name = names.pop()!;
    const value = texts.pop()!.trim();
    if (failed) return;
    if (value !== '') onText({ name, parents: names, value });
    onClose?.(name);
  });
  try {
    parser.write(text.replace(/^\uFEFF/, '')).close();
  } catch {
    // saxes reports through the error event; what was found before the fault stands.
  }
}
