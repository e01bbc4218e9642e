/** The choice of an older edition, what has become of features since, and a way to each of them. */
import { BecameLegend } from '../changes/became-legend.tsx';
import { boundsOf, ChangeList } from '../changes/change-list.tsx';
import { becameOf, textOfComparison } from '../changes/comparison.ts';
import { wordIn } from '../changes/words.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { StateLink } from '../ui/link.tsx';
import { Failure } from '../ui/parts.tsx';
import { middleOfFree } from './covered.ts';
import type { TileScene } from './tile-scene.ts';
import type { ShownEditions } from './use-editions.ts';
import { useThree } from './words.ts';
import '../changes/changes.css';

interface EditionsPanelProps {
  scene: TileScene;
  shown: ShownEditions;
}

/** Nothing for a model of one year. */
export function EditionsPanel({ scene, shown }: EditionsPanelProps) {
  const { t, language, year: nameOfYear } = useWords();
  const three = useThree();
  const word = wordIn(language);
  const older = usePart((s) => s.older);
  const border = usePart((s) => s.border);
  const { years, editions } = shown;
  if (years.length === 0) return null;
  return (
    <section class="changes editions">
      <label class="field">
        <span>{three('compareWith')}</span>
        <select
          value={String(older ?? '')}
          onChange={({ currentTarget: { value } }) =>
            update({ older: value === '' ? null : Number(value), border: null }, { push: true })
          }
        >
          <option value="">{three('compareNone')}</option>
          {years.map((one) => (
            <option key={one} value={String(one)}>
              {nameOfYear(one)}
            </option>
          ))}
        </select>
      </label>
      {editions !== null && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={border !== null}
              onChange={({ currentTarget }) =>
                update({ border: currentTarget.checked ? middleOfFree(scene.canvas) : null })
              }
            />
            {word('swipe')}
          </label>
          <EditionsLegend shown={shown} />
          <Differences scene={scene} shown={shown} />
          <StateLink
            class="button small"
            to={{ view: 'changes', compared: textOfComparison(editions.comparison) }}
          >
            {t('seeMap')}
          </StateLink>
        </>
      )}
    </section>
  );
}

/** What the colours of two editions stand for, or why there are none; in a frame of another page too. */
export function EditionsLegend({ shown }: { shown: ShownEditions }) {
  const { language, number } = useWords();
  const three = useThree();
  const word = wordIn(language);
  const { editions, compared, error, hidden } = shown;
  if (editions === null) return null;
  if (error !== null) {
    return (
      <>
        <p class="notice">{three('compareUnknown')}</p>
        <Failure error={error} retry={shown.retry} />
      </>
    );
  }
  if (compared === null) {
    return (
      <p class="notice" role="status">
        {word('comparing')}
      </p>
    );
  }
  const { differences, isCut } = compared;
  return (
    <>
      <BecameLegend compared={compared} hidden={hidden} onToggle={shown.toggle} />
      {isCut && <p class="notice">{three('compareCut', { count: number(differences.length) })}</p>}
      {differences.length === 0 && <p class="notice">{word('same')}</p>}
    </>
  );
}

/** A list that leads to each feature that differs. */
function Differences({ scene, shown: { editions, compared, hidden } }: EditionsPanelProps) {
  const three = useThree();
  if (compared === null || compared.differences.length === 0) return null;
  const differences = compared.differences.filter((one) => !hidden.has(becameOf(one)));
  return (
    <details class="differences">
      <summary>{three('compareList', { count: differences.length })}</summary>
      <ChangeList
        differences={differences}
        comparison={editions!.comparison}
        years={{ from: editions!.from, to: editions!.to }}
        actionsOf={(difference) => {
          const bounds = boundsOf(difference);
          if (bounds === null) return <span />;
          return (
            <button
              type="button"
              class="button small"
              onClick={() => {
                scene.lookAt(bounds);
                update({ feature: difference.id });
              }}
            >
              {three('flyThere')}
            </button>
          );
        }}
      />
    </details>
  );
}
