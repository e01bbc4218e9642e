/** Texts that look like GML, for tests. */

export interface FeatureText {
  text: Buffer;
  /** Where features end. */
  ends: number[];
}

/** Features with numbers and identifiers that differ and names that do not, of about so many bytes; seeded. */
export function featureText(bytes: number, seed = 1): FeatureText {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const parts: string[] = [];
  const ends: number[] = [];
  for (let at = 0; at < bytes; ) {
    const rings = Array.from({ length: 1 + next(4) }, () => {
      const positions = Array.from({ length: 12 }, () => (35 + next(1e9) / 1e9).toFixed(12)).join(' ');
      return `<gml:Polygon><gml:posList>${positions}</gml:posList></gml:Polygon>\n`;
    });
    const id = Array.from({ length: 36 }, (_, i) => (i % 9 === 8 ? '-' : next(16).toString(16))).join('');
    const part =
      `<bldg:Building gml:id="bldg_${id}"><bldg:usage>${next(500)}</bldg:usage>\n` +
      `<bldg:name>建物 ${next(9)}</bldg:name><bldg:lod1Solid>\n${rings.join('')}</bldg:lod1Solid></bldg:Building>\n`;
    parts.push(part);
    at += Buffer.byteLength(part);
    ends.push(at);
  }
  return { text: Buffer.from(parts.join('')), ends };
}
