/** The spec of a municipality's zip, `<code>-<year|latest>`: reading it. */
import { invalidSpec } from './invalid-spec.ts';

export interface CityGmlSpec {
  /** 5 digits, or 2 for a prefecture's own package. */
  area: string;
  year: number | 'latest';
}

/** The grammar of a spec; the description of the interface has it too. */
export const CITYGML_SPEC = /^(\d{2}|\d{5})-(\d{4}|latest)$/;

/** Reads a spec. Throws ServiceError 400 `invalid spec` when it is malformed. */
export function parseCityGmlSpec(text: string): CityGmlSpec {
  const match = CITYGML_SPEC.exec(text);
  if (!match) {
    throw invalidSpec(
      text,
      `is not of the form <code>-<year>: code is 5 digits of a municipality or ward, or 2 of a prefecture; year is ` +
        `4 digits or latest.`,
    );
  }
  return { area: match[1]!, year: match[2] === 'latest' ? 'latest' : Number(match[2]) };
}
