import { factsOfFormat } from '@citymodel/base';
import { useMemo } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { datasetName, datasetPart } from '../core/dataset-names.ts';
import type { Key } from '../core/i18n.ts';
import type { Sort as SortKey } from '../core/state.ts';
import { update, usePart, useWords } from '../core/store.ts';
import { cityPageAddress, hasCityPage } from '../ui/city-page-link.tsx';
import { DatasetPicture } from '../ui/dataset-picture.tsx';
import { DatasetDetails } from './dataset-details.tsx';
import { type CityGroup, groupsOf } from './groups.ts';

interface Column {
  key: Key;
  sort: SortKey | null;
  numeric?: boolean;
}

const COLUMNS: Column[] = [
  { key: 'place', sort: 'place' },
  { key: 'type', sort: 'type' },
  { key: 'format', sort: null },
  { key: 'lod', sort: 'lod', numeric: true },
  { key: 'texture', sort: null },
  { key: 'year', sort: 'year', numeric: true },
  { key: 'extent', sort: null },
  { key: 'size', sort: 'size', numeric: true },
  { key: 'licence', sort: null },
];

const NONE: readonly DatasetRow[] = [];

interface DatasetTableProps {
  rows: readonly DatasetRow[];
  /** Whether names in Latin letters are known. */
  areNamed: boolean;
  sort: SortKey;
  onSort: (key: SortKey) => void;
}

export function DatasetTable({ rows, areNamed, sort, onSort }: DatasetTableProps) {
  const { t } = useWords();
  // The same as long as the page is: a filter that is chosen draws no row anew.
  const body = useMemo(
    () =>
      sort === 'place' ? (
        groupsOf(rows).map((group) => <City key={group.sets[0]!.newest.id} group={group} />)
      ) : (
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      ),
    [rows, areNamed, sort],
  );
  const arePictured = rows.some((row) => row.picture_url !== undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section class="wide" tabIndex={0} aria-label={t('datasets')}>
      <table class={arePictured ? 'datasets pictured' : 'datasets'}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th
                key={column.key}
                scope="col"
                class={column.numeric ? 'numeric' : undefined}
                aria-sort={column.sort === sort ? ascending(sort) : undefined}
              >
                {column.sort === null ? (
                  t(column.key)
                ) : (
                  <button type="button" onClick={() => onSort(column.sort!)}>
                    {t(column.key)}
                  </button>
                )}
              </th>
            ))}
            <th scope="col">
              <span class="visually-hidden">{t('details')}</span>
            </th>
          </tr>
        </thead>
        {body}
      </table>
    </section>
  );
}

/** The datasets of a municipality below its name. */
function City({ group: { code, sets } }: { group: CityGroup }) {
  const words = useWords();
  const { newest } = sets[0]!;
  const lang = usePart((s) => s.lang);
  const theme = usePart((s) => s.theme);
  const name = words.areaOf(code, newest.city);
  return (
    <tbody>
      <tr class="city">
        <th scope="rowgroup" colSpan={COLUMNS.length + 1}>
          {hasCityPage(code) ? <a href={cityPageAddress(code, { lang, theme })}>{name}</a> : name}
          <span class="quiet"> {words.prefecture(newest.pref_code) || newest.pref}</span>
        </th>
      </tr>
      {sets.map(({ newest, older, beginsType }) => (
        <Row key={newest.id} row={newest} older={older} inCity={beginsType ? 'first' : 'later'} />
      ))}
    </tbody>
  );
}

interface RowProps {
  row: DatasetRow;
  /** The same in earlier years. */
  older?: readonly DatasetRow[];
  /** Below the name of its municipality, whose types are named where they begin. */
  inCity?: 'first' | 'later' | null;
}

