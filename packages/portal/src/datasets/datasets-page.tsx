/** The table of datasets, a page at a time from the server, with filters that mean what they mean in the API. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import {
  datasetPagePath,
  type FacetValue,
  findDataset,
  loadDatasets,
  loadPlaces,
  loadSummary,
} from '../core/data.ts';
import { useSignal } from '../core/signal.ts';
import type { FilterKey, Filters } from '../core/state.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { rememberNames } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { mapView } from '../map/map-link.ts';
import { Address, Failure, Loading } from '../ui/parts.tsx';
import { AreaChoice } from './area-choice.tsx';
import { DatasetDetails } from './dataset-details.tsx';
import { DatasetTable } from './dataset-table.tsx';

/** Datasets of a page: laying out and painting their rows is most of what it takes to open one. */
const PAGE = 50;
const NONE: readonly DatasetRow[] = [];
/** Milliseconds after the last key until words are searched for. */
const PAUSE = 250;

/** Notes names of wards in Latin letters, which the table of places alone has. False until that has come or failed. */
function useWardNames(rows: readonly DatasetRow[]): boolean {
  const { language } = useWords();
  const wards = rows.flatMap(({ ward_code }) => (ward_code ? [ward_code] : []));
  const isWanted = language === 'en' && wards.length > 0;
  const { value, error } = useLoaded(isWanted ? 'places' : null, loadPlaces);
  rememberNames(
    wards.flatMap((code) => {
      const romaji = value?.named(code)?.romaji;
      return romaji ? [[code, romaji] as const] : [];
    }),
  );
  return !isWanted || value !== null || error !== null;
}

export function DatasetsPage() {
  const { t, number } = useWords();
  const filters = usePart((s) => s.filters);
  const sort = usePart((s) => s.sort);
  const row = usePart((s) => s.row);
  const [offset, setOffset] = useState(0);
  const key = JSON.stringify([filters, sort]);
  useEffect(() => setOffset(0), [key]);
  const summary = useLoaded('summary', loadSummary).value;
  const page = useLoaded(`${key} ${offset}`, (signal) =>
    loadDatasets(filters, { sort, offset, limit: PAGE }, signal),
  );
  const found = page.value;
  const hasWards = useWardNames(found?.datasets ?? NONE);
  const areNamed = summary !== null && hasWards;
  // Seven lists of choices, the same on each page.
  const filterBar = useMemo(
    () => found && <FilterBar facets={found.facets} filters={filters} areNamed={areNamed} />,
    [found, filters, areNamed],
  );
  if (page.error !== null) return <Failure error={page.error} retry={page.retry} />;
  if (found === null) return <Loading />;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div class="page">
      {filterBar}
      <div class="result-line">
        <p role="status">
          <strong>{number(found.total)}</strong> {t('shown')}
        </p>
      </div>
      {row !== null && !found.datasets.some(({ id }) => id === row) && <OpenElsewhere id={row} />}
      {found.total === 0 ? (
        <p class="notice">{t(isFiltered ? 'noRows' : 'noTiles')}</p>
      ) : (
        <DatasetTable
          rows={found.datasets}
          areNamed={areNamed}
          sort={sort}
          onSort={(sort) => update({ sort })}
        />
      )}
      {found.total > PAGE && (
        <nav class="actions" aria-label={t('pages')}>
          <button
            type="button"
            class="button"
            disabled={offset === 0}
            onClick={() => setOffset(Math.max(0, offset - PAGE))}
          >
            {t('previousPage')}
          </button>
          <span>
            {number(offset + 1)}–{number(Math.min(offset + PAGE, found.total))} / {number(found.total)}
          </span>
          <button
            type="button"
            class="button"
            disabled={offset + PAGE >= found.total}
            onClick={() => setOffset(offset + PAGE)}
          >
            {t('nextPage')}
          </button>
        </nav>
      )}
      <Address url={config.publicUrl + datasetPagePath(filters, { sort, offset })} label={t('request')} />
    </div>
  );
}

