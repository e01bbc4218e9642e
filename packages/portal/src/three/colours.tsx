/** The choice of what features are coloured by, and a legend that filters. */
import { useEffect, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { InWords } from '../ui/in-words.tsx';
import { colourMenu } from './colour-menu.ts';
import {
  type LegendEntry,
  NAMED,
  type PropertySource,
  propertiesFor,
  type Scale,
  scaleFor,
} from './colouring.ts';
import { interfaceName, readerOf } from './filter.ts';
import type { TileScene } from './tile-scene.ts';
import { conditionOn, toggleCondition } from './where.ts';
import { useThree } from './words.ts';

interface ColoursProps {
  scene: TileScene;
  /** Names of the properties that loaded features have. */
  names: ReadonlySet<string>;
  rowOfTile: (url: string) => DatasetRow | undefined;
}

interface Shown {
  scale: Scale;
  /** What the interface calls the property; '' when it cannot be told. */
  name: string;
}

export function Colours({ scene, names, rowOfTile }: ColoursProps) {
  const { t, attribute } = useWords();
  const three = useThree();
  const colour = usePart((s) => s.colour);
  const [shown, setShown] = useState<Shown | null>(null);
  const menu = colourMenu(colour, names, attribute);

  // Made anew as tiles come
  useEffect(() => {
    // Before the first features nothing can be said of their values.
    if (colour === '' || names.size === 0) {
      setShown(null);
      scene.setColouring(null);
      return;
    }
    const properties = propertiesFor(colour, names);
    const read = readerOf(properties);
    const property = (source: PropertySource, tile: string): unknown =>
      // Tiles need not say their LOD; then the dataset says it.
      read(source) ?? (colour === NAMED.lod ? rowOfTile(tile)?.lod : undefined);
    const name = colour === NAMED.lod ? '' : interfaceName(properties);
    const scale = scaleFor(colour, name, scene.values(property));
    setShown({ scale, name });
    scene.setColouring({ property, scale });
  }, [scene, names, colour]);

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

function Legend({ scale, name }: Shown) {
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
