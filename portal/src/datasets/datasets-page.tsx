/** The table of datasets with filters that mean what they mean in the API. */
import { useMemo, useState } from 'preact/hooks';
import { catalogueQuery, countBy, type DatasetRow, matches, toBounds } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { loadCatalogue } from '../core/data.ts';
import { useSignal } from '../core/signal.ts';
import type { FilterKey, Filters } from '../core/state.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { mapView } from '../map/map-link.ts';
import { Address, Failure, Loading } from '../ui/parts.tsx';
import { DatasetTable, type SortKey } from './dataset-table.tsx';

const PAGE = 100;

export function DatasetsPage() {
  const { t, number } = useWords();
  const catalogue = useLoaded('catalogue', loadCatalogue);
  const filters = usePart((s) => s.filters);
  const [sort, setSort] = useState<SortKey>('place');
  const [shown, setShown] = useState(PAGE);
  const rows = catalogue.value?.datasets ?? [];
  const found = useMemo(() => rows.filter((row) => matches(row, filters)), [rows, filters]);
  const sorted = useMemo(() => [...found].sort(ORDERS[sort]), [found, sort]);
  if (catalogue.error !== null) return <Failure error={catalogue.error} retry={catalogue.retry} />;
  if (catalogue.value === null) return <Loading />;
  return (
    <div class="page">
      <FilterBar rows={rows} filters={filters} />
      <div class="result-line">
        <p role="status">
          <strong>{number(found.length)}</strong> / {number(rows.length)} {t('shown')}
        </p>
      </div>
      {sorted.length === 0 ? (
        <p class="notice">{t(rows.length === 0 ? 'noTiles' : 'noRows')}</p>
      ) : (
        <DatasetTable rows={sorted.slice(0, shown)} sort={sort} onSort={setSort} />
      )}
      {sorted.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
          {t('more')} ({number(sorted.length - shown)})
        </button>
      )}
      <Address url={config.publicUrl + catalogueQuery(filters)} label={t('request')} />
    </div>
  );
}

function FilterBar({ rows, filters }: { rows: readonly DatasetRow[]; filters: Filters }) {
  const { t, type } = useWords();
  const view = useSignal(mapView);
  const set = (key: FilterKey, value: string) => {
    const next = { ...filters };
    if (value === '') delete next[key];
    else next[key] = value;
    if (key === 'pref_code') delete next.city_code;
    update({ filters: next });
  };
  const inPref = rows.filter((row) =>
    matches(row, { ...(filters.pref_code && { pref_code: filters.pref_code }) }),
  );
  const prefs = new Map(rows.map((row) => [row.pref_code, row.pref]));
  const cities = new Map<string, string>();
  for (const row of inPref) {
    cities.set(row.city_code, row.city);
    if (row.ward_code) cities.set(row.ward_code, `${row.city} ${row.ward}`);
  }
  const choices = (key: FilterKey, label: string, options: Array<[string, string]>) => (
    <label class="field">
      <span>
        {label} <code>{key}</code>
      </span>
      <select value={filters[key] ?? ''} onChange={(event) => set(key, event.currentTarget.value)}>
        <option value="">{t('all')}</option>
        {filters[key] !== undefined && !options.some(([value]) => value === filters[key]) && (
          <option value={filters[key]}>{filters[key]}</option>
        )}
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const plain = (columnOf: (row: DatasetRow) => string, textOf = (value: string) => value) =>
    countBy(rows, columnOf).map(([value, count]): [string, string] => [value, `${textOf(value)} (${count})`]);
  const box =
    view && [view.bounds.west, view.bounds.south, view.bounds.east, view.bounds.north].map(round).join(',');
  return (
    <search class="filters" aria-label={t('filters')}>
      <label class="field words">
        <span>{t('filterText')}</span>
        <input
          type="search"
          value={filters.text ?? ''}
          onInput={(event) => set('text', event.currentTarget.value)}
        />
      </label>
      {choices('pref_code', t('prefecture'), [...prefs].sort())}
      {choices('city_code', t('municipality'), [...cities].sort())}
      {choices(
        'type_en',
        t('type'),
        plain((row) => row.type_en, type),
      )}
      {choices(
        'format',
        t('format'),
        plain((row) => row.format),
      )}
      {choices(
        'lod',
        t('lod'),
        plain((row) => row.lod),
      )}
      {choices('year', t('year'), plain((row) => String(row.year)).reverse())}
      {choices('texture', t('texture'), [
        ['true', t('textured')],
        ['false', t('untextured')],
      ])}
      <label class="check">
        <input
          type="checkbox"
          checked={filters.bbox !== undefined}
          disabled={box === null && filters.bbox === undefined}
          onChange={(event) => set('bbox', event.currentTarget.checked ? (box ?? '') : '')}
        />
        {t('inMapView')} <code>bbox</code>
      </label>
      <button
        type="button"
        class="button"
        disabled={Object.keys(filters).length === 0}
        onClick={() => update({ filters: {} })}
      >
        {t('clearFilters')}
      </button>
    </search>
  );
}

const byText = (a: string, b: string) => a.localeCompare(b, 'ja', { numeric: true });

const ORDERS: Record<SortKey, (a: DatasetRow, b: DatasetRow) => number> = {
  place: (a, b) => byText(a.ward_code ?? a.city_code, b.ward_code ?? b.city_code) || byText(a.id, b.id),
  type: (a, b) => byText(a.type_en, b.type_en) || byText(a.id, b.id),
  lod: (a, b) => byText(b.lod, a.lod) || byText(a.id, b.id),
  year: (a, b) => b.year - a.year || byText(a.id, b.id),
  size: (a, b) => b.file_size - a.file_size || byText(a.id, b.id),
};

function round(degrees: number): number {
  return Number(degrees.toFixed(5));
}

/** Where a dataset lies, for the map. */
export function boundsOf(row: DatasetRow) {
  return row.bbox === null ? null : toBounds(row.bbox);
}
