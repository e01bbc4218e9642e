/** What features can be coloured by besides the colourings that every model has. */
import { compareTexts, factsOfType } from '@citymodel/base';
import type { Language } from '../core/state.ts';
import { attributeName } from './attribute-names.ts';
import { NAMED, propertiesFor, shortName, spelling } from './colouring.ts';

/** Said by a colouring of its own. */
const SAID = [NAMED.height, NAMED.use, NAMED.year, NAMED.structure, NAMED.lod];

/** Where a feature lies, which file it is from and the like: nothing that colours show. */
const TECHNICAL =
  /^(gml[_:]?id|attributes|meshcode|feature_type|city_code|core[:_]creationDate|_?lod|_[xyz]|_[xyz](min|max))$/i;

/**
 * Properties of loaded features with what people call them, in the order of these names; ids and objects are left out.
 * Codes beside their labels are left out, too. Where two have the same name, the object tells them apart.
 *
 * @param chosen property or colouring that is chosen now; a property is in the menu even before features have it
 * @param titles what tiles call the properties whose names they may not write as they are
 * @param words name of an attribute in the language of the page, null where it has none
 */
export function colourMenu(
  chosen: string,
  names: ReadonlySet<string>,
  titles: ReadonlyMap<string, string>,
  language: Language,
  words: (attribute: string) => string | null,
): Array<{ name: string; label: string }> {
  const listed = new Set(SAID.flatMap((colouring) => propertiesFor(colouring, names)).map(spelling));
  listed.delete(spelling(chosen));
  const known = new Set([...names].map((name) => spelling(titles.get(name) ?? name)));
  // One name for each property, the one with a colon where there are several
  const bySpelling = new Map<string, string>();
  for (const name of [...names].sort()) {
    const title = titles.get(name) ?? name;
    if (TECHNICAL.test(title) || /(^|[:_])gml_?id$/i.test(title) || listed.has(spelling(name))) continue;
    // A name that is a number stands for one that nobody knows here.
    if (isCode(title, known) || /^x_[\da-f]{8}$/.test(title)) continue;
    const other = bySpelling.get(spelling(title));
    if (other === undefined || (!other.includes(':') && name.includes(':')))
      bySpelling.set(spelling(title), name);
  }
  const all = [...bySpelling.values()];
  if (chosen !== '' && !(chosen in NAMED) && !all.includes(chosen)) all.push(chosen);
  const menu = all.map((name) => {
    const short = shortName(titles.get(name) ?? qualified(name));
    return { name, short, label: words(short) ?? attributeName(short, language) ?? inWords(short) };
  });
  const isTwice = (label: string) => menu.filter((other) => other.label === label).length > 1;
  return menu
    .map(({ name, short, label }) => ({
      name,
      label: isTwice(label) ? `${label} (${objectOf(short, language)})` : label,
    }))
    .sort((a, b) => compareTexts(a.label, b.label));
}

/** True for the code of a value whose label is there as well. */
function isCode(title: string, known: ReadonlySet<string>): boolean {
  const label = title.replace(/(_code|コード)$/, '');
  return label !== title && known.has(spelling(label));
}

/** `uro:orgUsage` of `uro_BuildingDetailAttribute_uro_orgUsage`: identifiers of some formats have no colons. */
function qualified(name: string): string {
  return name.includes(':')
    ? name
    : name.replace(/^.*(?:^|_)(bldg|uro|urf|tran|luse|wtr|core|gen)_(?=[^_]+$)/, '$1:');
}

/** What an attribute is of, by its prefix: buildings of `bldg:class`. */
function objectOf(short: string, language: Language): string {
  const [prefix] = short.split(':');
  return factsOfType(prefix!)?.label[language] ?? inWords(short.replace(':', ' '));
}

/** Building roof edge area, of `uro:buildingRoofEdgeArea`. */
function inWords(name: string): string {
  const parts = name
    .replace(/^.*:/, '')
    .replaceAll('_', ' ')
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .trim()
    .split(' ')
    // Abbreviations stay as they are.
    .map((part) => (/^\p{Lu}\p{Ll}/u.test(part) ? part.toLowerCase() : part));
  const text = parts.join(' ');
  return text === '' ? name : text[0]!.toUpperCase() + text.slice(1);
}
