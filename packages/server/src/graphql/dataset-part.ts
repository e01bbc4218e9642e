/** What is below a feature type: a river, a zone, indoor models. Flood scales are not: they are items of one river. */
import { scaleName } from '../catalogue/names/part-names.ts';
import type { Dataset } from '../catalogue/rows/snapshot-dataset.ts';

export interface Part {
  /** `natl_kanogawa`, or '' for the whole type. */
  code: string;
  /** For people; null for the whole type. */
  name: string | null;
  river: { name: string; admin: 'NATIONAL' | 'PREFECTURE' } | null;
}

const INTERIOR = { code: 'interior', name: '屋内' };

/** The part that a dataset belongs to, its flood scale left out. */
export function partOf({ summary, interior }: Dataset): Part {
  const { sub } = summary;
  let code = '';
  let name: string | null = null;
  if (sub !== null) {
    const scale =
      sub.scale === null ? '' : sub.scale + (sub.scaleSuffix === null ? '' : `-${sub.scaleSuffix}`);
    code = withoutEnd(sub.code, scale.toLowerCase());
    name = withoutEnd(sub.name, scale);
    name = withoutEnd(name, scaleName(sub));
    if (code === '') name = null;
  }
  if (interior) {
    code = code === '' ? INTERIOR.code : `${code}_${INTERIOR.code}`;
    name = name === null ? INTERIOR.name : `${name} ${INTERIOR.name}`;
  }
  const river =
    sub?.admin == null
      ? null
      : {
          name: (name ?? '').replace(/^(natl|pref)_/, '') || (sub.river ?? ''),
          admin: sub.admin === 'natl' ? ('NATIONAL' as const) : ('PREFECTURE' as const),
        };
  return { code, name, river };
}

function withoutEnd(text: string, end: string): string {
  if (end === '' || !text.endsWith(end)) return text;
  return text.slice(0, -end.length).replace(/[_ ]$/, '');
}
