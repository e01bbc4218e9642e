/**
 * Figures of the features of a municipality, a prefecture or the country: sums, bars and histograms out of
 * `/citygml/statistics`. `StatisticsOf` draws them anywhere for an area; the panel is the page around it.
 */
import type { ComponentChildren } from 'preact';
import { api } from '../core/api.ts';
import { config } from '../core/config.ts';
import type { FeatureStatistics } from '../core/interface-types.ts';
import { prefectureName } from '../core/prefectures.ts';
import { update, usePart, useWords } from '../core/store.ts';
import type { SummaryCity } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { useSummary } from '../core/use-summary.ts';
import { StateLink } from '../ui/link.tsx';
import { Address, Facts, Failure, Loading } from '../ui/parts.tsx';
import { ChartOf } from './charts.tsx';
import {
  type Chart,
  chartsOf,
  choicesOf,
  type Figures,
  figuresOf,
  partsOf,
  statisticsPath,
  textOfFigures,
} from './figures.ts';
import { wordIn } from './words.ts';
import './statistics.css';

export function StatisticsPanel() {
  const { t } = useWords();
  const figures = figuresOf(usePart((s) => s.figures));
  return (
    <section class="picked">
      <h2>{t('statistics')}</h2>
      <Trail {...figures} />
      <StatisticsOf
        figures={figures}
        onChange={(next) => update({ figures: textOfFigures(next) }, { push: true })}
      />
    </section>
  );
}

/** From the country down to the area. */
function Trail({ area, type, year }: Figures) {
  const { language } = useWords();
  const word = wordIn(language);
  const areas = [...new Set(['all', ...(area === 'all' ? [] : [area.slice(0, 2)]), area])];
  return (
    <p class="quiet">
      {areas.map((one, n) => (
        <span key={one}>
          {n > 0 && ' › '}
          {one === area ? (
            <AreaTitle area={one} />
          ) : (
            <StateLink to={{ figures: textOfFigures({ area: one, type, year }) }}>
              {one === 'all' ? word('country') : prefectureName(one, language)}
            </StateLink>
          )}
        </span>
      ))}
    </p>
  );
}

function AreaTitle({ area }: { area: string }) {
  const { language, areaOf } = useWords();
  const { value } = useSummary(area.length === 5);
  if (area === 'all') return wordIn(language)('country');
  if (area.length === 2) return prefectureName(area, language);
  return areaOf(area, value?.cities.find(({ code }) => code === area)?.name ?? area);
}

interface StatisticsProps {
  figures: Figures;
  /** Called with another type or year, which then comes in `figures`. */
  onChange: (figures: Figures) => void;
}

/** The figures with their choices, without a heading; another page can hold them. */
export function StatisticsOf({ figures, onChange }: StatisticsProps) {
  const summary = useSummary();
  const path = statisticsPath(figures, null);
  const sums = useLoaded(path, (signal) => api<FeatureStatistics>(path, { signal }), { keep: false });
  if (summary.error !== null) return <Failure error={summary.error} retry={summary.retry} />;
  if (summary.value === null) return <Loading />;
  return (
    <div class="statistics">
      <Choices figures={figures} cities={summary.value.cities} onChange={onChange} />
      {sums.error !== null && <Failure error={sums.error} retry={sums.retry} />}
      {sums.loading && <Loading />}
      {sums.value !== null && <Answer figures={figures} sums={sums.value} cities={summary.value.cities} />}
    </div>
  );
}

function Choices({ figures, cities, onChange }: StatisticsProps & { cities: readonly SummaryCity[] }) {
  const { type: nameOf, year: nameOfYear, language } = useWords();
  const word = wordIn(language);
  const { types, years } = choicesOf(cities, figures.area);
  const { type, year } = figures;
  return (
    <div class="choices">
      <label class="field">
        <span>{word('type')}</span>
        <select
          value={type}
          onChange={({ currentTarget }) => onChange({ ...figures, type: currentTarget.value })}
        >
          {(types.includes(type) ? types : [type, ...types]).map((code) => (
            <option key={code} value={code}>
              {nameOf(code)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{word('year')}</span>
        <select
          value={year ?? ''}
          onChange={({ currentTarget }) => onChange({ ...figures, year: currentTarget.value || null })}
        >
          <option value="">{word('newest')}</option>
          {years.map((one) => (
            <option key={one} value={one}>
              {nameOfYear(one)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const HEIGHT = 'bldg:measuredHeight';

function Answer({
  figures,
  sums,
  cities,
}: {
  figures: Figures;
  sums: FeatureStatistics;
  cities: readonly SummaryCity[];
}) {
  const { number, language, areaOf } = useWords();
  const word = wordIn(language);
  const { area, type, year } = figures;
  const heights = sums.groups[0]?.of[HEIGHT];
  const metres = (value: number) => `${number(value)} ${word('metres')}`;
  const lacking = sums.without_table;
  const parts = partsOf(area);
  const nameOf = (code: string): ComponentChildren => {
    const city = cities.find((one) => one.code === code);
    const name = code.length === 2 ? prefectureName(code, language) : areaOf(code, city?.name ?? code);
    return <StateLink to={{ figures: textOfFigures({ area: code, type, year }) }}>{name}</StateLink>;
  };
  return (
    <>
      <Facts
        rows={[
          [word('features'), number(sums.features)],
          [word('packages'), number(sums.packages)],
          heights?.mean == null ? null : [word('mean'), metres(heights.mean)],
          heights?.max == null ? null : [word('highest'), metres(heights.max)],
        ]}
      />
      {lacking.packages > 0 && (
        <p class="notice">
          {word('withoutTable', { packages: number(lacking.packages), features: number(lacking.features) })}
        </p>
      )}
      {sums.left_out > 0 && <p class="notice">{word('leftOut', { features: number(sums.left_out) })}</p>}
      {sums.features === 0 && <p class="notice">{word('none')}</p>}
      {parts !== null && <Asked figures={figures} chart={parts} labelOf={nameOf} />}
      {chartsOf(figures, sums.attributes).map((chart) => (
        <Asked key={chart.name} figures={figures} chart={chart} />
      ))}
      {area.length === 5 && sums.features > 0 && (
        <p class="actions">
          <a
            class="button"
            href={`${config.base}/datacatalog/citygml/${area}-${year ?? 'latest'}/${type}.parquet`}
          >
            {word('table')}
          </a>
        </p>
      )}
      <Address url={config.publicUrl + statisticsPath(figures, null)} label={word('request')} />
    </>
  );
}

function Asked({
  figures,
  chart,
  labelOf,
}: {
  figures: Figures;
  chart: Chart;
  labelOf?: (value: string) => ComponentChildren;
}) {
  const path = statisticsPath(figures, chart);
  const { value, error, loading, retry } = useLoaded(
    path,
    (signal) => api<FeatureStatistics>(path, { signal }),
    { keep: false },
  );
  if (error !== null) return <Failure error={error} retry={retry} />;
  if (loading || value === null) return <Loading />;
  return <ChartOf chart={chart} answer={value} {...(labelOf === undefined ? {} : { labelOf })} />;
}
