/** What the text of a GML file says of the outputs that will come of it, at a fraction of the cost of reading it. */
import { isFeatureElement, isInstallation } from '@citymodel/citygml';
import type { GmlContent, MapSymbols } from './part-maker.ts';
import { symbolsOf } from './vector/map-symbols.ts';

/**
 * A property with surfaces, or of LOD 0 with lines; a feature; a municipality in a building id; an image; an
 * installation inside; a name with a code; a level of a relief: `<bldg:lod1Solid`, `<veg:PlantCover`,
 * `>13101</uro:city`, `<gml:name codeSpace="../../codelists/GenericCityObject_name.xml">20<`, `<dem:lod>1<`.
 */
const TELLING =
  /<(?:[\w.-]+:)?lod(0|[1-4](?!Network|MultiCurve))(?!TerrainIntersection)[A-Z]|<([a-z]+:[A-Z]\w*)|>(\d{5})<\/[a-z]+:city>|<(?:[\w.-]+:)?(imageURI)>|<con:relationToConstruction>\s{0,20}(inside)<|<gml:name codeSpace=["'][^"'>]{0,120}\.xml["']>\s{0,20}([\w-]{1,32})<|<(?:[\w.-]+:)?lod>\s{0,20}([0-4])\s{0,20}</g;
/** The shape of a map symbol; features of the same modules have properties of this name, too. */
const SYMBOL_SHAPE = /^<ur[a-z]:lod0G/;
/** A tag that two chunks share is shorter, characters. */
const OVERLAP = 200;

/** Looks through a text. Prefixes are taken as they are usual. */
export async function lookInto(
  text: AsyncIterable<Uint8Array>,
  onText: (bytes: number) => void,
): Promise<GmlContent> {
  const content = {
    lods: new Map<string, Set<number>>(),
    reliefs: new Set<number>(),
    codes: new Map<string | null, Set<number>>(),
    cities: new Set<string>(),
    hasImages: false,
    symbols: new Map<string, Set<MapSymbols>>(),
  };
  let rest = '';
  let current = new Set<number>();
  let code: string | null = null;
  let feature = '';
  let isInSymbol = false;
  let installation = '';
  for await (const chunk of text) {
    onText(chunk.length);
    const piece = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    let end = piece.length - OVERLAP;
    for (const {
      0: whole,
      1: lod,
      2: element,
      3: city,
      4: image,
      5: inside,
      6: name,
      7: relief,
      index,
    } of piece.matchAll(TELLING)) {
      end = Math.max(end, index + whole.length);
      if (isInSymbol && SYMBOL_SHAPE.test(whole)) {
        isInSymbol = false;
        continue;
      }
      if (lod !== undefined) {
        current.add(Number(lod));
        const coded = content.codes.get(code) ?? new Set();
        content.codes.set(code, coded.add(Number(lod)));
      } else if (relief !== undefined) {
        // The relief around it states one, too, whatever it is given as.
        if (feature === 'TINRelief') content.reliefs.add(Number(relief));
      } else if (name !== undefined) code = name;
      else if (city !== undefined) content.cities.add(city);
      else if (image !== undefined) content.hasImages = true;
      else if (inside !== undefined) {
        // It comes behind the geometry of the installation. In 2.0 its type said that it is inside.
        const inner = `Int${installation}`;
        const own = [content.lods.get(inner), content.lods.get(installation), current];
        content.lods.set(inner, new Set(own.flatMap((levels) => [...(levels ?? [])])));
      } else if (isFeatureElement(element!)) {
        const name = element!.slice(element!.indexOf(':') + 1);
        code = null;
        feature = name;
        if (isInstallation(element!)) installation = name;
        isInSymbol = false;
        current = content.lods.get(name) ?? new Set();
        content.lods.set(name, current);
      } else {
        const symbols = symbolsOf(element!);
        if (symbols === null) continue;
        const known = content.symbols.get(feature) ?? new Set();
        content.symbols.set(feature, known.add(symbols));
        isInSymbol = true;
      }
    }
    rest = piece.slice(Math.max(end, 0));
  }
  return content;
}
