/**
 * The spec of a composite tileset, `<area>-<type>-<lod>[-interior][-<texture>]-<year>`: reading and writing it. Beyond
 * the interface's grammar a type may name one of its parts, `fld_natl_kanogawa_l1`: without that, a composite could not
 * hold one river alone.
 */
import { TYPE_CODE } from '@citymodel/citygml';
import { invalidSpec, quoteSpec } from './invalid-spec.ts';

/** A LOD in a spec: one digit, or two for LOD 3.3 (`33`). */
export interface LodChoice {
  /** `maxlodN`: the highest not above N; else `lodN`: exactly N. */
  max: boolean;
  value: number;
}

/** What a spec says beside its area and type. */
export interface TilesChoice {
  /** Sub code; null takes every one. */
  sub: string | null;
  lod: LodChoice;
  interior: boolean;
  /** Null: textured preferred. */
  texture: boolean | null;
  year: number | 'latest';
}

export interface TilesSpec extends TilesChoice {
  /** `all`, 2 digits of a prefecture, or 5 of a municipality or ward. */
  area: string;
  type: string;
}

/** The grammar of a spec; the description of the interface has it too. */
export const TILES_SPEC = new RegExp(
  `^(all|\\d{2}|\\d{5})-(${TYPE_CODE})(?:_([a-z0-9_-]{1,100}?))?-(max)?lod(\\d{1,2})(-interior)?(?:-(texture|` +
    `notexture))?-(\\d{4}|latest)$`,
);

/** Higher than the LOD of any dataset: `maxlod4` finds the highest there is. */
const HIGHEST_LOD = 4;

/** A spec that lacks nothing but its LOD, with the highest LOD; null for any other text. */
export function withHighestLod(text: string): string | null {
  const completed = text.replace(/(-interior)?(-(no)?texture)?-(\d{4}|latest)$/, `-maxlod${HIGHEST_LOD}$&`);
  return !TILES_SPEC.test(text) && TILES_SPEC.test(completed) ? completed : null;
}

/** Reads a spec. Throws ServiceError 400 `invalid spec` when it is malformed. */
export function parseTilesSpec(text: string): TilesSpec {
  const match = TILES_SPEC.exec(text);
  if (!match) {
    const completed = withHighestLod(text);
    if (completed !== null) {
      throw invalidSpec(
        text,
        `lacks the LOD, lodN or maxlodN, behind the type; ${quoteSpec(completed)} takes the highest.`,
      );
    }
    throw invalidSpec(
      text,
      `is not of the form <area>-<type>-<lod>[-interior][-<texture>]-<year>: area is all, 2 digits ` +
        'of a prefecture or 5 digits of a municipality or ward; lod is lodN or maxlodN; texture is texture or ' +
        'notexture; year is 4 digits or latest.',
    );
  }
  const [, where, type, sub, max, lod, interior, texture, year] = match;
  return {
    area: where!,
    type: type!,
    sub: sub ?? null,
    lod: { max: max !== undefined, value: Number(lod) },
    interior: interior !== undefined,
    texture: texture === undefined ? null : texture === 'texture',
    year: year === 'latest' ? year : Number(year),
  };
}

/** The spec as text; `parseTilesSpec` gives the same spec back. */
export function formatTilesSpec(spec: TilesSpec): string {
  // Joined, since a template leaves a tree of pieces in memory, and a catalogue keeps ten thousands.
  const parts = [spec.area, spec.sub === null ? spec.type : `${spec.type}_${spec.sub}`];
  parts.push(`${spec.lod.max ? 'max' : ''}lod${spec.lod.value}`);
  if (spec.interior) parts.push('interior');
  if (spec.texture !== null) parts.push(spec.texture ? 'texture' : 'notexture');
  return [...parts, spec.year].join('-');
}