function Row({ row, older = NONE, inCity = null }: RowProps) {
  const words = useWords();
  const { t } = words;
  const openId = usePart((s) => (s.row === row.id || older.some(({ id }) => id === s.row) ? s.row : null));
  const open = openId === null ? null : (older.find(({ id }) => id === openId) ?? row);
  const isOpen = openId === row.id;
  const name = datasetName(row, words);
  const toggle = (id: string) => update({ row: openId === id ? null : id });
  return (
    <>
      <tr class={[open !== null && 'open', inCity !== null && 'inside'].filter(Boolean).join(' ')}>
        <th scope="row">
          {row.picture_url !== undefined && <DatasetPicture url={row.picture_url} alt="" />}
          <span class={inCity === null ? undefined : 'visually-hidden'}>
            {words.areaOf(row.city_code, row.city)}
          </span>
          {row.ward_code && ` ${words.areaOf(row.ward_code, row.ward ?? '')}`}
          {inCity === null && <span class="quiet"> {words.prefecture(row.pref_code) || row.pref}</span>}
        </th>
        <td data-label={t('type')}>
          <span class={inCity === 'later' ? 'again' : undefined}>{words.type(row.type_en)}</span>
          <Sub row={row} />
          {row.interior && (
            <>
              {' '}
              <span class="lod">{t('interior')}</span>
            </>
          )}
        </td>
        <td data-label={t('format')}>
          <span class="whole">{row.format}</span>
          {row.format_version && <span class="quiet"> {row.format_version}</span>}
        </td>
        <td class="numeric" data-label={t('lod')}>
          {row.lod}
        </td>
        <td data-label={t('texture')}>
          {factsOfFormat(row.format).isTextured ? t(row.texture ? 'yes' : 'no') : '–'}
        </td>
        <td class="numeric" data-label={t('year')}>
          {words.year(row.year)}
          {older.map(({ id, year }) => (
            <button
              key={id}
              type="button"
              class="link older"
              aria-expanded={openId === id}
              aria-label={`${t(openId === id ? 'close' : 'details')}: ${name}, LOD ${row.lod}, ${words.year(year)}`}
              onClick={() => toggle(id)}
            >
              {words.year(year)}
            </button>
          ))}
        </td>
        <td class="quiet extent" data-label={t('extent')}>
          {row.bbox === null ? t('unknown') : extentText(row.bbox)}
        </td>
        <td class="numeric" data-label={t('size')}>
          {words.bytes(row.file_size)}
        </td>
        <td class="quiet licence" data-label={t('licence')}>
          {row.license ?? t('licenceUnknown')}
        </td>
        <td class="row-actions">
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            aria-label={`${t(isOpen ? 'close' : 'details')}: ${name}, LOD ${row.lod}, ${words.year(row.year)}`}
            onClick={() => toggle(row.id)}
          >
            {t(isOpen ? 'close' : 'details')}
          </button>
        </td>
      </tr>
      {open !== null && (
        <tr class="details">
          <td colSpan={COLUMNS.length + 1}>
            <DatasetDetails row={open} />
          </td>
        </tr>
      )}
    </>
  );
}

/** River, zone or other part, which stands in the name between the type and the place. */
function Sub({ row }: { row: DatasetRow }) {
  const sub = datasetPart(row, useWords());
  return sub === '' ? null : <span class="quiet"> {sub}</span>;
}

function ascending(sort: SortKey): 'ascending' | 'descending' {
  return sort === 'place' || sort === 'type' ? 'ascending' : 'descending';
}

/** Width and height on the ground, and the middle. */
function extentText([west, south, east, north]: [number, number, number, number]): string {
  const lat = (south + north) / 2;
  const wide = (east - west) * 111.32 * Math.cos((lat * Math.PI) / 180);
  const high = (north - south) * 110.95;
  // A few streets are no tenth of a kilometre
  const metres = Math.max(wide, high) < 1;
  const text = (km: number) => (metres ? (km * 1000).toFixed(0) : km.toFixed(km < 10 ? 1 : 0));
  return `${text(wide)} × ${text(high)} ${metres ? 'm' : 'km'}`;
}
