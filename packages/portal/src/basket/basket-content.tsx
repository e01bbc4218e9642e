/** What of the areas of the basket goes into a pack. */
import { config } from '../core/config.ts';
import { loadSummary } from '../core/data.ts';
import { placeOfAreas } from '../core/feature-query.ts';
import { type FoundFile, filesInArea } from '../core/files.ts';
import { signal, useSignal } from '../core/signal.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { dataBounds } from '../map/condition-place.ts';
import { FeaturesAsData } from '../ui/features-as-data.tsx';
import { FileRows } from '../ui/file-list.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { filesOfArea, namedPlacesOf } from './area-files.ts';
import { type AreaCounts, chosenSum, featuresOfAreas, limitUse, typesOf } from './counts.ts';
import { packName, placeName } from './names.ts';
import { Pack } from './pack.tsx';

/** Types to choose, with what they hold; then the pack. */
/** Leaves out all types but one. */
const ONLY = { en: 'only', ja: 'これだけ' } as const;

export function BasketContent({ counts, busy }: { counts: readonly AreaCounts[]; busy: boolean }) {
  const words = useWords();
  const { t, number, bytes, fill } = words;
  const chosen = usePart((s) => s.types?.join(',') ?? null)?.split(',') ?? null;
  const allYears = usePart((s) => s.allYears);
  const papers = usePart((s) => s.papers);
  const types = typesOf(counts);
  const isChosen = (type: string) => chosen === null || chosen.includes(type);
  const sum = chosenSum(counts, chosen);
  const summary = useLoaded('summary', loadSummary).value;
  const place = placeOfAreas(
    counts.map(({ area }) => area),
    (condition) => {
      const found = namedPlacesOf(counts.find(({ text }) => text === condition));
      if (found.length > 0) return found.map(({ bounds }) => bounds);
      const around = summary && dataBounds(condition, summary);
      return around === null ? [] : [around];
    },
  );
  if (types.size === 0) return <p class="notice">{t('areaEmpty')}</p>;
  // A filter that was made for another area and leaves nothing here is said, and can be dropped.
  const leavesNothing = sum.files === 0 && chosen !== null && chosen[0] !== '-';
  const toggle = (type: string) => {
    const now = [...types.keys()].filter((key) => (key === type ? !isChosen(key) : isChosen(key)));
    // Nothing chosen is written as a type that there is not, for an empty list means all.
    update({ types: now.length === types.size ? null : now.length === 0 ? ['-'] : now, pack: null });
  };
  return (
    <div aria-busy={busy}>
      {leavesNothing && (
        <div class="notice">
          <p>{t('typesElsewhere')}</p>
          <button type="button" class="button" onClick={() => update({ types: null, pack: null })}>
            {t('allTypes')}
          </button>
        </div>
      )}
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('features')}</th>
            <th scope="col">{t('files')}</th>
            <th scope="col">{t('zipSize')}</th>
          </tr>
        </thead>
        <tbody>
          {[...types].map(([type, part]) => (
            <tr key={type} class={isChosen(type) ? undefined : 'unchosen'}>
              <th scope="row">
                <label>
                  <input type="checkbox" checked={isChosen(type)} onChange={() => toggle(type)} />
                  {words.type(type)}
                </label>
                {types.size > 1 && (
                  <button
                    type="button"
                    class="only"
                    aria-label={`${ONLY[words.language]}: ${words.type(type)}`}
                    onClick={() => update({ types: [type], pack: null })}
                  >
                    {ONLY[words.language]}
                  </button>
                )}
              </th>
              <td>{number(part.features)}</td>
              <td>{number(part.files)}</td>
              <td>{bytes(part.zip)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('filesChosen')}</th>
            <td>{number(sum.features)}</td>
            <td>{number(sum.files)}</td>
            <td>{bytes(sum.zip)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="quiet small-note">{fill('zipSizeNote', { bytes: bytes(sum.bytes) })}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={allYears}
          onChange={() => update({ allYears: !allYears, pack: null })}
        />
        {t('allYears')}
      </label>
      <label class="check">
        <input type="checkbox" checked={papers} onChange={() => update({ papers: !papers, pack: null })} />
        {t('papers')}
      </label>
      <FilesOfBasket counts={counts} chosen={chosen} total={sum.files} />
      <h2 class="step-heading">
        <span class="step">3</span> {t('step3')}
      </h2>
      <Limits files={sum.files} zip={sum.zip} />
      <Pack
        isEmpty={sum.files === 0}
        isTooLarge={sum.files > config.packMaxFiles || sum.zip > config.packMaxBytes}
        zip={sum.zip}
        load={(signal) => filesOfBasket(counts, chosen, signal)}
        name={packName(counts, chosen)}
      />
      {place !== null && (
        <FeaturesAsData
          place={place}
          types={new Map([...featuresOfAreas(counts)].filter(([type]) => types.has(type) && isChosen(type)))}
          isPart={counts.some(
            (counts) =>
              ['box', 'polygon'].includes(counts.area.kind) ||
              (counts.area.kind === 'place' && namedPlacesOf(counts).every(({ isArea }) => !isArea)),
          )}
          everyYear={allYears}
          isFrame={counts.some(
            (counts) => counts.area.kind === 'city' || namedPlacesOf(counts).some(({ isArea }) => isArea),
          )}
          name={placeName(counts)}
        />
      )}
    </div>
  );
}

/** How near the choice is to the limits of one pack, and what to do beyond them. */
function Limits({ files, zip }: { files: number; zip: number }) {
  const { t, number, bytes, fill } = useWords();
  const { share, state } = limitUse({ files, zip }, { files: config.packMaxFiles, zip: config.packMaxBytes });
  return (
    <div class={`limits ${state}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: Chromium fills a coloured meter to half its height */}
      <div
        class="used"
        role="meter"
        aria-label={t('limits')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(100 * Math.min(1, share))}
      >
        <span style={{ width: `${100 * Math.min(1, share)}%` }} />
      </div>
      <p class="quiet">
        {fill('limitsText', {
          files: number(files),
          mostFiles: number(config.packMaxFiles),
          bytes: bytes(zip),
          mostBytes: bytes(config.packMaxBytes),
        })}
      </p>
      {state === 'beyond' && (
        <p class="notice bad" role="alert">
          {t('limitsOver')}
        </p>
      )}
    </div>
  );
}

/** The list of files, asked for when it is opened. */
function FilesOfBasket({
  counts,
  chosen,
  total,
}: {
  counts: readonly AreaCounts[];
  chosen: readonly string[] | null;
  total: number;
}) {
  const { t, number } = useWords();
  const open = useSignal(listOpen);
  const allYears = usePart((s) => s.allYears);
  const key = open && total > 0 && total <= config.packMaxFiles;
  const list = useLoaded(
    key ? JSON.stringify([counts.map(({ text }) => text), chosen, allYears]) : null,
    (signal) => filesOfBasket(counts, chosen, signal),
  );
  return (
    <details open={open} onToggle={(event) => listOpen.set(event.currentTarget.open)}>
      <summary>
        {t('fileList')} ({number(total)})
      </summary>
      {list.error !== null && <Failure error={list.error} retry={list.retry} />}
      {open && list.loading && <Loading />}
      {open && total > config.packMaxFiles && <p class="quiet">{t('limitsOver')}</p>}
      {open && list.value !== null && <FileRows files={list.value} />}
    </details>
  );
}

const listOpen = signal(false);

/** The chosen files of all areas, each once. */
async function filesOfBasket(
  counts: readonly AreaCounts[],
  chosen: readonly string[] | null,
  abort: AbortSignal,
): Promise<FoundFile[]> {
  const { allYears } = current();
  const files = new Map<string, FoundFile>();
  for (const { area, condition, files: known } of counts) {
    const list = known ?? filesInArea(await filesOfArea(condition, abort), { area, allYears });
    for (const file of list) {
      if (chosen === null || chosen.includes(file.type)) files.set(file.url, file);
    }
  }
  return [...files.values()];
}
