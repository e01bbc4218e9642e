/**
 * Pieces of one image that overlap or touch become one piece, where that takes fewer pixels: polygons of a photograph
 * lie beside each other.
 */
import { type Piece, pixelsOf } from './atlas.ts';

/** Longest side of what pieces become, pixels on the page: longer ones leave much of a page empty. */
const LONGEST = 1020;
/** Between pieces that are farther apart than this on the page, joining wastes more than the edges that it saves. */
const APART = 16;
/** How often all are looked through; what was joined may join others. */
const PASSES = 8;

/**
 * For each piece the piece that holds it: the same object for those that were joined. `edge`: as `AtlasBuilder` has it.
 */
export function mergePieces(pieces: readonly Piece[], edge?: number): Piece[] {
  const byImage = new Map<number, Joined[]>();
  for (const [number, piece] of pieces.entries()) {
    const own: Joined = { piece, pixels: pixelsOf(piece, edge), members: [number] };
    const group = byImage.get(piece.image);
    if (group === undefined) byImage.set(piece.image, [own]);
    else group.push(own);
  }
  const found = new Array<Piece>(pieces.length);
  for (let group of byImage.values()) {
    for (let pass = 0; pass < PASSES; pass++) {
      const joined = sweep(group, edge);
      const isDone = joined.length === group.length;
      group = joined;
      if (isDone) break;
    }
    for (const { piece, members } of group) for (const member of members) found[member] = piece;
  }
  return found;
}

interface Joined {
  piece: Piece;
  pixels: number;
  /** Numbers of the pieces in it. */
  members: number[];
}

/** From left to right, each piece joins what saves most by it. */
function sweep(group: readonly Joined[], edge?: number): Joined[] {
  const order = group.toSorted(({ piece: { rect: a } }, { piece: { rect: b } }) => {
    return a.left - b.left || a.top - b.top || a.right - b.right || a.bottom - b.bottom;
  });
  const done: Joined[] = [];
  let open: Joined[] = [];
  for (const next of order) {
    const { rect, scale } = next.piece;
    let best: { at: number; joined: Piece; pixels: number } | null = null;
    let most = 0;
    const still: Joined[] = [];
    for (const other of open) {
      const apart = APART / Math.max(scale, other.piece.scale);
      const { right, top, bottom } = other.piece.rect;
      if (right + apart < rect.left) {
        done.push(other);
        continue;
      }
      const at = still.push(other) - 1;
      if (top > rect.bottom + apart || bottom + apart < rect.top) continue;
      const joined = around(next.piece, other.piece);
      const pixels = pixelsOf(joined, edge);
      const saved = next.pixels + other.pixels - pixels;
      if (saved <= most || !isHandy(joined)) continue;
      most = saved;
      best = { at, joined, pixels };
    }
    open = still;
    if (best === null) {
      open.push({ ...next });
    } else {
      const { members } = open[best.at]!;
      open[best.at] = { piece: best.joined, pixels: best.pixels, members: members.concat(next.members) };
    }
  }
  return done.concat(open);
}

function around(a: Piece, b: Piece): Piece {
  return {
    image: a.image,
    scale: Math.max(a.scale, b.scale),
    rect: {
      left: Math.min(a.rect.left, b.rect.left),
      top: Math.min(a.rect.top, b.rect.top),
      right: Math.max(a.rect.right, b.rect.right),
      bottom: Math.max(a.rect.bottom, b.rect.bottom),
    },
  };
}

function isHandy({ rect, scale }: Piece): boolean {
  return Math.max(rect.right - rect.left, rect.bottom - rect.top) * scale <= LONGEST;
}
