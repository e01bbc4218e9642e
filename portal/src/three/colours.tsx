/** The choice of what features are coloured by, and what the colours mean. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { NAMED, propertiesFor, type Scale, scaleFor, shortName, spelling } from './colouring.ts';
import type { PropertySource, TileScene } from './tile-scene.ts';

/** After tiles have come, milliseconds without more before the colours are made anew. */
const SETTLE = 250;

interface ColoursProps {
  scene: TileScene;
  /** Grows as tiles come. */
  arrived: number;
  rowOfTile: (url: string) => DatasetRow | undefined;
}

export function Colours({ scene, arrived, rowOfTile }: ColoursProps) {
  const { t, language } = useWords();
  const colour = usePart((s) => s.colour);
  const [scale, setScale] = useState<Scale | null>(null);
  const [names, setNames] = useState<string[]>([]);
  const words = useMemo(() => ({ other: t('colourOther'), missing: t('colourMissing') }), [t]);

  // Made anew as tiles come
  useEffect(() => {
    const timer = setTimeout(() => {
      const found = scene.propertyNames();
      setNames(menuOf(found));
      // Before the first features nothing can be said of their values.
      if (colour === '' || found.size === 0) {
        setScale(null);
        scene.setColouring(null);
        return;
      }
      const named = propertiesFor(colour, found);
      const property = (source: PropertySource, tile: string): unknown => {
        for (const name of named) {
          const value = source.getProperty(name);
          if (value !== undefined && value !== null) return value;
        }
        // Tiles need not say their LOD; then the dataset says it.
        return colour === NAMED.lod ? rowOfTile(tile)?.lod : undefined;
      };
      const made = scaleFor(scene.values(property), words);
      setScale(made);
      scene.setColouring({ property, scale: made });
    }, SETTLE);
    return () => clearTimeout(timer);
  }, [scene, arrived, colour, words, language]);

  return (
    <section>
      <label class="field">
        <span>{t('colour')}</span>
        <select value={colour} onChange={(event) => update({ colour: event.currentTarget.value })}>
          <option value="">{t('colourNone')}</option>
          <option value={NAMED.height}>{t('colourHeight')}</option>
          <option value={NAMED.use}>{t('colourUse')}</option>
          <option value={NAMED.lod}>{t('colourLod')}</option>
          {colour !== '' && !(colour in NAMED) && !names.includes(colour) && (
            <option value={colour}>{shortName(colour)}</option>
          )}
          {names.length > 0 && (
            <optgroup label={t('colourMore')}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {shortName(name)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {colour !== '' && scale !== null && (
        <ul class="scale">
          {scale.legend.map((entry) => (
            <li key={entry.label}>
              <span class="swatch" style={{ background: entry.colour }} />
              {entry.label}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** One name for each property, the one with a colon where there are several; ids and objects are left out. */
function menuOf(names: Iterable<string>): string[] {
  const bySpelling = new Map<string, string>();
  for (const name of [...names].sort()) {
    if (/(^|[:_])(gml_?id|attributes)$/i.test(name)) continue;
    const known = bySpelling.get(spelling(name));
    if (known === undefined || (!known.includes(':') && name.includes(':')))
      bySpelling.set(spelling(name), name);
  }
  return [...bySpelling.values()].sort();
}
