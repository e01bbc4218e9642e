/** The choice among datasets, composites, and specs of one's own. */
import { useState } from 'preact/hooks';
import type { DatasetRow } from '../core/catalogue.ts';
import { loadComposites } from '../core/data.ts';
import { update, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { compositeName } from './models.ts';

export function ModelChoice({ model, datasets }: { model: string | null; datasets: readonly DatasetRow[] }) {
  const words = useWords();
  const { t } = words;
  const composites = useLoaded('composites', loadComposites);
  const [spec, setSpec] = useState('');
  const rows = datasets.filter((row) => row.format === '3D Tiles');
  const open = (id: string) => update({ model: id, camera: null, feature: null }, { push: true });
  const known =
    model === null ||
    rows.some((row) => row.id === model) ||
    composites.value?.some((row) => row.id === model);
  return (
    <>
      <label class="field">
        <span>{t('model')}</span>
        <select value={model ?? ''} onChange={(event) => open(event.currentTarget.value)}>
          {model === null && <option value="">{t('modelChoose')}</option>}
          {!known && <option value={model}>{model}</option>}
          {(composites.value ?? []).length > 0 && (
            <optgroup label={t('composites')}>
              {composites.value!.map((row) => (
                <option key={row.id} value={row.id}>
                  {compositeName(row, words)}
                </option>
              ))}
            </optgroup>
          )}
          {[...grouped(rows)].map(([place, ofPlace]) => (
            <optgroup key={place} label={place}>
              {ofPlace.map((row) => (
                <option key={row.id} value={row.id}>
                  {row.name} · LOD {row.lod} · {row.year}
                  {row.interior ? ` · ${t('interior')}` : ''}
                  {row.texture ? ` · ${t('textured')}` : ''}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
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
    </>
  );
}

function grouped(rows: readonly DatasetRow[]): Map<string, DatasetRow[]> {
  const groups = new Map<string, DatasetRow[]>();
  for (const row of rows) {
    const place = `${row.pref} ${row.city}`;
    groups.set(place, [...(groups.get(place) ?? []), row]);
  }
  return groups;
}
