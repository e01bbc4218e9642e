/**
 * What was picked: what there is by municipality, year and type, and what can be done with it; of nothing, what is
 * near.
 */

import type { Bounds } from '@citymodel/geo';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { api, filesPath } from '../core/api.ts';
import { parseArea, unite } from '../core/area.ts';
import { areaFromCondition } from '../core/area-text.ts';
import { config } from '../core/config.ts';
import { placeOfAreas } from '../core/feature-query.ts';
import { featuresOf } from '../core/feature-sums.ts';
import { type FileCounts, type FileList, fileBounds, filesOf, totalOf } from '../core/files.ts';
import { namedPlaces } from '../core/named-place.ts';
import { MODELS, SOURCES } from '../core/output-kinds.ts';
import { prefectureCode } from '../core/prefectures.ts';
import { MOST_AREAS, type State } from '../core/state.ts';
import { current, useWords } from '../core/store.ts';
import type { Summary, SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { CityPageLink } from '../ui/city-page-link.tsx';
import { FeaturesAsData } from '../ui/features-as-data.tsx';
import { FileListDetails } from '../ui/file-list.tsx';
import { StateLink } from '../ui/link.tsx';
import { Address, AreaName, Failure, Loading } from '../ui/parts.tsx';
import { countCondition, useConditionName } from './condition.ts';
import { conditionBounds, dataBounds, plainName, separateBoxes } from './condition-place.ts';
import { mapView, outlined, pickedOnMap, wanted } from './map-link.ts';
import { Missing } from './missing.tsx';

/** Files whose extents are read to find where a place lies. */
const MOST_FOR_EXTENT = 2_000;

interface PickedProps {
  condition: string;
  summary: Summary;
  onClose: () => void;
}

export function Picked({ condition, summary, onClose }: PickedProps) {
  const { t, language, prefecture } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  const city = summary.cities.find(({ code }) => code === condition);
  const counts = useLoaded(condition, (signal) => countCondition(condition, signal), { keep: false });
  const total = counts.value === null ? null : totalOf(counts.value);
  const none = total !== null && total.files === 0;
  const isMissing = none && city === undefined;
  const found = useLoaded(
    total === null ? null : `${condition} extent`,
    (signal) => whereIs(condition, summary, counts.value!, signal),
    { keep: false },
  );
  const boxes = found.value ?? NOWHERE;

  useEffect(() => {
    outlined.set(isMissing ? [] : [...boxes]);
    // What was clicked is in view already: nothing moves. Coming by a link, the address has said where to look.
    if (boxes.length > 0 && pickedOnMap.get() !== condition && !atGivenPlace())
      wanted.set(boxes.reduce(unite));
    return () => outlined.set([]);
  }, [condition, boxes]);
  // With the render itself: a moment later it would take the focus from the one who types the next search already.
  useLayoutEffect(() => {
    if (pickedOnMap.get() !== condition) heading.current?.focus({ preventScroll: true });
  }, [condition]);

  const areaText = areaFromCondition(condition);
  const area = areaText === null ? null : parseArea(areaText);
  const place = area && placeOfAreas([area], () => boxes);
  const named = counts.value === null ? null : namedPlaces(counts.value);
  const name = useConditionName(condition);
  return (
    <section class="picked">
      <div class="heading">
        <h2 tabIndex={-1} ref={heading}>
          <AreaName name={name} />
        </h2>
        <button type="button" class="button small" onClick={onClose}>
          {t('close')}
        </button>
      </div>
      <p class="quiet">
        {t(kindOf(condition))}
        {/^\d{5}$/.test(condition) && ` · ${prefecture(condition)} · ${condition}`}
        {city !== undefined && language === 'en' && <span lang="ja"> · {city.name}</span>}
      </p>
      {counts.loading && <Loading />}
      {counts.error !== null && <Failure error={counts.error} retry={counts.retry} />}
      {isMissing && <Missing condition={condition} />}
      {counts.value !== null && !isMissing && (
        <>
          <Actions condition={condition} area={areaText} counts={counts.value} city={city} />
          {counts.value.cities.map((one) => (
            <CountsTable
              key={`${one.cityCode} ${one.year}`}
              one={one}
              titled={city === undefined || counts.value!.cities.length > 1}
            />
          ))}
          {none ? (
            <p class="notice">{t('noCityGml')}</p>
          ) : (
            <>
              {place !== null && (
                <FeaturesAsData
                  place={place}
                  types={featuresOf(counts.value)}
                  isPart={area?.kind === 'box' || (named?.every(({ isArea }) => !isArea) ?? false)}
                  isFrame={area?.kind === 'city' || (named?.some(({ isArea }) => isArea) ?? false)}
                  name={city?.romaji ?? plainName(condition).replaceAll(/[^\p{L}\p{N}]+/gu, '-')}
                />
              )}
              <FileListDetails condition={condition} />
              <Address url={config.publicUrl + filesPath(condition)} label={t('request')} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function Actions({
  condition,
  area,
  counts,
  city,
}: {
  condition: string;
  /** As the basket takes it; null while nothing says where it is. */
  area: string | null;
  counts: FileCounts;
  city: SummaryCity | undefined;
}) {
  const { t } = useWords();
  const code = city?.code ?? counts.cities[0]?.cityCode;
  const model = modelOf(city);
  const pageOf = /^\d{5}$/.test(condition) ? condition : code;
  const { areas } = current();
  return (
    <nav class="actions" aria-label={t('actions')}>
      {area !== null && counts.cities.length > 0 && (
        <StateLink
          class="button primary"
          to={{
            view: 'basket',
            areas: [...areas.filter((other) => other !== area), area].slice(-MOST_AREAS),
            pack: null,
          }}
        >
          {t('inBasket')}
        </StateLink>
      )}
      {model !== null && (
        <StateLink class="button" to={model}>
          {t('see3d')}
        </StateLink>
      )}
      {pageOf !== undefined && <CityPageLink code={pageOf} />}
      {code !== undefined && (
        <StateLink class="button" to={{ view: 'datasets', filters: { city_code: code }, row: null }}>
          {t('seeDatasets')}
        </StateLink>
      )}
      {city?.formats.includes(SOURCES) && (
        <StateLink
          class="button"
          to={{ view: 'quality', inspected: `${city.code}-latest`, check: null, hit: null, layers: [] }}
        >
          {t('quality')}
        </StateLink>
      )}
      {city?.formats.includes(SOURCES) && city.years.length > 1 && (
        <StateLink class="button" to={{ view: 'changes', compared: comparedOf(city), hit: null, layers: [] }}>
          {t('changes')}
        </StateLink>
      )}
      {city?.formats.includes(SOURCES) && (
        <StateLink class="button" to={{ view: 'statistics', figures: city.code, hit: null, layers: [] }}>
          {t('statistics')}
        </StateLink>
      )}
      {city?.formats.includes(SOURCES) && (
        <a class="button" href={`${config.base}/datacatalog/citygml/${city.code}-latest/citygml.zip`}>
          {t('wholeZip')}
        </a>
      )}
    </nav>
  );
}

/** The buildings of a municipality, newest year and best LOD; else whatever the 3D view opens with. */
function modelOf(city: SummaryCity | undefined): Partial<State> | null {
  if (city === undefined || !city.formats.includes(MODELS)) return null;
  const model = city.types.includes('bldg') ? `${city.code}-bldg-maxlod4-latest` : null;
  return { view: '3d', model, camera: null, feature: null };
}

/** Two editions of the buildings, else of what there is. */
function comparedOf({ code, types }: SummaryCity): string {
  return types.includes('bldg') || types.length === 0 ? code : `${code},${types[0]}`;
}

function CountsTable({ one, titled }: { one: FileCounts['cities'][number]; titled: boolean }) {
  const { t, type, number, bytes, year, areaOf } = useWords();
  return (
    <article>
      <h3>
        {titled && `${areaOf(one.cityCode, one.cityName)} `}
        {year(one.year)}
      </h3>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('lod')}</th>
            <th scope="col">{t('features')}</th>
            <th scope="col">{t('files')}</th>
            <th scope="col">{t('size')}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(one.types).map(([code, sum]) => (
            <tr key={code}>
              <th scope="row">{type(code)}</th>
              <td>{sum.max_lod}</td>
              <td>{number(sum.features)}</td>
              <td>{number(sum.files)}</td>
              <td>{bytes(sum.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  );
}

function kindOf(condition: string) {
  if (condition.startsWith('m')) return 'kind_mesh';
  if (condition.startsWith('s:')) return 'kind_spatial-id';
  if (condition.startsWith('r:')) return 'kind_point';
  if (!condition.startsWith('g:')) return 'kind_city';
  return prefectureCode(condition.slice(2)) === null ? 'kind_name' : 'kind_prefecture';
}

/** Where the files of a condition lie; nothing where nothing is known of it, or too much. */
async function whereIs(
  condition: string,
  summary: Summary,
  counts: FileCounts,
  signal: AbortSignal,
): Promise<Bounds[]> {
  const named = namedPlaces(counts) ?? [];
  if (named.length > 0) return named.map(({ bounds }) => bounds);
  const known = conditionBounds(condition) ?? dataBounds(condition, summary);
  if (known !== null) return [known];
  const { files } = totalOf(counts);
  if (files === 0 || files > MOST_FOR_EXTENT) return [];
  const list = await api<FileList>(filesPath(condition), { signal });
  const boxes = filesOf(list)
    .map(fileBounds)
    .filter((box) => box !== null);
  return separateBoxes(boxes);
}

const NOWHERE: readonly Bounds[] = [];

let followed = false;

/** True once, for a page that was opened by a link which says where the map looks. */
function atGivenPlace(): boolean {
  const first = !followed;
  followed = true;
  return first && current().at !== null && mapView.get() === null;
}
