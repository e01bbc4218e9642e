/**
 * Text as strokes, for pictures that are drawn on machines without fonts: capital Latin letters, digits and a few signs, on a grid of
 * 4 columns and 6 rows.
 */

/** Strokes by character: points as two digits, column and row from the top; strokes separated by blanks. */
const STROKES: Record<string, string> = {
  A: '062046 1434',
  B: '060030414232033245460605 0333',
  C: '4130100105163645',
  D: '0600204244260600',
  E: '40000646 0333',
  F: '400006 0333',
  G: '41301001051636454323',
  H: '0006 4046 0343',
  I: '2026 1030 1636',
  J: '4045361605',
  K: '0006 400446 0446',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '103041453616050110',
  P: '060030414233 3303',
  Q: '103041453616050110 2446',
  R: '06003041423303 1346',
  S: '4130100102134344453616 1605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '002340 2326',
  Z: '00400646',
  0: '103041453616050110',
  1: '112026 1636',
  2: '0110304142060646',
  3: '0110304142334445361605 1333',
  4: '36300444',
  5: '4000023243453616 1605',
  6: '4130100105163645443313 1304',
  7: '004016',
  8: '1030414233130201 0110 1304051636454433',
  9: '0516364541301001021343',
  '-': '1333',
  ',': '2617',
  '.': '2526',
};
const WIDTH = 4;
const HEIGHT = 6;
/** Columns between letters, and of a blank. */
const GAP = 2;

/**
 * The text as the data of a path. Other characters are left out.
 *
 * @param x left edge, and `y` the upper one, of the first letter
 * @param height of a capital letter, in the same unit
 */
export function strokeText(
  text: string,
  x: number,
  y: number,
  height: number,
): { path: string; width: number } {
  const unit = height / HEIGHT;
  const at = (n: number) => Number(n.toFixed(1));
  let left = x;
  let path = '';
  for (const character of text.toUpperCase()) {
    const strokes = STROKES[character];
    if (strokes === undefined && character !== ' ') continue;
    for (const stroke of strokes?.split(' ') ?? []) {
      for (let i = 0; i < stroke.length; i += 2) {
        const [column, row] = [Number(stroke[i]), Number(stroke[i + 1])];
        path += `${i === 0 ? 'M' : 'L'}${at(left + column * unit)} ${at(y + row * unit)}`;
      }
    }
    left += (character === ' ' ? WIDTH / 2 + GAP : WIDTH + GAP) * unit;
  }
  return { path, width: Math.max(0, left - x - GAP * unit) };
}
