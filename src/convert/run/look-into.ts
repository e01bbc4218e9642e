/** What the text of a GML file says of the outputs that will come of it, at a fraction of the cost of reading it. */
import { isFeatureElement } from '../../citygml/schema/property-table.ts';
import type { GmlContent } from '../part-maker.ts';

/** A property with surfaces, a feature, a municipality in a building id, an image: `<bldg:lod1Solid`, `<veg:PlantCover`, `>13101</uro:city`. */
const TELLING =
  /<(?:[\w.-]+:)?lod([0-4])(?!Network|MultiCurve|TerrainIntersection)[A-Z]|<([a-z]+:[A-Z]\w*)|>(\d{5})<\/[a-z]+:city>|<(?:[\w.-]+:)?(imageURI)>/g;
/** A tag that two chunks share is shorter, characters. */
const OVERLAP = 200;

/** Looks through a text. Prefixes are taken as they are usual. */
export async function lookInto(
  text: AsyncIterable<Uint8Array>,
  onText: (bytes: number) => void,
): Promise<GmlContent> {
  const content = {
    lods: new Set<number>(),
    classes: new Set<string>(),
    cities: new Set<string>(),
    hasImages: false,
  };
  let rest = '';
  for await (const chunk of text) {
    onText(chunk.length);
    const piece = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    for (const [, lod, element, city, image] of piece.matchAll(TELLING)) {
      if (lod !== undefined) content.lods.add(Number(lod));
      else if (city !== undefined) content.cities.add(city);
      else if (image !== undefined) content.hasImages = true;
      else if (isFeatureElement(element!)) content.classes.add(element!.slice(element!.indexOf(':') + 1));
    }
    rest = piece.slice(-OVERLAP);
  }
  return content;
}
