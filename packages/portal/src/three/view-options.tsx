/** Light and section. */
import { useState } from 'preact/hooks';
import { update, usePart, useWords } from '../core/store.ts';
import { effectsState } from './effects-state.ts';
import type { Ability } from './scene/effects.ts';
import type { TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';

interface ViewOptionsProps {
  scene: TileScene;
  ability: Ability;
}

/** Where the sliders begin. */
const MORNING = 9;
const HIGHEST_CUT = 120;

export function ViewOptions({ scene, ability }: ViewOptionsProps) {
  const { number } = useWords();
  const three = useThree();
  const sun = usePart((s) => s.sun);
  const cut = usePart((s) => s.cut);
  const [wantsEffects, setWanting] = useState(true);
  const colour = usePart((s) => s.colour);
  const effects = effectsState(ability, wantsEffects, sun !== null, colour !== '');
  const setEffects = (isWanted: boolean) => {
    setWanting(isWanted);
    scene.setEffects(isWanted, isWanted);
  };
  return (
    <section class="view-options">
      <details open={sun !== null || cut !== null}>
        <summary>{three('light')}</summary>
        <Slider
          label={three('sun')}
          isOn={sun !== null}
          text={sun === null ? three('sunOff') : hourText(sun)}
          value={sun ?? MORNING}
          range={[4, 20, 0.25]}
          onChange={(value) => update({ sun: value })}
        />
        <Slider
          label={three('cutAt')}
          isOn={cut !== null}
          text={cut === null ? three('cutOff') : `${number(cut)} m`}
          value={cut ?? 10}
          range={[0, HIGHEST_CUT, 0.5]}
          onChange={(value) => update({ cut: value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={effects.isChecked}
            onChange={(event) => setEffects(event.currentTarget.checked)}
          />
          {three(effects.label)}
        </label>
        {effects.note !== null && <p class="quiet">{three(effects.note)}</p>}
      </details>
    </section>
  );
}

function Slider({
  label,
  isOn,
  text,
  value,
  range: [min, max, step],
  onChange,
}: {
  label: string;
  isOn: boolean;
  text: string;
  value: number;
  range: [number, number, number];
  onChange: (value: number | null) => void;
}) {
  return (
    <div class="slider">
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => onChange(event.currentTarget.checked ? value : null)}
        />
        {label} <output class="quiet">{text}</output>
      </label>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={text}
        disabled={!isOn}
        min={min}
        max={max}
        step={step}
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}

/** 9:15 of 9.25. */
function hourText(hour: number): string {
  const minutes = Math.round(hour * 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}
