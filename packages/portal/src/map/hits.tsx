import { useRef } from 'preact/hooks';
import { findDataset } from '../core/data.ts';
import { datasetName } from '../core/dataset-names.ts';
import { update, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { InWords } from '../ui/in-words.tsx';
import { AreaName } from '../ui/parts.tsx';
import { type Hit, mapHits } from './map-link.ts';

/** Features of vector tiles under a click, with their own fields. */
export function Hits({ hits }: { hits: Hit[] }) {
  const { t } = useWords();
  const section = useRef<HTMLElement>(null);
  const close = () => {
    // The focus goes on with what comes after: what was picked, or the front page.
    section.current!.parentElement!.querySelector<HTMLElement>('.hits ~ * h2[tabindex]')?.focus();
    mapHits.set([]);
    update({ hit: null });
  };
  return (
    <section class="hits" aria-live="polite" ref={section}>
      <div class="heading">
        <h2>{t('featureHere')}</h2>
        <button type="button" class="button small" onClick={close}>
          {t('close')}
        </button>
      </div>
      {hits.map((hit, i) => (
        <article key={i}>
          <h3>
            <DatasetName id={hit.datasetId} />
            <code class="quiet"> {hit.layer}</code>
          </h3>
          <table class="fields">
            <caption class="visually-hidden">{t('fields')}</caption>
            <tbody>
              {Object.entries(hit.properties).map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>
                    <InWords value={value} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </article>
      ))}
    </section>
  );
}

function DatasetName({ id }: { id: string }) {
  const words = useWords();
  const { value: row, loading } = useLoaded(id, (signal) => findDataset(id, signal));
  return <AreaName name={row !== null ? datasetName(row, words) : loading ? null : id} />;
}
