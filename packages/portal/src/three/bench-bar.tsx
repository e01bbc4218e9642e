/** The bar over the 3D view: municipality, type, year, the year to compare with, detail, and what goes to others. */

import { formatTilesSpec } from 'citymodel-server/shared';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { loadCityDatasets } from '../core/data.ts';
import { useWords } from '../core/store.ts';
import type { SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure } from '../ui/parts.tsx';
import { Chevron } from './chevron.tsx';
import { bestOf, choiceOf, keyOf, kindsOf } from './choice.ts';
import { CityField } from './city-field.tsx';
import { CompareMenu } from './compare-menu.tsx';
import { DetailMenu } from './detail-menu.tsx';
import { kindName, modelName, placeName } from './models.ts';
import { openElsewhere, openHere } from './open-model.ts';
import { ShareMenu } from './share-menu.tsx';
import type { TileScene } from './tile-scene.ts';
import type { ShownEditions } from './use-editions.ts';
import { useThree } from './words.ts';
import '../styles/bench.css';

interface BenchBarProps {
  model: string | null;
  /** Municipalities that have models. */
  cities: readonly SummaryCity[];
  /** Those of the model's municipality. */
  datasets: readonly DatasetRow[];
  /** Null until something is drawn. */
  scene: TileScene | null;
  edited: ShownEditions;
}

export function BenchBar({ model, cities, datasets, scene, edited }: BenchBarProps) {
  const words = useWords();
  const { t } = words;
  const three = useThree();
  const spec = useMemo(() => (model === null ? null : choiceOf(model, datasets)), [model, datasets]);
  const kinds = useMemo(() => kindsOf(datasets), [datasets]);
  const kind = spec === null ? undefined : kinds.find(({ key }) => key === keyOf(spec));
  const isOfCity = datasets.length > 0;
  const [next, setNext] = useState<SummaryCity | null>(null);
  const found = useLoaded(next === null ? null : next.code, () => loadCityDatasets(next!.code), {
    keep: false,
  });
  useEffect(() => {
    if (next === null || found.value === null) return;
    const [first] = kindsOf(found.value);
    setNext(null);
    if (first !== undefined) openElsewhere(formatTilesSpec(bestOf(next.code, first)));
  }, [found.value]);
  const name =
    model === null
      ? t('modelChoose')
      : modelName(model, datasets, words, { best: three('best'), newest: three('newest') });
  return (
    <section class="float bench" aria-label={three('bench')}>
      {/* The bar says it piece by piece, except of a model that no municipality has. */}
      <h2 class={model === null || isOfCity ? 'model-name visually-hidden' : 'model-name'}>{name}</h2>
      <CityField
        cities={cities}
        chosen={spec === null || !isOfCity ? '' : placeName(spec, datasets, words)}
        onChoose={setNext}
      />
      <div class="bench-row">
        {spec !== null && kind !== undefined && (
          <>
            <PillSelect
              label={three('kind')}
              value={kind.key}
              options={kinds.map((of) => [of.key, kindName(of, words)])}
              onChoose={(value) => openHere(bestOf(spec.area, kinds.find(({ key }) => key === value)!))}
            />
            <PillSelect
              label={t('year')}
              value={String(spec.year)}
              options={[
                ['latest', three('newestYear', { year: words.year(kind.years[0]!) })],
                ...kind.years.map((year): [string, string] => [String(year), words.year(year)]),
              ]}
              onChoose={(value) => openHere({ ...spec, year: value === 'latest' ? value : Number(value) })}
            />
          </>
        )}
        {scene !== null && <CompareMenu scene={scene} shown={edited} />}
        <DetailMenu model={model} spec={spec} kind={kind} />
        {scene !== null && model !== null && (
          <ShareMenu scene={scene} model={model} name={name} datasets={datasets} />
        )}
      </div>
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
    </section>
  );
}

function PillSelect({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: Array<[value: string, text: string]>;
  onChoose: (value: string) => void;
}) {
  return (
    <span class="pill-select">
      <select
        class="pill"
        aria-label={label}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      <Chevron />
    </span>
  );
}
