/** Everything about one dataset: addresses, views of it, code that uses it. */
import { factsOfFormat } from '@citymodel/base';
import { useEffect, useId, useState } from 'preact/hooks';
import { type DatasetRow, toBounds } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { datasetName } from '../core/dataset-names.ts';
import { update, useWords } from '../core/store.ts';
import { wanted } from '../map/map-link.ts';
import { CityPageLink } from '../ui/city-page-link.tsx';
import { DatasetPicture } from '../ui/dataset-picture.tsx';
import { StateLink } from '../ui/link.tsx';
import { Address, Copy, Facts } from '../ui/parts.tsx';
import { snippetsFor } from './snippets.ts';

export function DatasetDetails({ row }: { row: DatasetRow }) {
  const words = useWords();
  const { t, bytes } = words;
  const latest = latestUrl(row);
  const { view } = factsOfFormat(row.format);
  // Code comes after the frame that opens the details: it is half of what that frame takes.
  const [hasCode, setCode] = useState(false);
  useEffect(() => setCode(true), []);
  return (
    <div class="dataset">
      <div>
        <h2>{datasetName(row, words)}</h2>
        <p class="quiet">{row.id}</p>
        {row.picture_url !== undefined && (
          <DatasetPicture url={row.picture_url} alt={datasetName(row, words)} />
        )}
        <nav class="actions" aria-label={t('actions')}>
          {view === '3d' ? (
            <StateLink class="button primary" to={{ view: '3d', model: row.id, camera: null, feature: null }}>
              {t('see3d')}
            </StateLink>
          ) : (
            <button type="button" class="button primary" onClick={() => onMap(row, [row.id])}>
              {t('seeMap')}
            </button>
          )}
          {view === '3d' && row.bbox !== null && (
            <button type="button" class="button" onClick={() => onMap(row, [])}>
              {t('seeMap')}
            </button>
          )}
          <CityPageLink code={row.ward_code ?? row.city_code} />
        </nav>
        <Facts
          rows={[
            [t('specification'), row.spec],
            [t('size'), bytes(row.file_size)],
            [t('licence'), row.license ?? t('licenceUnknown')],
            row.bbox === null
              ? null
              : [`${t('extent')} W S E N`, row.bbox.map((n) => n.toFixed(5)).join(', ')],
            row.layers ? [t('layers'), row.layers.join(', ')] : null,
          ]}
        />
        <h3 class="above">{t('urls')}</h3>
        <Address url={row.url} label={t('urlData')} />
        {row.composite_url && <Address url={row.composite_url} label={t('urlStable')} />}
        {latest !== null && <Address url={latest} label={t('urlLatest')} />}
      </div>
      {hasCode && <Snippets row={row} />}
    </div>
  );
}

function Snippets({ row }: { row: DatasetRow }) {
  const words = useWords();
  const { t } = words;
  const id = useId();
  const snippets = snippetsFor({ ...row, name: datasetName(row, words) }, config.publicUrl);
  const [kind, setKind] = useState(snippets[0]!.kind);
  const snippet = snippets.find((candidate) => candidate.kind === kind) ?? snippets[0]!;
  return (
    <section class="snippets">
      <h3>{t('snippets')}</h3>
      <p class="quiet">{t('snippetHelp')}</p>
      <div role="tablist" aria-label={t('snippets')}>
        {snippets.map((candidate, i) => (
          <button
            key={candidate.kind}
            type="button"
            role="tab"
            id={`${id}${candidate.kind}`}
            aria-selected={candidate.kind === snippet.kind}
            aria-controls={`${id}panel`}
            tabIndex={candidate.kind === snippet.kind ? 0 : -1}
            onClick={() => setKind(candidate.kind)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              if (step === 0) return;
              const next = snippets[(i + step + snippets.length) % snippets.length]!;
              setKind(next.kind);
              document.getElementById(`${id}${next.kind}`)?.focus();
            }}
          >
            {candidate.kind}
          </button>
        ))}
      </div>
      <div id={`${id}panel`} role="tabpanel" aria-labelledby={`${id}${snippet.kind}`}>
        <div class="heading">
          <span class="quiet">{snippet.place}</span>
          <Copy text={snippet.text} label={snippet.kind} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
        <pre tabIndex={0}>{snippet.text}</pre>
      </div>
    </section>
  );
}

function onMap(row: DatasetRow, layers: string[]): void {
  update({ view: 'map', layers, pick: null }, { push: true });
  if (row.bbox !== null) wanted.set(toBounds(row.bbox));
}

/** The address that follows the newest year, where the stable one names a year in its spec. */
function latestUrl(row: DatasetRow): string | null {
  const url = row.composite_url?.replace(/-\d{4}(\/[^/]+)$/, '-latest$1');
  return url === undefined || url === row.composite_url ? null : url;
}
