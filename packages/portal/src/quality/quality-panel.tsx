/** What inspections found in the CityGML of a municipality: checks with their sums, and places on the map and in 3D. */
import { useEffect } from 'preact/hooks';
import { api } from '../core/api.ts';
import { config } from '../core/config.ts';
import type { QualityReport } from '../core/interface-types.ts';
import { usePart, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { findings, wanted } from '../map/map-link.ts';
import { StateLink } from '../ui/link.tsx';
import { Facts, Failure, Loading } from '../ui/parts.tsx';
import { PlaceList } from './place-list.tsx';
import { boundsOfPlaces, pointsOf } from './places.ts';

/** Places that are fetched at once. */
const PLACES = 200;

export function QualityPanel() {
  const { t } = useWords();
  const inspected = usePart((s) => s.inspected);
  const check = usePart((s) => s.check);
  const address = `/datacatalog/citygml/${inspected}/quality`;
  const filter = check === null ? '' : `&check=${encodeURIComponent(check)}`;
  const path = `${address}?limit=${PLACES}${filter}`;
  const loaded = useLoaded(inspected === null ? null : path, (signal) =>
    api<QualityReport>(path, { signal }),
  );
  const report = loaded.value;
  useEffect(() => {
    if (report === null) return;
    const points = pointsOf(report.places);
    findings.set(points);
    const bounds = boundsOfPlaces(report.places);
    if (bounds !== null) wanted.set(bounds);
    return () => findings.set(null);
  }, [report]);
  if (inspected === null) return <p class="notice">{t('qualityNone')}</p>;
  if (loaded.error !== null) return <Failure error={loaded.error} retry={loaded.retry} />;
  if (report === null) return <Loading />;
  return (
    <section class="picked quality">
      <h2>{t('quality')}</h2>
      <p class="quiet package-name">{report.package}</p>
      {report.quality === null ? (
        <p class="notice">{t('qualityNone')}</p>
      ) : (
        <>
          <Sums quality={report.quality} />
          <nav class="actions" aria-label={t('actions')}>
            <a class="button" href={`${config.base}${address}?format=html`} target="_blank" rel="noreferrer">
              {t('qualityReport')}
            </a>
            <a class="button" href={`${config.base}${address}?format=csv`} download>
              CSV
            </a>
            <a class="button" href={`${config.base}${address}?format=geojson`} download>
              GeoJSON
            </a>
          </nav>
          <Checks checks={report.checks} check={check} />
          <PlaceList report={report} check={check} spec={inspected} />
          <Skipped skipped={report.skipped} />
        </>
      )}
    </section>
  );
}

function Sums({ quality }: { quality: NonNullable<QualityReport['quality']> }) {
  const { t, number, time } = useWords();
  const { errors, warnings, complete, checkedAt, spec, scope } = quality;
  return (
    <>
      <p class={errors === 0 ? 'verdict good' : 'verdict bad'} role="status">
        {t(errors > 0 ? 'qualityBad' : complete ? 'qualityGood' : 'qualityGoodSoFar')}
      </p>
      <Facts
        rows={[
          [t('qualityErrors'), number(errors)],
          [t('qualityWarnings'), number(warnings)],
          [t('specification'), String(spec)],
          [t('qualityChecked'), time(checkedAt)],
        ]}
      />
      {scope !== undefined && <p class="quiet">{t(`qualityScope_${scope}`)}</p>}
    </>
  );
}

function Checks({ checks, check }: { checks: QualityReport['checks']; check: string | null }) {
  const { t, number, language } = useWords();
  const found = checks.filter(({ errors }) => errors > 0);
  const hold = checks.filter(({ errors }) => errors === 0);
  const titleOf = ({ title, name }: QualityReport['checks'][number]) => title?.[language] ?? name;
  return (
    <>
      {check !== null && <StateLink to={{ check: null }}>{t('qualityAllChecks')}</StateLink>}
      {found.length > 0 && (
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{t('qualityChecks')}</th>
              <th scope="col">{t('qualityFound')}</th>
            </tr>
          </thead>
          <tbody>
            {found.map((one) => (
              <tr key={one.code} class={one.code === check ? 'current' : ''}>
                <th scope="row" title={one.rule?.[language] ?? ''}>
                  <StateLink to={{ check: one.code }}>
                    <code>{one.code}</code> {titleOf(one)}
                  </StateLink>
                </th>
                <td>{number(one.errors)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {hold.length > 0 && (
        <details>
          <summary>
            {t('qualityHold')} ({number(hold.length)})
          </summary>
          <ul class="plain">
            {hold.map((one) => (
              <li key={one.code}>
                <code>{one.code}</code> {titleOf(one)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Skipped({ skipped }: { skipped: QualityReport['skipped'] }) {
  const { t, number } = useWords();
  if (skipped.length === 0) return null;
  const sums = new Map<string, number>();
  for (const { reason, count } of skipped) sums.set(reason, (sums.get(reason) ?? 0) + count);
  return (
    <details>
      <summary>
        {t('qualitySkipped')} ({number(sums.size)})
      </summary>
      <ul class="plain" lang="en">
        {[...sums].map(([reason, count]) => (
          <li key={reason}>
            {reason} × {number(count)}
          </li>
        ))}
      </ul>
    </details>
  );
}
