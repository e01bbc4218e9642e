import { config } from './core/config.ts';
import { type Language, PAGES, type Theme, VIEWS } from './core/state.ts';
import { update, usePart, useWords } from './core/store.ts';
import { Brand } from './ui/brand.tsx';
import { StateLink } from './ui/link.tsx';
import { Segments } from './ui/parts.tsx';

const TABS = VIEWS.filter((view) => PAGES[view].isTab);

export function Header() {
  const { t, language } = useWords();
  const view = usePart((s) => s.view);
  const theme = usePart((s) => s.theme);
  const lang = usePart((s) => s.lang);
  // The description has the same header, and shows what was chosen here.
  const chosen = new URLSearchParams({ ...(lang && { lang }), ...(theme && { theme }) }).toString();
  const areas = usePart((s) => s.areas.length);
  return (
    <header>
      <StateLink to={{ view: 'map' }} class="brand">
        <Brand name={t('title')} />
      </StateLink>
      <nav class="tabs" aria-label={t('nav')}>
        {TABS.map((tab) => (
          <StateLink key={tab} to={{ view: tab }} current={view === tab}>
            {t(PAGES[tab].title)}
            {tab === 'basket' && areas > 0 && <span class="badge">{areas}</span>}
          </StateLink>
        ))}
      </nav>
      <div class="header-end">
        <StateLink to={{ view: 'status' }} class="plain" current={view === 'status'}>
          {t('status')}
        </StateLink>
        <a class="plain" href={`${config.base}/docs${chosen && `?${chosen}`}`}>
          {t('api')}
        </a>
        <Segments<Language>
          label={t('language')}
          value={language}
          options={[
            ['ja', '日本語'],
            ['en', 'English'],
          ]}
          onChoose={(lang) => update({ lang })}
        />
        <label class="theme">
          <span class="visually-hidden">{t('theme')}</span>
          <select
            value={theme ?? ''}
            onChange={(event) => update({ theme: (event.currentTarget.value || null) as Theme | null })}
          >
            <option value="">{t('themeSystem')}</option>
            <option value="light">{t('themeLight')}</option>
            <option value="dark">{t('themeDark')}</option>
          </select>
        </label>
      </div>
    </header>
  );
}
