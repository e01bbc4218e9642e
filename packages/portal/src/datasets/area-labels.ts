/** Labels of municipalities and wards for a list, and what is typed instead of one. */
import { latinName } from 'citymodel-server/shared';
import { fold, type Places } from '../core/gazetteer.ts';
import type { Language } from '../core/state.ts';

/**
 * By code: name, how many datasets, and the code, by which equal names are told apart. In English the Japanese name
 * stands beside the Latin one, so that both are found.
 */
export function areaLabels(
  values: ReadonlyArray<readonly [code: string, count: number, name?: string]>,
  places: Pick<Places, 'named'> | null,
  language: Language,
): Map<string, string> {
  return new Map(
    values.map(([code, count, name = code]) => {
      const romaji = language === 'en' ? (places?.named(code)?.romaji ?? '') : '';
      const words = romaji === '' ? name : `${latinName(romaji)} ${name}`;
      return [code, `${words} ${code} (${count})`];
    }),
  );
}

/** The code that a text means: a label, a code, or part of one label alone. '' for no text, null for any other. */
export function codeTyped(labels: ReadonlyMap<string, string>, text: string): string | null {
  const typed = fold(text);
  if (typed === '') return '';
  const found = [...labels].filter(([code, label]) => code === typed || fold(label).includes(typed));
  const exact = found.find(([code, label]) => code === typed || fold(label) === typed);
  return exact?.[0] ?? (found.length === 1 ? found[0]![0] : null);
}
