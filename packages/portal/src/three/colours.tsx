/** The choice of what features are coloured by, and a legend that filters. */
import { current, update, usePart, useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';
import { colourMenu } from './colour-menu.ts';
import { type LegendEntry, NAMED, propertiesFor } from './colouring.ts';
import type { ShownColours } from './use-colouring.ts';
import { conditionOn, toggleCondition } from './where.ts';
import { useThree } from './words.ts';

interface ColoursProps {
  /** Names of the properties that loaded features have. */
  names: ReadonlySet<string>;
  /** What tiles call them. */
  titles: ReadonlyMap<string, string>;
  shown: ShownColours | null;
}

export function Colours({ names, titles, shown }: ColoursProps) {
  const { t, attribute, language } = useWords();
  const three = useThree();
  const colour = usePart((s) => s.colour);
  const menu = colourMenu(colour, names, titles, language, attribute);
  return (
    <section>
      <label class="field">
        <span>{t('colour')}</span>
        <select value={colour} onChange={(event) => update({ colour: event.currentTarget.value })}>
          <option value="">{t('colourNone')}</option>
          <option value={NAMED.height}>{t('colourHeight')}</option>
          <option value={NAMED.use}>{t('colourUse')}</option>
          {propertiesFor(NAMED.year, names).length > 0 && (
            <option value={NAMED.year}>{three('colourYear')}</option>
          )}
          {propertiesFor(NAMED.structure, names).length > 0 && (
            <option value={NAMED.structure}>{three('colourStructure')}</option>
          )}
          <option value={NAMED.lod}>{t('colourLod')}</option>
          {menu.length > 0 && (
            <optgroup label={t('colourMore')}>
              {menu.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {colour !== '' && shown !== null && <Legend {...shown} />}
    </section>
  );
}

/** What the colours stand for; in a frame of another page too. */
export function Legend({ scale, name }: ShownColours) {
  const { t } = useWords();
  const three = useThree();
  const alone = conditionOn(
    usePart((s) => s.where),
    name,
  );
  const labelOf = ({ kind, label }: LegendEntry) =>
    kind === 'other' ? t('colourOther') : kind === 'missing' ? t('colourMissing') : <InWords value={label} />;
  return (
    <>
      <ul class="scale">
        {scale.legend.map((entry) => (
          <li key={`${entry.kind}${entry.label}`}>
            <button
              type="button"
              class="legend-class"
              disabled={entry.condition === null}
              aria-pressed={entry.condition !== null && alone === entry.condition}
              onClick={() => update({ where: toggleCondition(current().where, name, entry.condition!) })}
            >
              <span class="swatch" style={{ background: entry.colour }} />
              {labelOf(entry)}
            </button>
          </li>
        ))}
      </ul>
      {name !== '' && <p class="quiet small-text">{three('legendHelp')}</p>}
    </>
  );
}
