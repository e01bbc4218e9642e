/** What has become of features since an older edition, and a way to each of them. */
import { BecameLegend } from '../changes/became-legend.tsx';
import { boundsOf, ChangeList } from '../changes/change-list.tsx';
import { becameOf, textOfComparison } from '../changes/comparison.ts';
import { wordIn } from '../changes/words.ts';
import { update, useWords } from '../core/store.ts';
import { StateLink } from '../ui/link.tsx';
import { Failure } from '../ui/parts.tsx';
import type { TileScene } from './tile-scene.ts';
import type { ShownEditions } from './use-editions.ts';
import { useThree } from './words.ts';
import '../changes/changes.css';

interface EditionsPanelProps {
  scene: TileScene;
  shown: ShownEditions;
}

/** Nothing where no year is compared. */
export function EditionsPanel({ scene, shown }: EditionsPanelProps) {
  const { t } = useWords();
  const { editions } = shown;
  if (editions === null) return null;
  return (
    <div class="changes editions">
      <EditionsLegend shown={shown} />
      <Differences scene={scene} shown={shown} />
      <StateLink
        class="button small"
        to={{ view: 'changes', compared: textOfComparison(editions.comparison) }}
      >
        {t('seeMap')}
      </StateLink>
    </div>
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
