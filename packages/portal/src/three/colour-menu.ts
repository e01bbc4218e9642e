/** What features can be coloured by besides the colourings that every model has. */
import { compareTexts } from '@citymodel/base';
import { NAMED, propertiesFor, shortName, spelling } from './colouring.ts';

/** Said by a colouring of its own. */
const SAID = [NAMED.height, NAMED.use, NAMED.year, NAMED.structure, NAMED.lod];

/**
 * Properties of loaded features with what people call them, in the order of these names; ids and objects are left out.
 * Where two have the same name, each tells its own besides.
 *
 * @param chosen property or colouring that is chosen now; a property is in the menu even before features have it
 * @param words name of an attribute in the language of the page, null where it has none
 */
export function colourMenu(
  chosen: string,
  names: ReadonlySet<string>,
  words: (attribute: string) => string | null,
): Array<{ name: string; label: string }> {
  const listed = new Set(SAID.flatMap((colouring) => propertiesFor(colouring, names)).map(spelling));
  listed.delete(spelling(chosen));
  // One name for each property, the one with a colon where there are several
  const bySpelling = new Map<string, string>();
  for (const name of [...names].sort()) {
    if (/(^|[:_])(gml_?id|attributes)$/i.test(name) || listed.has(spelling(name))) continue;
    const known = bySpelling.get(spelling(name));
    if (known === undefined || (!known.includes(':') && name.includes(':')))
      bySpelling.set(spelling(name), name);
  }
  const all = [...bySpelling.values()];
  if (chosen !== '' && !(chosen in NAMED) && !all.includes(chosen)) all.push(chosen);
  const menu = all.map((name) => {
    const short = shortName(name);
    return { name, short, label: words(short) ?? inWords(short) };
  });
  const isTwice = (label: string) => menu.filter((other) => other.label === label).length > 1;
  return menu
    .map(({ name, short, label }) => ({ name, label: isTwice(label) ? `${label} (${short})` : label }))
    .sort((a, b) => compareTexts(a.label, b.label));
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
