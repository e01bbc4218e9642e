/** The choice of an older edition to compare the model with, and of the border between both. */
import { wordIn } from '../changes/words.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { BenchMenu } from './bench-menu.tsx';
import { middleOfFree } from './covered.ts';
import type { TileScene } from './tile-scene.ts';
import type { ShownEditions } from './use-editions.ts';
import { useThree } from './words.ts';

/** Two arrows that pass each other. */
const ICON = 'M2 5.5h11M10 2.5l3 3-3 3M14 10.5H3M6 7.5l-3 3 3 3';

/** Nothing for a model of one year. */
export function CompareMenu({ scene, shown }: { scene: TileScene; shown: ShownEditions }) {
  const { language, year } = useWords();
  const three = useThree();
  const older = usePart((s) => s.older);
  const border = usePart((s) => s.border);
  const { years, editions } = shown;
  const [newest] = years;
  if (newest === undefined) return null;
  const label =
    editions === null
      ? three('compareYear', { year: year(newest) })
      : three('comparedYear', { year: year(editions.from) });
  return (
    <BenchMenu label={label} icon={ICON} isOn={editions !== null}>
      <fieldset>
        <legend class="quiet">{three('compareWith')}</legend>
        {[null, ...years].map((one) => (
          <label key={one} class="check">
            <input
              type="radio"
              name="older"
              checked={older === one}
              onChange={() => update({ older: one, border: null }, { push: true })}
            />
            {one === null ? three('compareNone') : year(one)}
          </label>
        ))}
      </fieldset>
      <label class="check swipe-choice">
        <input
          type="checkbox"
          checked={border !== null}
          disabled={editions === null}
          onChange={({ currentTarget }) =>
            update({ border: currentTarget.checked ? middleOfFree(scene.canvas) : null })
          }
        />
        {wordIn(language)('swipe')}
      </label>
    </BenchMenu>
  );
}
