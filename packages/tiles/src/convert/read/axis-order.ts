/**
 * Which of the first two numbers of a position is the latitude. EPSG says latitude first for the geographic systems of
 * city models; some programs write longitude first under the same name. The envelope of the file and the places where
 * people live tell the two apart; for a projected system, the area that it is used in does.
 */
import { crsOf, isSenseless, localName, type XmlElement } from '@citymodel/citygml';

/** The first two numbers of a position, degrees in the order of the text. */
type Pair = readonly [first: number, second: number];

/** Corners of an envelope as they are written. */
export interface WrittenBox {
  low: Pair;
  high: Pair;
}

/** Positions may leave the envelope of their file by so much, degrees. */
const MARGIN = 0.1;

const POSITIONS = new Set(['gml:pos', 'gml:posList', 'gml:coordinates']);
/** Two numbers, of as many digits as anybody writes. */
const PAIR = /^\s{0,100}([^\s,]{1,50})[\s,]{1,100}([^\s,]{1,50})/;

/** The corners of the envelope in a `gml:boundedBy`; null where it has none. */
export function writtenBox(boundedBy: XmlElement): WrittenBox | null {
  const corners = boundedBy.children[0]?.children ?? [];
  const [low, high] = ['lowerCorner', 'upperCorner'].map((name) =>
    pairOf(corners.find((corner) => localName(corner.name) === name)?.text ?? ''),
  );
  return low == null || high == null ? null : { low, high };
}

/**
 * Whether positions of a feature have the other order than the registry says. False wherever both orders are possible:
 * the registry counts then. `feature` null looks at the envelope alone.
 */
export function isTurned(
  srsName: string | null,
  box: WrittenBox | null,
  feature: XmlElement | null,
): boolean {
  const crs = srsName === null ? null : crsOf(srsName);
  if (crs === null || (crs.geographic && !crs.northFirst)) return false;
  const first = feature === null ? null : firstPair(feature);
  if (!crs.geographic) {
    const pairs = box === null ? [first] : [box.low, box.high];
    return pairs.every((pair) => pair !== null && crs.isOtherOrder?.(...pair) === true);
  }
  if (box === null) return first !== null && isSenseless(...first) && !isSenseless(...turn(first));
  const isBoxTurned =
    [box.low, box.high].some((corner) => isSenseless(...corner)) &&
    ![turn(box.low), turn(box.high)].some((corner) => isSenseless(...corner));
  const isOther = first !== null && !lies(first, box) && lies(turn(first), box);
  return isBoxTurned !== isOther;
}

function turn([first, second]: Pair): Pair {
  return [second, first];
}

function lies([first, second]: Pair, { low, high }: WrittenBox): boolean {
  return (
    first >= low[0] - MARGIN &&
    first <= high[0] + MARGIN &&
    second >= low[1] - MARGIN &&
    second <= high[1] + MARGIN
  );
}

/** The first position of a feature; templates, which are in metres of their own, and envelopes have none. */
function firstPair({ name, text, children }: XmlElement): Pair | null {
  if (name === 'core:relativeGMLGeometry' || name === 'gml:boundedBy') return null;
  if (POSITIONS.has(name)) return pairOf(text);
  for (const child of children) {
    const found = firstPair(child);
    if (found !== null) return found;
  }
  return null;
}

function pairOf(text: string): Pair | null {
  const found = PAIR.exec(text);
  if (found === null) return null;
  const [first, second] = [Number(found[1]), Number(found[2])];
  return Number.isFinite(first) && Number.isFinite(second) ? [first, second] : null;
}
