/** What a file that lies in no package is: whether it is CityGML, and of which feature type. */

/**
 * Feature types by the local name of their elements, where a folder does not tell. Groups tell of no others in the
 * file, and neither do reliefs: a file of buildings may have the ground under them.
 */
const TYPE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bldg: 'Building',
    brid: 'Bridge',
    tun: 'Tunnel',
    tran: 'Road TransportationComplex',
    rwy: 'Railway',
    trk: 'Track',
    squr: 'Square',
    wwy: 'Waterway',
    luse: 'LandUse',
    wtr: 'WaterBody',
    frn: 'CityFurniture',
    veg: 'PlantCover SolitaryVegetationObject',
    cons: 'OtherConstruction',
    ubld: 'UndergroundBuilding',
    gen: 'GenericCityObject GenericOccupiedSpace GenericUnoccupiedSpace GenericLogicalSpace GenericThematicSurface',
  }).flatMap(([type, names]) => names.split(' ').map((name) => [name, type] as const)),
);

const RELIEFS: ReadonlySet<string> = new Set(['ReliefFeature', 'TINRelief']);

/** Text that is looked through for the first feature, bytes. */
const LOOK_BYTES = 32 << 20;
/** Within this much text the root element names CityGML, bytes. */
const HEAD_BYTES = 64 << 10;
/** A tag or an address that two chunks share is shorter, characters. */
const OVERLAP = 2_000;

const FEATURE = /<(?:[\w.-]+:)?([A-Z]\w*)[\s>]/g;
const IMAGE = /<(?:[\w.-]+:)?imageURI>([^<]{1,1000})</g;

export interface Sniffed {
  isCityGml: boolean;
  /** Null where no feature is one of those above; terrain where there is nothing else. */
  type: string | null;
  /** What its appearances name, as it is written. */
  images: Set<string>;
  /** Bytes of text. */
  size: number;
}

/** Looks through a text; with `isShort` only for as long as it takes to know what it is. */
export async function sniffCityGml(text: AsyncIterable<Uint8Array>, isShort: boolean): Promise<Sniffed> {
  const found: Sniffed = { isCityGml: false, type: null, images: new Set(), size: 0 };
  let rest = '';
  let hasRelief = false;
  for await (const chunk of text) {
    found.size += chunk.length;
    const piece = rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('utf8');
    if (!found.isCityGml && found.size - chunk.length < HEAD_BYTES) {
      found.isCityGml = piece.includes('www.opengis.net/citygml/');
    }
    if (found.type === null && found.size < LOOK_BYTES) {
      for (const [, name] of piece.matchAll(FEATURE)) {
        found.type = TYPE_OF.get(name!) ?? null;
        if (found.type !== null) break;
        hasRelief ||= RELIEFS.has(name!);
      }
    }
    if (!isShort) for (const [, image] of piece.matchAll(IMAGE)) found.images.add(image!.trim());
    const isKnown = found.isCityGml
      ? found.type !== null || found.size > LOOK_BYTES
      : found.size > HEAD_BYTES;
    if (isShort && isKnown) break;
    rest = piece.slice(-OVERLAP);
  }
  if (hasRelief) found.type ??= 'dem';
  return found;
}
