/** The spec of a TileJSON, `<code>-<type>[-lod<N>][-interior]-<year|latest>`: reading and writing it. */
import { TYPE_CODE } from '@citymodel/citygml';
import { invalidSpec } from './invalid-spec.ts';

export interface MvtSpec {
  /** 5 digits; 2 for a prefecture, its own package where it has one; `all` for the whole country. */
  area: string;
  type: string;
  /** As in a 3D Tiles spec: one part of the type, `urf_UseDistrict` in lower case. */
  sub: string | null;
  /** Exactly this LOD (two digits for 3.3); null takes the one without a LOD in its name, else the highest. */
  lod: number | null;
  interior: boolean;
  year: number | 'latest';
}

/** The grammar of a spec; the description of the interface has it too. */
export const MVT_SPEC = new RegExp(
  `^(all|\\d{2}|\\d{5})-(${TYPE_CODE})(?:_([a-z0-9_-]+?))?(?:-lod(\\d{1,2}))?(-interior)?-(\\d{4}|latest)$`,
);

/** Reads a spec. Throws ServiceError 400 `invalid spec` when it is malformed. */
export function parseMvtSpec(text: string): MvtSpec {
  const match = MVT_SPEC.exec(text);
  if (!match) {
    throw invalidSpec(
      text,
      `is not of the form <code>-<type>[-lod<N>][-interior]-<year>: code is 5 digits of a ` +
        'municipality or ward, 2 of a prefecture, or all; year is 4 digits or latest.',
    );
  }
  const [, code, type, sub, lod, interior, year] = match;
  return {
    area: code!,
    type: type!,
    sub: sub ?? null,
    lod: lod === undefined ? null : Number(lod),
    interior: interior !== undefined,
    year: year === 'latest' ? year : Number(year),
  };
}

/** The spec as text; `parseMvtSpec` gives the same spec back. */
export function formatMvtSpec(spec: MvtSpec): string {
  const parts = [spec.area, spec.sub === null ? spec.type : `${spec.type}_${spec.sub}`];
  if (spec.lod !== null) parts.push(`lod${spec.lod}`);
  if (spec.interior) parts.push('interior');
  return [...parts, spec.year].join('-');
}
