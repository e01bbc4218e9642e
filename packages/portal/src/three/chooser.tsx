/** The choice of a model: municipality, what of it, how detailed, which year. */

import { formatTilesSpec, type TilesSpec } from 'citymodel-server/shared';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { loadCityDatasets, loadComposites } from '../core/data.ts';
import { update, useWords } from '../core/store.ts';
import { areaName, knownRomaji, type SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure } from '../ui/parts.tsx';
import { bestOf, choiceOf, keyOf, kindsOf } from './choice.ts';
import { CityField } from './city-field.tsx';
import { compositeName, kindName, modelName } from './models.ts';
import { useThree } from './words.ts';

const BEST = 'best';

interface ChooserProps {
  model: string | null;
  /** Municipalities that have models. */
  cities: readonly SummaryCity[];
  /** Those of the model's municipality. */
  datasets: readonly DatasetRow[];
}

export function Chooser({ model, cities, datasets }: ChooserProps) {
  const words = useWords();
  const { t } = words;
  const three = useThree();
  const spec = useMemo(() => (model === null ? null : choiceOf(model, datasets)), [model, datasets]);
  const [city] = datasets;
  const kinds = useMemo(() => kindsOf(datasets), [datasets]);
  const kind = spec === null ? undefined : kinds.find(({ key }) => key === keyOf(spec));
  const open = (next: TilesSpec, keepCamera: boolean) =>
    update(
      {
        model: formatTilesSpec(next),
        feature: null,
        also: [],
        older: null,
        border: null,
        ...(keepCamera ? {} : { camera: null, where: '' }),
      },
      { push: true },
    );
  const [next, setNext] = useState<SummaryCity | null>(null);
  const found = useLoaded(next === null ? null : next.code, () => loadCityDatasets(next!.code), {
    keep: false,
  });
  useEffect(() => {
    if (next === null || found.value === null) return;
    const [first] = kindsOf(found.value);
    setNext(null);
    if (first !== undefined) open(bestOf(next.code, first), false);
  }, [found.value]);
  return (
    <>
      <h2 class="model-name">
        {model === null
          ? t('modelChoose')
          : modelName(model, datasets, words, { best: three('best'), newest: three('newest') })}
      </h2>
      <CityField
        cities={cities}
        chosen={
          city === undefined
            ? ''
            : areaName({ name: city.city, romaji: knownRomaji(city.city_code) }, words.language)
        }
        onChoose={setNext}
      />
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
      {spec !== null && kind !== undefined && (
        <div class="choice">
          <label class="field">
            <span>{three('kind')}</span>
            <select
              value={kind.key}
              onChange={(event) => {
                const next = kinds.find(({ key }) => key === event.currentTarget.value)!;
                open(bestOf(spec.area, next), true);
              }}
            >
              {kinds.map((of) => (
                <option key={of.key} value={of.key}>
                  {kindName(of, words)}
                </option>
              ))}
            </select>
          </label>
          {kind.lods.length > 1 && (
            <label class="field">
              <span>{three('detail')}</span>
              <select
                value={spec.lod.max ? BEST : String(spec.lod.value)}
                onChange={({ currentTarget: { value } }) =>
                  open(
                    {
                      ...spec,
                      lod: value === BEST ? { max: true, value: 4 } : { max: false, value: Number(value) },
                    },
                    true,
                  )
                }
              >
                <option value={BEST}>{three('best')}</option>
                {kind.lods.map((lod) => (
                  <option key={lod} value={String(lod)}>
                    LOD {lod}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label class="field">
            <span>{t('year')}</span>
            <select
              value={String(spec.year)}
              onChange={({ currentTarget: { value } }) =>
                open({ ...spec, year: value === 'latest' ? value : Number(value) }, true)
              }
            >
              <option value="latest">{three('newest')}</option>
              {kind.years.map((year) => (
                <option key={year} value={String(year)}>
                  {words.year(year)}
                </option>
              ))}
            </select>
          </label>
          {kind.texture && (
            <label class="field">
              <span>{t('texture')}</span>
              <select
                value={String(spec.texture)}
                onChange={({ currentTarget: { value } }) =>
                  open({ ...spec, texture: value === 'null' ? null : value === 'true' }, true)
                }
              >
                <option value="null">{three('anyTexture')}</option>
                <option value="true">{t('textured')}</option>
                <option value="false">{t('untextured')}</option>
              </select>
            </label>
          )}
        </div>
      )}
      <OtherModels model={model} known={city !== undefined} />
    </>
  );
}

/** Composites of the country and prefectures, and a spec of one's own. */
function OtherModels({ model, known }: { model: string | null; known: boolean }) {
  const words = useWords();
  const { t } = words;
  const three = useThree();
  const [chosen, setOpen] = useState<boolean | null>(null);
  const isOpen = chosen ?? (!known && model !== null);
  const composites = useLoaded(isOpen ? 'composites' : null, loadComposites);
  const [spec, setSpec] = useState('');
  const open = (id: string) =>
    update(
      { model: id, camera: null, feature: null, also: [], where: '', older: null, border: null },
      { push: true },
    );
  const rows = composites.value ?? [];
  return (
    <details class="other-models" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{three('otherSpec')}</summary>
      {rows.length > 0 && (
        <label class="field">
          <span>{t('composites')}</span>
          <select
            value={rows.some(({ id }) => id === model) ? model! : ''}
            onChange={(event) => open(event.currentTarget.value)}
          >
            <option value="">{three('chooseComposite')}</option>
            {rows.map((row) => (
              <option key={row.id} value={row.id}>
                {compositeName(row, words)}
              </option>
            ))}
          </select>
        </label>
      )}
      <form
        class="field inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (spec.trim() !== '') open(spec.trim());
        }}
      >
        <label>
          <span>{t('modelSpec')}</span>
          <input
            type="text"
            placeholder="47900-bldg-maxlod2-latest"
            spellcheck={false}
            value={spec}
            onInput={(event) => setSpec(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('modelOpen')}
        </button>
      </form>
    </details>
  );
}