/** The dataset of a link that is on another page of the table. */
function OpenElsewhere({ id }: { id: string }) {
  const found = useLoaded(id, (signal) => findDataset(id, signal));
  const row: DatasetRow | null = found.value;
  return row === null ? null : <DatasetDetails row={row} />;
}

function FilterBar({
  facets,
  filters,
  areNamed,
}: {
  facets: Record<string, FacetValue[]>;
  filters: Filters;
  areNamed: boolean;
}) {
  const { t, type, prefecture, number, year } = useWords();
  const view = useSignal(mapView);
  const [words, setWords] = useState(filters.text ?? '');
  useEffect(() => {
    if (words === (filters.text ?? '')) return;
    const timer = setTimeout(() => set('text', words), PAUSE);
    return () => clearTimeout(timer);
  }, [words]);
  const set = (key: FilterKey, value: string) => {
    const next = { ...filters };
    if (value === '') delete next[key];
    else next[key] = value;
    if (key === 'pref_code') delete next.city_code;
    update({ filters: next, row: null });
  };
  const choices = (key: FilterKey, label: string, nameOf: (value: string, name?: string) => string) => (
    <Choices
      label={label}
      value={filters[key] ?? ''}
      values={facets[key]}
      nameOf={nameOf}
      areNamed={areNamed}
      onChoose={(value) => set(key, value)}
    />
  );
  const box =
    view && [view.bounds.west, view.bounds.south, view.bounds.east, view.bounds.north].map(round).join(',');
  const chosen = Object.keys(filters).length;
  return (
    <search class="filter-bar" aria-label={t('filters')}>
      <label class="field words">
        <span>{t('filterText')}</span>
        <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
      <details class="filter-fold" open={!matchMedia('(max-width: 760px)').matches}>
        <summary class="button">
          {t('filters')}
          {chosen > 0 && ` (${number(chosen)})`}
        </summary>
        <div class="filters">
          {choices('pref_code', t('prefecture'), (value) => prefecture(value) || value)}
          <AreaChoice
            value={filters.city_code ?? ''}
            values={facets.city_code}
            onChoose={(code) => set('city_code', code)}
          />
          {choices('type_en', t('type'), (value) => type(value))}
          {choices('format', t('format'), (value) => value)}
          {choices('lod', t('lod'), (value) => value)}
          {choices('year', t('year'), year)}
          {choices('texture', t('texture'), (value) => t(value === 'true' ? 'textured' : 'untextured'))}
          <label class="check">
            <input
              type="checkbox"
              checked={filters.bbox !== undefined}
              disabled={box === null && filters.bbox === undefined}
              onChange={(event) => set('bbox', event.currentTarget.checked ? (box ?? '') : '')}
            />
            {t('inMapView')}
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={filters.map_symbols === 'true'}
              onChange={(event) => set('map_symbols', event.currentTarget.checked ? 'true' : '')}
            />
            {t('withMapSymbols')}
          </label>
          <button
            type="button"
            class="button"
            disabled={chosen === 0}
            onClick={() => {
              setWords('');
              update({ filters: {}, row: null });
            }}
          >
            {t('clearFilters')}
          </button>
        </div>
      </details>
    </search>
  );
}

interface ChoicesProps {
  label: string;
  value: string;
  values: readonly FacetValue[] | undefined;
  nameOf(value: string, name?: string): string;
  areNamed: boolean;
  onChoose(value: string): void;
}

function Choices({ label, value, values, nameOf, areNamed, onChoose }: ChoicesProps) {
  const { t, number, language } = useWords();
  // Hundreds, which stay until the service has answered.
  const options = useMemo(
    () =>
      values?.map(([choice, count, name]) => (
        <option key={choice} value={choice}>
          {nameOf(choice, name)} ({number(count)})
        </option>
      )),
    [values, language, areNamed],
  );
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{t('all')}</option>
        {value !== '' && !values?.some(([option]) => option === value) && (
          <option value={value}>{nameOf(value)}</option>
        )}
        {options}
      </select>
    </label>
  );
}

function round(degrees: number): number {
  return Number(degrees.toFixed(5));
}
