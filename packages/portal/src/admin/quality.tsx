/** What checks of quality found while a package was read, before it is published. */
import type { IngestQuality } from 'citymodel-server/shared';
import { useAdminWords } from './words.ts';

export function Quality({ quality: { spec, errors, warnings, checks } }: { quality: IngestQuality }) {
  const { t, number, language } = useAdminWords();
  return (
    <section class="quality">
      <h3>{t('quality')}</h3>
      <p class="quiet">
        {t('qualityOf')} {spec} · {t('severity_error')} {number(errors)} · {t('severity_warning')}{' '}
        {number(warnings)}
        <br />
        {t('qualityHelp')}
      </p>
      {checks.length > 0 && (
        <ul class="issues" aria-label={t('quality')}>
          {checks.map(({ code, severity, title, errors: found, places }) => (
            <li key={code}>
              <strong class={`severity ${severity}`}>
                <span lang="en">{code}</span> {title[language]} × {number(found)}
              </strong>
              <ul lang="en">
                {places.map(({ file, id, line, message, sample }) => (
                  <li key={`${file} ${id} ${line} ${message}`}>
                    {file !== null && <code>{line === null ? file : `${file}:${line}`}</code>} {message}
                    {sample !== undefined && <code class="sample">{sample}</code>}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
