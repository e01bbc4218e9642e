/** Light, section and pictures. */
import { useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { Copy } from '../ui/parts.tsx';
import { creditLine } from './credit.ts';
import { effectsState } from './effects-state.ts';
import { embedCode } from './embed-code.ts';
import { modelName } from './models.ts';
import type { Ability } from './scene/effects.ts';
import type { TileScene } from './tile-scene.ts';
import { useThree } from './words.ts';

interface ViewOptionsProps {
  scene: TileScene;
  model: string;
  datasets: readonly DatasetRow[];
  ability: Ability;
}

/** Where the sliders begin. */
const MORNING = 9;
const HIGHEST_CUT = 120;

export function ViewOptions({ scene, model, datasets, ability }: ViewOptionsProps) {
  const words = useWords();
  const { t, number } = words;
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
  const name = modelName(model, datasets, words, { best: three('best'), newest: three('newest') });
  return (
    <section class="view-options">
      <div class="row-buttons">
        <SavePicture scene={scene} model={model} lines={[name, creditLine(model, datasets)]} />
      </div>
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
      <p class="embed-line">
        <span class="quiet">{three('embedCode')}</span>{' '}
        <Copy text={() => embedCode(`${name}, 3D`)} label={three('embedCode')} />
      </p>
      <span class="visually-hidden">{t('model')}</span>
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

function SavePicture({ scene, model, lines }: { scene: TileScene; model: string; lines: string[] }) {
  const three = useThree();
  const save = async () => {
    const blob = await scene.picture(lines);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${model}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return (
    <button type="button" class="button small" onClick={save}>
      {three('picture')}
    </button>
  );
}
